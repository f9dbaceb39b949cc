package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// revival gets the releases of one Kustomization going again. It is a worker's
// and touches nothing of the run.
type revival struct {
	seq      *Sequencer
	writing  context.Context //nolint:containedctx // a write under way outlives the work, so that none goes untold
	began    time.Time       // the run, by the clock of this machine
	releases map[waiters.Target]*release
	acted    func(why string) // called after every reset

	mu   sync.Mutex
	seen func(message string)
	did  int // resets
}

// release is one release, and what was done about it in this run.
type release struct {
	waiters.Target
	resets int
	first  time.Time // when it was reset first
}

// notResetError is why a release is left as it is.
type notResetError struct {
	release *release
	given   waiters.GivenUp
	because string
}

// Error implements error.
func (e *notResetError) Error() string {
	failure := e.given.Attempts
	if e.given.Failure != "" {
		failure += ": " + e.given.Failure
	}
	return fmt.Sprintf("%s: %s (%s)", e.release, failure, e.because)
}

// run returns nil when no release of the set is given up any more, and a
// *notResetError for the first that has to stay so.
func (v *revival) run(ctx context.Context, seen func(message string)) error {
	v.seen = seen
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	for _, rel := range v.releases {
		all.Go(func() {
			if err := v.revive(ctx, rel); err != nil {
				stop(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// revive resets one release, if it is given up and that makes sense, and waits
// until it is Ready; again if it is given up anew.
func (v *revival) revive(ctx context.Context, rel *release) error {
	pace := v.seq.Pace.Failed.Pacer()
	for mine := 0; ; mine++ {
		hr, err := v.get(ctx, rel)
		if hr == nil {
			return err
		}
		given, gaveUp := waiters.GaveUp(hr)
		switch {
		case !gaveUp && mine == 0:
			return nil
		case gaveUp:
			why, err := v.healed(ctx, rel, hr, given)
			if err != nil {
				return err
			}
			if mine > 0 {
				if err := waiters.Sleep(ctx, pace.Next()); err != nil {
					return err
				}
			}
			if err := v.reset(ctx, rel, given, why); err != nil {
				return err
			}
		}
		if err := v.await(ctx, rel); !errors.Is(err, waiters.ErrStalled) {
			return err
		}
	}
}

// get returns nil and no error when the release is gone.
func (v *revival) get(ctx context.Context, rel *release) (*helmv2.HelmRelease, error) {
	var hr *helmv2.HelmRelease
	err := waiters.Retry(ctx, v.seq.Pace.Look, func() error {
		u, err := v.seq.Looker.Get(ctx, rel.GVK, rel.Namespace, rel.Name)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		hr = new(helmv2.HelmRelease)
		return waiters.TerminalError(runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, hr))
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rel, err)
	}
	return hr, nil
}

// healed waits until what the release failed on is there, and says what that
// is; or it returns why a reset makes no sense.
func (v *revival) healed(ctx context.Context, rel *release, hr *helmv2.HelmRelease, given waiters.GivenUp) (string, error) {
	leave := func(because string) (string, error) { return "", &notResetError{rel, given, because} }
	if probe, why := v.cure(hr, given); probe != nil {
		if rel.resets > 0 {
			return leave("it was reset once already, when " + why)
		}
		patient, cancel := context.WithTimeout(ctx, v.seq.Pace.Patience)
		defer cancel()
		err := waiters.Wait(patient, probe, v.seq.Pace.Look, func(o waiters.Observation) {
			v.tell(fmt.Sprintf("%s gave up, and is reset when what it failed on has healed: %s", rel, orState(o)))
		})
		switch wait := (*waiters.WaitError)(nil); {
		case err == nil:
			return why, nil
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case waiters.IsTerminal(err):
			// It may not be looked at: then there is nothing to tell by.
		case errors.As(err, &wait):
			return leave("not reset, because what it failed on has not healed: " + orState(wait.Last))
		}
	}
	return v.untold(rel, given, leave)
}

// untold decides about a release of whose failure nothing can be looked at.
func (v *revival) untold(rel *release, given waiters.GivenUp, leave func(string) (string, error)) (string, error) {
	passes := given.Why.Class == waiters.Passing && given.Why.Kind != waiters.Unclassified &&
		given.Why.Kind != waiters.HealthCheckTimeout
	switch {
	case passes && (rel.resets == 0 || time.Since(rel.first) < v.seq.Pace.Patience):
		return fmt.Sprintf("what it failed on passes by itself (%s)", given.Why.Kind), nil
	case passes:
		return leave(fmt.Sprintf("it was reset %d times in %s", rel.resets, time.Since(rel.first).Round(time.Second)))
	case rel.resets > 0:
		return leave("it was reset once already, and failed again")
	case given.Since.Before(v.began):
		return "it did so before this run began, and what it failed on may have healed since", nil
	}
	return leave("not reset, because it failed during this run and nothing can tell whether that has healed")
}

// cure is a probe that is Ready once what the release failed on has healed, and
// what to say then; nil when there is nothing that could be looked at.
func (v *revival) cure(hr *helmv2.HelmRelease, given waiters.GivenUp) (waiters.Probe, string) {
	look, name := v.seq.Looker, given.Why.Subject
	switch given.Why.Kind { //nolint:exhaustive // nothing in the cluster shows whether the others have healed
	case waiters.MissingKind:
		if given.Lacks.GVK.Kind != "" {
			return waiters.NewKindServed(name, look, given.Lacks.GVK), name + " is served"
		}
	case waiters.MissingNamespace:
		if given.Lacks.Name != "" {
			return &inventory{name: name, look: look, items: []waiters.Target{given.Lacks}}, name + " exists"
		}
	case waiters.HealthCheckTimeout, waiters.HealthCheckFailed:
		if items := applied(hr); len(items) > 0 {
			return &inventory{name: name, look: look, items: items}, "everything that it applied is healthy"
		}
	}
	return nil, ""
}

// applied are those of a release's objects that have a health of their own.
func applied(hr *helmv2.HelmRelease) []waiters.Target {
	if hr.Status.Inventory == nil {
		return nil
	}
	var items []waiters.Target
	for _, e := range hr.Status.Inventory.Entries {
		items = appendItem(items, e.ID, e.Version)
	}
	return items
}

// reset makes helm-controller try the release anew, and tells of it.
func (v *revival) reset(ctx context.Context, rel *release, given waiters.GivenUp, why string) error {
	now := time.Now()
	ref := tiers.Ref{Kind: rel.GVK.Kind, Namespace: rel.Namespace, Name: rel.Name}
	token := now.UTC().Format(time.RFC3339Nano)
	err := waiters.Retry(ctx, v.seq.Pace.Write, func() error { return v.seq.Writer.Reset(v.writing, ref, token) })
	switch {
	case err == nil:
	case waiters.IsTerminal(err):
		return &notResetError{rel, given, fmt.Sprintf("not reset, although %s: %v", why, err)}
	default:
		return err
	}
	if rel.resets++; rel.first.IsZero() {
		rel.first = now
	}
	v.mu.Lock()
	v.did++
	v.mu.Unlock()
	v.acted(fmt.Sprintf("%s had given up (%s), and %s", rel, given.Attempts, why))
	return nil
}

// await waits until the release is Ready, or given up anew.
func (v *revival) await(ctx context.Context, rel *release) error {
	probe := &inventory{name: rel.String(), look: v.seq.Looker, items: []waiters.Target{rel.Target}}
	return waiters.Wait(ctx, probe, v.seq.Pace.Look, func(o waiters.Observation) {
		if o.State != waiters.Stalled && o.State != waiters.Ready {
			v.tell("reset: " + orState(o))
		}
	})
}

// tell tells what is seen; the releases of a set take turns.
func (v *revival) tell(message string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen(message)
}
