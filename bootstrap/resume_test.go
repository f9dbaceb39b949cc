package bootstrap_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
)

// resumed runs the whole use case over f.
func resumed(t *testing.T, f *flux, i *inspector, o *tiers.TierOrder) *ended {
	t.Helper()
	e := &ended{}
	c := &bootstrap.Resume{
		Sequencer: bootstrap.Sequencer{World: f, Writer: f, Looker: noLooker{}, Sink: e, Order: o, ID: "test", Pace: bootstrap.DefaultPace()},
		Inspector: i, Namespace: "flux-system",
	}
	start := time.Now()
	e.err = c.Run(t.Context())
	e.took = time.Since(start)
	f.stop()
	if err := event.CheckLaws(e.events); err != nil {
		t.Errorf("the run broke a law of events: %v", err)
	}
	return e
}

// told lists the types of the events.
func (e *ended) told() []string {
	var types []string
	for _, ev := range e.events {
		types = append(types, strings.TrimPrefix(fmt.Sprintf("%T", ev.Body), "event."))
	}
	return types
}

func TestResumeChecksPlansAndDrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 2, time.Second, true)
		f.boot()
		i := &inspector{}
		e := resumed(t, f, i, nil)
		succeeded(t, e)
		want := []string{"PlanReady", "PreflightChecked", "PreflightChecked", "PreflightChecked", "Warned"}
		if diff := cmp.Diff(want, e.told()[:5]); diff != "" {
			t.Errorf("the run begins (-want +got):\n%s", diff)
		}
		if got := fmt.Sprint(f.writes); got != "[resume t00 resume t01]" {
			t.Errorf("writes = %s", got)
		}
		if got := fmt.Sprint(i.namespaces); got != "[flux-system]" {
			t.Errorf("controllers were looked for in %s", got)
		}
	})
}

func TestResumeWaitsForControllersThatHaveJustBeenInstalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 1, time.Second, true)
		f.boot()
		e := resumed(t, f, &inspector{controllers: starting(time.Now().Add(time.Minute))}, nil)
		succeeded(t, e)
		if e.took < time.Minute || e.took > bootstrap.ControllerBudget {
			t.Errorf("took %s", e.took)
		}
	})
}

func TestResumeThatIsRefusedTellsAWholeRunAndWritesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		order     string
		arrange   func(*flux)
		inspector inspector
		wants     func(error) bool
		message   string
		checks    int
	}{
		"no permission": {
			inspector: inspector{denied: []bootstrap.Denied{{Access: bootstrap.Access{Verb: "patch", Resource: "kustomizations"}}}},
			wants:     is[*bootstrap.AccessError], message: "may not patch kustomizations", checks: 1,
		},
		"no controllers": {
			inspector: inspector{controllers: func() ([]bootstrap.Controller, error) { return nil, nil }},
			wants:     is[*bootstrap.PreconditionError], message: "source-controller is not installed", checks: 2,
		},
		"an unlisted Kustomization where that is an error": {
			order: "unlisted: fail\ntiers: [{name: t00}]",
			wants: is[*tiers.DriftError], message: "Kustomization flux-system/t01 is in no tier", checks: 3,
		},
		"an order against dependsOn": {
			order: "tiers: [{name: t01}, {name: t00}]",
			wants: is[*tiers.InvalidOrderError], message: "t01", checks: 3,
		},
		"a cycle": {
			arrange: func(f *flux) {
				f.add("a", behaviour{}, "c").Spec.Suspend = true
				f.add("b", behaviour{}, "a").Spec.Suspend = true
				f.add("c", behaviour{}, "b").Spec.Suspend = true
			},
			wants: is[*tiers.CycleError], message: "flux-system/a", checks: 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				chain(f, 2, time.Second, true)
				if c.arrange != nil {
					c.arrange(f)
				}
				f.boot()
				var o *tiers.TierOrder
				if c.order != "" {
					o = order(t, c.order)
				}
				e := resumed(t, f, &c.inspector, o)
				if e.err == nil || !c.wants(e.err) || !strings.Contains(e.err.Error(), c.message) {
					t.Errorf("err = %T %v, want it to say %q", e.err, e.err, c.message)
				}
				if len(f.writes) != 0 {
					t.Errorf("wrote %q", f.writes)
				}
				e.isRefused(t, c.checks)
			})
		})
	}
}

// isRefused checks that a run was told whole, though it never had a plan.
func (e *ended) isRefused(t *testing.T, checks int) {
	t.Helper()
	want := []string{"PlanReady"}
	for range checks {
		want = append(want, "PreflightChecked")
	}
	if diff := cmp.Diff(append(want, "RunFinished"), e.told()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if !errors.Is(e.state.Err, e.err) || len(e.state.Steps) != 0 || e.events[0].Run != "test" {
		t.Errorf("the run ended with %v and %d steps, want %v and none", e.state.Err, len(e.state.Steps), e.err)
	}
}

// is reports whether err has a T in its chain.
func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
