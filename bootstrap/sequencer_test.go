package bootstrap_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// ended is how a run ended, and everything it told.
type ended struct {
	err    error
	state  event.State
	events []event.Event
	took   time.Duration
}

// Emit implements event.Sink.
func (e *ended) Emit(ev event.Event) {
	e.events = append(e.events, ev)
	e.state.Apply(ev)
}

// noLooker has no objects: none of these runs may look at any.
type noLooker struct{}

func (noLooker) Get(context.Context, schema.GroupVersionKind, string, string) (*unstructured.Unstructured, error) {
	return nil, errors.New("nothing to look at")
}
func (noLooker) Served(context.Context, schema.GroupVersionKind) (bool, error) { return true, nil }
func (noLooker) HasStatus(context.Context, schema.GroupKind) (bool, error)     { return false, nil }

// stand runs a plan over f until it ends; adjust may change the sequencer.
func stand(t *testing.T, ctx context.Context, f *flux, order *tiers.TierOrder, adjust func(*bootstrap.Sequencer)) *ended { //nolint:revive // t first, as in every helper
	t.Helper()
	plan, err := tiers.Build(tiers.Input{Order: order, Snapshot: bootstrap.Snapshot(f)})
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	e := &ended{}
	s := &bootstrap.Sequencer{World: f, Writer: f, Looker: noLooker{}, Sink: e, Order: order, ID: "test", Pace: bootstrap.DefaultPace()}
	if adjust != nil {
		adjust(s)
	}
	start := time.Now()
	e.err = s.Run(ctx, plan)
	e.took = time.Since(start)
	f.stop()
	if err := event.CheckLaws(e.events); err != nil {
		t.Errorf("the run broke a law of events: %v", err)
	}
	return e
}

// order makes a TIER_ORDER of one tier a name.
func order(t *testing.T, yaml string) *tiers.TierOrder {
	t.Helper()
	o, err := tiers.Parse("TIER_ORDER.yaml", []byte("apiVersion: standup/v1\nkind: TierOrder\n"+yaml))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// chain adds n Kustomizations, each depending on the one before.
func chain(f *flux, n int, takes time.Duration, suspended bool) {
	var deps []string
	for i := range n {
		name := fmt.Sprintf("t%02d", i)
		f.add(name, behaviour{takes: takes}, deps...).Spec.Suspend = suspended
		deps = []string{name}
	}
}

func succeeded(t *testing.T, e *ended) {
	t.Helper()
	if e.err != nil {
		t.Fatalf("the run failed: %v", e.err)
	}
}

func TestASuspendedChainTakesTheTimeOfItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 10, 300*time.Millisecond, true)
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if limit := 13*f.work/10 + time.Second; e.took > limit {
			t.Errorf("took %s for %s of work, more than %s", e.took, f.work, limit)
		}
		var want []string
		for i := range 10 {
			want = append(want, fmt.Sprintf("resume t%02d", i))
		}
		if !slices.Equal(f.writes, want) {
			e.explain(t)
			t.Errorf("writes = %q, want each resumed once, in order, and nothing else", f.writes)
		}
	})
}

func TestAFreshChainIsNudgedPastFluxsTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 10, 300*time.Millisecond, false)
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if limit := 13*f.work/10 + time.Second; e.took > limit {
			t.Errorf("took %s for %s of work, more than %s", e.took, f.work, limit)
		}
	})
}

func TestAHealthyClusterIsNotTouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 10, 300*time.Millisecond, true)
		f.boot()
		succeeded(t, stand(t, t.Context(), f, nil, nil))
		f.writes, f.stopped = nil, false
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if len(f.writes) != 0 || e.took > time.Second {
			t.Errorf("took %s and wrote %q to a healthy cluster", e.took, f.writes)
		}
	})
}

func TestACommitInMidRunMovesTheWantedRevision(t *testing.T) {
	for _, at := range []time.Duration{0, 700 * time.Millisecond, 1500 * time.Millisecond, 2900 * time.Millisecond} {
		t.Run(at.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				chain(f, 10, 300*time.Millisecond, true)
				f.boot()
				time.AfterFunc(at, func() { f.commit("main@sha1:2") })
				e := stand(t, t.Context(), f, nil, nil)
				succeeded(t, e)
				for _, k := range f.Kustomizations() {
					if k.Status.LastAppliedRevision != "main@sha1:2" {
						t.Errorf("%s is at %s", k.Name, k.Status.LastAppliedRevision)
					}
				}
				if limit := 13*f.work/10 + 2*time.Second; e.took > limit {
					t.Errorf("took %s for %s of work, more than %s", e.took, f.work, limit)
				}
				if at > 0 && len(e.state.Moves) != 1 {
					t.Errorf("told of %d moves, want 1", len(e.state.Moves))
				}
			})
		})
	}
}

func TestATerminalCauseEndsTheRunAtOnceAndNamesWhatIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 3, 300*time.Millisecond, true)
		f.add("bad", behaviour{takes: 100 * time.Millisecond, outcome: buildFails("kustomize build failed: accumulating resources: missing.yaml: no such file")}, "t02").Spec.Suspend = true
		f.add("after", behaviour{takes: time.Second}, "bad").Spec.Suspend = true
		f.add("later", behaviour{takes: time.Second}, "after").Spec.Suspend = true
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		failure := onlyFailure(t, e)
		if failure.Step.Object.Name != "bad" || failure.Seen.Cause.Kind != waiters.BuildFailed {
			t.Errorf("failure = %v with cause %s, want bad with BuildFailed", failure, failure.Seen.Cause.Kind)
		}
		if e.took > 5*time.Second {
			t.Errorf("took %s to give up on a terminal cause", e.took)
		}
		for _, name := range []string{"after", "later"} {
			s, _ := e.state.Step(tiers.StepID("ready:Kustomization/flux-system/" + name))
			if s.Outcome != event.Skipped || s.Because != "ready:Kustomization/flux-system/bad" {
				t.Errorf("%s: %s because %q, want Skipped because of bad", name, s.Outcome, s.Because)
			}
			if !f.Kustomization(tiers.KustomizationRef("flux-system", name)).Spec.Suspend {
				t.Errorf("%s was un-suspended behind a failure", name)
			}
		}
	})
}

// buildFails is a behaviour's outcome: every attempt fails in the build.
func buildFails(message string) func(int) (string, string) {
	return func(int) (string, string) { return "BuildFailed", message }
}

func onlyFailure(t *testing.T, e *ended) *bootstrap.StepError {
	t.Helper()
	var run *bootstrap.RunError
	if !errors.As(e.err, &run) || len(run.Steps) != 1 {
		t.Fatalf("err = %v, want exactly one failed step", e.err)
	}
	return run.Steps[0]
}

const missingConfigMap = `substitute from 'ConfigMap/cluster-vars' error: configmaps "cluster-vars" not found`

func TestACauseThatNeedsActionIsWaitedOutWhileSomethingElseMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		there := false
		f.add("vars", behaviour{takes: 50 * time.Second, applied: func(*flux) { there = true }})
		f.add("user", behaviour{takes: 100 * time.Millisecond, outcome: func(int) (string, string) {
			if there {
				return "", ""
			}
			return "BuildFailed", missingConfigMap
		}})
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if e.took > 70*time.Second {
			t.Errorf("took %s, want a nudge soon after the ConfigMap came", e.took)
		}
	})
}

func TestACauseThatNeedsActionEndsTheRunWhenNothingElseMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("user", behaviour{takes: 100 * time.Millisecond, outcome: buildFails(missingConfigMap)})
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		failure := onlyFailure(t, e)
		if failure.Seen.Cause.Kind != waiters.SubstituteMissing {
			t.Errorf("cause = %s, want SubstituteMissing", failure.Seen.Cause.Kind)
		}
		if e.took > bootstrap.DefaultPatience+time.Minute {
			t.Errorf("took %s, want well before the tier's time-out", e.took)
		}
	})
}

func TestAWebhookThatComesBackIsNoticedWithinSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		start := time.Now()
		f.add("hooked", behaviour{takes: 50 * time.Millisecond, outcome: func(int) (string, string) {
			if time.Since(start) >= 40*time.Second {
				return "", ""
			}
			return "ReconciliationFailed", `ConfigMap/default/x dry-run failed (InternalError): Internal error occurred: failed calling webhook "v.example.org": failed to call webhook: Post "https://hook.example.org:443/": dial tcp 127.0.0.1:443: connect: connection refused`
		}})
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if e.took > 45*time.Second {
			t.Errorf("took %s after 40 s without the webhook", e.took)
		}
	})
}

func TestTheTiersTimeOutSaysWhatWasLastSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("slow", behaviour{takes: time.Hour})
		f.checks[tiers.KustomizationRef("flux-system", "slow")] = true
		f.boot()
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: slow, timeout: 2m}]"), nil)
		failure := onlyFailure(t, e)
		if !errors.Is(e.err, bootstrap.ErrOutOfTime) || !strings.Contains(failure.Error(), "Running health checks") {
			t.Errorf("err = %v, want out of time with what was last seen", e.err)
		}
		if e.took != 2*time.Minute {
			t.Errorf("took %s, want 2m", e.took)
		}
	})
}

func TestTheRunsDeadlineFailsWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f := newFlux()
		f.add("slow", behaviour{takes: time.Hour})
		f.add("never", behaviour{takes: time.Hour}, "slow")
		f.boot()
		e := stand(t, ctx, f, nil, nil)
		if failure := onlyFailure(t, e); failure.Step.Object.Name != "slow" || !errors.Is(e.err, bootstrap.ErrOutOfTime) {
			t.Errorf("err = %v, want slow out of time", e.err)
		}
		if s, _ := e.state.Step("ready:Kustomization/flux-system/never"); s.Outcome != event.Skipped || s.Because != "ready:Kustomization/flux-system/slow" {
			t.Errorf("never: %s because %q, want Skipped because of slow", s.Outcome, s.Because)
		}
	})
}

var errInterrupted = errors.New("interrupted")

func TestAnInterruptCancelsAndLeavesTheRestSuspended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		f := newFlux()
		chain(f, 10, 300*time.Millisecond, true)
		f.boot()
		time.AfterFunc(time.Second, func() { cancel(errInterrupted) })
		e := stand(t, ctx, f, nil, nil)
		if !errors.Is(e.err, errInterrupted) || e.took != time.Second {
			t.Errorf("ended after %s with %v, want interrupted at 1s", e.took, e.err)
		}
		if n := e.state.Count(event.Failed); n != 0 {
			t.Errorf("%d steps failed, want them cancelled", n)
		}
	})
}

// explain logs what was written and why, for a test that failed.
func (e *ended) explain(t *testing.T) {
	t.Helper()
	for _, ev := range e.events {
		if b, ok := ev.Body.(event.StepActed); ok {
			t.Logf("%s %s %s: %s", ev.Time.Sub(e.state.Started), b.Action, b.Step, b.Cause)
		}
		if b, ok := ev.Body.(event.StepObserved); ok {
			t.Logf("%s %s is %s/%s: %s", ev.Time.Sub(e.state.Started), b.Step, b.Seen.State, b.Seen.Reason, b.Seen.Message)
		}
	}
}
