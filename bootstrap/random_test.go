package bootstrap_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// trouble is one class of what goes wrong in a random run.
type trouble struct {
	name string
	// strikes makes it happen to the object called name, or to the run.
	strikes func(w *randomRun, name string)
	// ends judges the run's error; nil means that it must succeed.
	ends func(err error) bool
}

func failsWith(kind waiters.CauseKind) func(error) bool {
	return func(err error) bool {
		var run *bootstrap.RunError
		return errors.As(err, &run) && len(run.Steps) == 1 && run.Steps[0].Seen.Cause.Kind == kind
	}
}

func endsIn(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// healsAfter is an outcome that fails a few times.
func healsAfter(n int, reason, message string) func(int) (string, string) {
	return func(attempt int) (string, string) {
		if attempt > n {
			return "", ""
		}
		return reason, message
	}
}

var errForbidden = errors.New("kustomizations is forbidden")

func troubles() []trouble {
	return []trouble{
		{name: "none", strikes: func(*randomRun, string) {}},
		{name: "a commit", strikes: func(w *randomRun, _ string) {
			time.AfterFunc(w.within(20*time.Second), func() { w.f.commit("main@sha1:2") })
		}},
		{name: "a webhook that comes back", strikes: func(w *randomRun, name string) {
			w.behaviour(name).outcome = healsAfter(1+w.IntN(8), "ReconciliationFailed", `x dry-run failed: failed calling webhook "v.example.org": failed to call webhook: Post "https://h:443/": dial tcp 127.0.0.1:443: connect: connection refused`)
		}},
		{name: "the API server says no for a while", strikes: func(w *randomRun, name string) {
			w.behaviour(name).outcome = healsAfter(1+w.IntN(4), "ReconciliationFailed", denied)
		}},
		{name: "writes that fail for a while", strikes: func(w *randomRun, _ string) {
			until := time.Now().Add(w.within(time.Minute))
			w.f.writeErr = func(string, tiers.Ref) error {
				if time.Now().Before(until) {
					return errors.New("the server is currently unable to handle the request")
				}
				return nil
			}
		}},
		{name: "suspended in git", strikes: func(w *randomRun, name string) {
			ref := tiers.KustomizationRef("flux-system", name)
			w.f.objects[ref].Spec.Suspend, w.f.inGit[ref] = true, true
		}},
		{name: "a broken manifest", ends: failsWith(waiters.BuildFailed), strikes: func(w *randomRun, name string) {
			w.behaviour(name).outcome = buildFails("kustomize build failed: no")
		}},
		{name: "a ConfigMap that is missing", ends: failsWith(waiters.SubstituteMissing), strikes: func(w *randomRun, name string) {
			w.behaviour(name).outcome = buildFails(missingConfigMap)
		}},
		{name: "never ready", ends: endsIn(bootstrap.ErrOutOfTime), strikes: func(w *randomRun, name string) {
			w.behaviour(name).takes = 24 * time.Hour
		}},
		{name: "a write that is refused", ends: endsIn(errForbidden), strikes: func(w *randomRun, name string) {
			w.f.objects[tiers.KustomizationRef("flux-system", name)].Spec.Suspend = true
			w.f.writeErr = func(_ string, ref tiers.Ref) error {
				if ref.Name == name {
					return waiters.TerminalError(errForbidden)
				}
				return nil
			}
		}},
		{name: "an interrupt", ends: endsIn(errInterrupted), strikes: func(w *randomRun, name string) {
			w.behaviour(name).takes = time.Hour
			time.AfterFunc(w.within(20*time.Second), func() { w.cancel(errInterrupted) })
		}},
		{name: "the run's deadline", ends: endsIn(bootstrap.ErrOutOfTime), strikes: func(w *randomRun, name string) {
			w.behaviour(name).takes = time.Hour
			time.AfterFunc(w.within(20*time.Second), func() { w.cancel(context.DeadlineExceeded) })
		}},
	}
}

// randomRun is a random cluster, and how it is run.
type randomRun struct {
	*rand.Rand
	f      *flux
	names  []string
	order  string
	lag    time.Duration
	keepOn bool
	cancel context.CancelCauseFunc
}

func (w *randomRun) within(d time.Duration) time.Duration {
	return time.Duration(w.Int64N(int64(d))) + time.Millisecond
}

func (w *randomRun) behaviour(name string) *behaviour {
	return w.f.plans[tiers.KustomizationRef("flux-system", name)]
}

// grow makes a random graph: edges go from later names to earlier ones, so it
// has no cycle, and tiers are cut from the names in order, so they fit it.
func grow(seed uint64) *randomRun {
	w := &randomRun{Rand: rand.New(rand.NewPCG(seed, 42)), f: newFlux()}
	for i := range 2 + w.IntN(14) {
		var deps []string
		for _, d := range w.names {
			if w.IntN(4) == 0 {
				deps = append(deps, d)
			}
		}
		name := fmt.Sprintf("k%02d", i)
		w.names = append(w.names, name)
		w.f.add(name, behaviour{takes: w.within(4 * time.Second)}, deps...).Spec.Suspend = w.IntN(3) > 0
	}
	if w.IntN(2) == 0 {
		w.order = w.cut()
	}
	if w.IntN(2) == 0 {
		w.lag = w.within(400 * time.Millisecond)
	}
	w.keepOn = w.IntN(4) == 0
	return w
}

// cut makes a TIER_ORDER that fits the graph.
func (w *randomRun) cut() string {
	text := fmt.Sprintf("barriers: %v\ndefaults: {parallel: %d}\ntiers:\n", w.IntN(4) > 0, 1+w.IntN(4))
	for rest, n := w.names, 0; len(rest) > 0; n++ {
		size := 1 + w.IntN(len(rest))
		text += fmt.Sprintf("  - {name: tier%d, kustomizations: [%s]}\n", n, strings.Join(rest[:size], ", "))
		rest = rest[size:]
	}
	return text
}

func TestRandomRuns(t *testing.T) {
	classes := troubles()
	for seed := range uint64(204) {
		class := classes[seed%uint64(len(classes))]
		t.Run(fmt.Sprintf("%d %s", seed, class.name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runRandom(t, grow(seed), class) })
		})
	}
}

func runRandom(t *testing.T, w *randomRun, class trouble) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	w.cancel = cancel
	class.strikes(w, w.names[w.IntN(len(w.names))])
	w.f.boot()
	var o *tiers.TierOrder
	if w.order != "" {
		o = order(t, w.order)
	}
	e := stand(t, ctx, w.f, o, func(s *bootstrap.Sequencer) {
		s.KeepGoing = w.keepOn
		if w.lag > 0 {
			s.World = behind(w.f, w.lag)
		}
	})
	if class.ends == nil && e.err != nil || class.ends != nil && (e.err == nil || !class.ends(e.err)) {
		t.Errorf("the run of %d, lag %s, keep going %v ended with %v\n%s", len(w.names), w.lag, w.keepOn, e.err, w.order)
	}
	if e.took > time.Hour {
		t.Errorf("took %s", e.took)
	}
	e.startsInOrder(t)
	e.leavesWhatIsBehind(t, w.f)
	if class.ends == nil {
		e.endsReady(t, w.f)
	}
}

// startsInOrder checks that no step started before its edges ended.
func (e *ended) startsInOrder(t *testing.T) {
	t.Helper()
	steps, outcomes := map[tiers.StepID]tiers.Step{}, map[tiers.StepID]event.Outcome{}
	for i := range e.state.Steps {
		steps[e.state.Steps[i].Step.ID] = e.state.Steps[i].Step
	}
	for _, ev := range e.events {
		switch b := ev.Body.(type) {
		case event.StepFinished:
			outcomes[b.Step] = b.Outcome
		case event.StepStarted:
			for _, id := range steps[b.Step].DependsOn {
				if outcomes[id] != event.Succeeded {
					t.Errorf("%s started, and %s is %s", b.Step, id, outcomes[id])
				}
			}
			for _, id := range steps[b.Step].After {
				if outcomes[id] == event.Pending {
					t.Errorf("%s started, and %s has not ended", b.Step, id)
				}
			}
		default:
		}
	}
}

// leavesWhatIsBehind checks that nothing that waits for a failure was written,
// and that what was suspended there still is.
func (e *ended) leavesWhatIsBehind(t *testing.T, f *flux) {
	t.Helper()
	lost := map[tiers.StepID]bool{}
	for i := range e.state.Steps {
		s := &e.state.Steps[i] // plan order: what is depended on comes first
		for _, id := range s.Step.DependsOn {
			if d, _ := e.state.Step(id); lost[id] || d.Outcome == event.Failed || d.Outcome == event.Skipped {
				lost[s.Step.ID] = true
			}
		}
		if !lost[s.Step.ID] {
			continue
		}
		if s.Outcome != event.Skipped && s.Outcome != event.Cancelled || !s.Started.IsZero() {
			t.Errorf("%s is behind a failure: %s, started %v", s.Step.ID, s.Outcome, !s.Started.IsZero())
		}
		if s.Step.Verb == tiers.Resume && slices.Contains(f.writes, "resume "+s.Step.Object.Name) {
			t.Errorf("%s is behind a failure and was resumed", s.Step.Object.Name)
		}
	}
	for _, l := range e.state.Plan.Left {
		for _, ref := range append([]tiers.Ref{l.Object}, l.Behind...) {
			if slices.Contains(f.writes, "resume "+ref.Name) || slices.Contains(f.writes, "nudge "+ref.Name) {
				t.Errorf("%s is left and was written", ref.Name)
			}
		}
	}
}

// endsReady checks that a run that ended well left everything Ready that was
// not to be left.
func (e *ended) endsReady(t *testing.T, f *flux) {
	t.Helper()
	left := map[string]bool{}
	for _, l := range e.state.Plan.Left {
		for _, ref := range append([]tiers.Ref{l.Object}, l.Behind...) {
			left[ref.Name] = true
		}
	}
	revision := f.sources[gitSource].Artifact.Revision
	for _, k := range f.Kustomizations() {
		if left[k.Name] {
			continue
		}
		switch seen := waiters.JudgeKustomization(k, revision); {
		case seen.State == waiters.Ready:
		case seen.State == waiters.Progressing && k.Status.LastAppliedRevision == revision && k.Status.ObservedGeneration == k.Generation:
			// Every object reconciles again on its own timer, or was just woken.
		default:
			t.Errorf("%s is %s at %s", k.Name, seen.State, k.Status.LastAppliedRevision)
		}
	}
}
