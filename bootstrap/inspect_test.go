package bootstrap_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

const web, db = "apps_web_apps_Deployment", "apps_db_apps_Deployment"

// over makes a sequencer look at o.
func over(o *objects) func(*bootstrap.Sequencer) {
	return func(s *bootstrap.Sequencer) { s.Looker = o }
}

// sights lists what was told to be seen of one step, without repetition.
func (e *ended) sights(id tiers.StepID) []string {
	var out []string
	for _, ev := range e.events {
		if b, ok := ev.Body.(event.StepObserved); ok && b.Step == id {
			out = append(out, b.Seen.State.String()+" "+b.Seen.Message)
		}
	}
	return out
}

func readyStep(name string) tiers.StepID {
	return tiers.StepID("ready:Kustomization/flux-system/" + name)
}

func TestWithoutWaitASetPassesOnlyWhenWhatItAppliedIsCurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := newFlux(), time.Now()
		applies(f.add("apps", behaviour{takes: time.Second}), web, db)
		f.boot()
		o := &objects{found: map[string]func() *unstructured.Unstructured{
			"Deployment/apps/web": until(start.Add(20*time.Second), nil, deployment("web", 1)),
			"Deployment/apps/db":  until(start.Add(30*time.Second), deployment("db", 0), deployment("db", 1)),
		}}
		e := stand(t, t.Context(), f, nil, over(o))
		succeeded(t, e)
		if e.took < 29*time.Second || e.took > 35*time.Second {
			t.Errorf("took %s, want soon after db was available at 30s", e.took)
		}
		want := []string{
			"Progressing Reconciliation in progress",
			"Progressing applied; looking at its 2 objects",
			"Missing Deployment/apps/web: does not exist (1 more to look at)",
			"Progressing Deployment/apps/db: 0 of 1 available",
			"Ready everything applied is current",
			"Ready Applied revision: main@sha1:1",
		}
		if diff := cmp.Diff(want, e.sights(readyStep("apps"))); diff != "" {
			t.Errorf("seen (-want +got):\n%s", diff)
		}
		if n := o.looked("Deployment/apps/db"); n == 0 || o.looked("Deployment/apps/web") > 12 {
			t.Errorf("web was looked at %d times, want no more once it was current", o.looked("Deployment/apps/web"))
		}
		if len(f.writes) != 0 {
			t.Errorf("wrote %q for want of patience", f.writes)
		}
	})
}

func TestWhatComesNextWaitsForWhatWasApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := newFlux(), time.Now()
		applies(f.add("apps", behaviour{takes: time.Second}), web).Spec.Suspend = true
		f.add("next", behaviour{takes: time.Second}).Spec.Suspend = true
		f.boot()
		o := &objects{found: map[string]func() *unstructured.Unstructured{
			"Deployment/apps/web": until(start.Add(15*time.Second), deployment("web", 0), deployment("web", 1)),
		}}
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: apps}, {name: next}]"), over(o))
		succeeded(t, e)
		s, _ := e.state.Step("resume:Kustomization/flux-system/next")
		if wait := s.Started.Sub(start); wait < 15*time.Second || wait > 19*time.Second {
			t.Errorf("the next tier started after %s, want soon after web was available at 15s", wait)
		}
	})
}

func TestAnAppliedObjectThatFailedForGoodFailsItsStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		applies(f.add("apps", behaviour{takes: time.Second}), web, db)
		f.add("behind", behaviour{takes: time.Second}, "apps").Spec.Suspend = true
		f.boot()
		o := &objects{found: map[string]func() *unstructured.Unstructured{"Deployment/apps/web": always(deployment("web", 0, exceeded()))}}
		e := stand(t, t.Context(), f, nil, over(o))
		failure := onlyFailure(t, e)
		if failure.Seen.State != waiters.Stalled || !strings.Contains(failure.Error(), "Deployment/apps/web") || e.took > 5*time.Second {
			t.Errorf("after %s: %v, want web stalled", e.took, failure)
		}
		if s, _ := e.state.Step(readyStep("behind")); s.Because != string(readyStep("apps")) {
			t.Errorf("behind was skipped because %q", s.Because)
		}
	})
}

func TestTheTimeOutNamesTheObjectThatWasNotCurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		applies(f.add("apps", behaviour{takes: time.Second}), web)
		f.boot()
		o := &objects{found: map[string]func() *unstructured.Unstructured{"Deployment/apps/web": always(deployment("web", 0))}}
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: apps, timeout: 3m}]"), over(o))
		failure := onlyFailure(t, e)
		if !errors.Is(e.err, bootstrap.ErrOutOfTime) || !strings.Contains(failure.Error(), "Deployment/apps/web: 0 of 1 available") || e.took != 3*time.Minute {
			t.Errorf("after %s: %v", e.took, failure)
		}
	})
}

func TestACustomResourceWithoutAStatusIsNotReady(t *testing.T) {
	for name, c := range map[string]struct {
		stateful      bool
		atLeast, most time.Duration
	}{
		"whose kind has a status": {true, 10 * time.Second, 14 * time.Second},
		"whose kind has none":     {false, 0, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, start := newFlux(), time.Now()
				applies(f.add("apps", behaviour{takes: time.Second}), "apps_w_example.org_Widget")
				f.boot()
				o := &objects{
					stateful: map[string]bool{"Widget": c.stateful},
					found: map[string]func() *unstructured.Unstructured{
						"Widget/apps/w": until(start.Add(10*time.Second), widget(nil), widget(map[string]any{"phase": "Deployed"})),
					},
				}
				e := stand(t, t.Context(), f, nil, over(o))
				succeeded(t, e)
				if e.took < c.atLeast || e.took > c.most {
					t.Errorf("took %s, want %s to %s", e.took, c.atLeast, c.most)
				}
			})
		})
	}
}

func TestWhatIsWatchedOrSecretIsNeverLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		applies(f.add("root", behaviour{takes: time.Second}),
			"apps_token__Secret", "flux-system_apps_kustomize.toolkit.fluxcd.io_Kustomization", "flux-system_s_source.toolkit.fluxcd.io_GitRepository",
			"_view_rbac.authorization.k8s.io_ClusterRole", "nonsense", web)
		owned(f.add("apps", behaviour{takes: time.Minute}), "flux-system", "root")
		f.boot()
		o := &objects{found: map[string]func() *unstructured.Unstructured{"Deployment/apps/web": always(deployment("web", 1))}}
		e := stand(t, t.Context(), f, nil, over(o))
		succeeded(t, e)
		if diff := cmp.Diff([]string{"Deployment"}, o.kinds()); diff != "" {
			t.Errorf("looked at kinds (-want +got):\n%s", diff)
		}
		if s, _ := e.state.Step(readyStep("root")); s.Finished.Sub(s.Started) > 5*time.Second {
			t.Errorf("the root took %s: it was made to wait for its child", s.Finished.Sub(s.Started))
		}
	})
}

func TestALookThatFailsIsTriedAgainUnlessItIsRefused(t *testing.T) {
	refused := errors.New("deployments.apps is forbidden")
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"down for a while": {errors.New("connection refused"), nil},
		"forbidden":        {waiters.TerminalError(refused), refused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, start := newFlux(), time.Now()
				applies(f.add("apps", behaviour{takes: time.Second}), web)
				f.boot()
				o := &objects{
					found: map[string]func() *unstructured.Unstructured{"Deployment/apps/web": always(deployment("web", 1))},
					fail: func() error {
						if time.Since(start) > 20*time.Second {
							return nil
						}
						return c.err
					},
				}
				e := stand(t, t.Context(), f, nil, over(o))
				if !errors.Is(e.err, c.want) {
					t.Errorf("err = %v, want %v", e.err, c.want)
				}
				if limit := 25 * time.Second; e.took > limit || c.want != nil && e.took > 2*time.Second {
					t.Errorf("took %s", e.took)
				}
			})
		})
	}
}

func TestANewRevisionInMidInspectionStartsItAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := newFlux(), time.Now()
		k := applies(f.add("apps", behaviour{takes: time.Second}), web)
		f.boot()
		// At the first revision web never comes up; the second replaces it by db.
		time.AfterFunc(20*time.Second, func() {
			f.mu.Lock()
			k.Status.Inventory = inventoryOf(db)
			f.mu.Unlock()
			f.commit("main@sha1:2")
		})
		o := &objects{found: map[string]func() *unstructured.Unstructured{
			"Deployment/apps/web": always(deployment("web", 0)),
			"Deployment/apps/db":  until(start.Add(40*time.Second), deployment("db", 0), deployment("db", 1)),
		}}
		e := stand(t, t.Context(), f, nil, over(o))
		succeeded(t, e)
		if e.took < 39*time.Second || e.took > 45*time.Second {
			t.Errorf("took %s, want soon after db was available at 40s", e.took)
		}
		s, _ := e.state.Step(readyStep("apps"))
		if s.Seen.Revision != "main@sha1:2" || len(e.state.Moves) != 1 {
			t.Errorf("ended at %s after %d moves", s.Seen.Revision, len(e.state.Moves))
		}
	})
}

// A set that waits is judged by its controller; standup only says what for.
func TestALongHealthCheckIsExplained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := newFlux(), time.Now()
		f.add("apps", behaviour{takes: 60 * time.Second}).Status.Inventory = inventoryOf(web, db)
		f.boot()
		o := &objects{found: map[string]func() *unstructured.Unstructured{
			"Deployment/apps/web": until(start.Add(30*time.Second), deployment("web", 0), deployment("web", 1)),
			"Deployment/apps/db":  always(deployment("db", 0)),
		}}
		e := stand(t, t.Context(), f, nil, over(o))
		succeeded(t, e)
		want := []string{
			"Progressing Reconciliation in progress",
			"Progressing Deployment/apps/web: 0 of 1 available (1 more to look at)",
			"Progressing Deployment/apps/db: 0 of 1 available",
			"Ready Applied revision: main@sha1:1",
		}
		if diff := cmp.Diff(want, e.sights(readyStep("apps"))); diff != "" {
			t.Errorf("seen (-want +got):\n%s", diff)
		}
		if n := o.looked("Deployment/apps/web"); n < 8 || n > 10 {
			t.Errorf("web was looked at %d times in a minute, want one look every %s", n, bootstrap.DefaultPace().Explain)
		}
	})
}

func TestAShortHealthCheckIsNotLookedInto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("apps", behaviour{takes: 5 * time.Second}).Status.Inventory = inventoryOf(web)
		f.boot()
		o := &objects{}
		succeeded(t, stand(t, t.Context(), f, nil, over(o)))
		if len(o.looks) != 0 {
			t.Errorf("looked at %q", o.looks)
		}
	})
}

func TestWhatCannotBeLookedIntoIsNotExplained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("apps", behaviour{takes: 20 * time.Second}).Status.Inventory = inventoryOf(web)
		f.boot()
		o := &objects{fail: func() error { return waiters.TerminalError(errors.New("forbidden")) }}
		e := stand(t, t.Context(), f, nil, over(o))
		succeeded(t, e)
		if got := e.sights(readyStep("apps")); len(got) != 2 {
			t.Errorf("seen %q, want what the controller says", got)
		}
	})
}

func TestAnExplanationIsTakenBackWhenItIsHealthy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := newFlux(), time.Now()
		f.add("apps", behaviour{takes: 60 * time.Second}).Status.Inventory = inventoryOf(web)
		f.boot()
		o := &objects{found: map[string]func() *unstructured.Unstructured{
			"Deployment/apps/web": until(start.Add(10*time.Second), deployment("web", 0), deployment("web", 1)),
		}}
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: apps, timeout: 40s}]"), over(o))
		failure := onlyFailure(t, e)
		if strings.Contains(failure.Error(), "Deployment/apps/web") {
			t.Errorf("%v, and web has been available for half a minute", failure)
		}
	})
}
