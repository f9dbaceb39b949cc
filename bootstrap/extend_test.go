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

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// breaks makes an object turn not Ready after it had been Ready.
func (f *flux) breaks(name, message string) {
	ref := tiers.KustomizationRef("flux-system", name)
	f.condition(f.objects[ref], metav1.ConditionFalse, "ReconciliationFailed", message)
	f.touch(ref)
}

// suspends is somebody's kubectl patch.
func (f *flux) suspends(name string) {
	ref := tiers.KustomizationRef("flux-system", name)
	f.objects[ref].Spec.Suspend = true
	f.objects[ref].Generation++
	f.touch(ref)
}

// deletes takes an object away.
func (f *flux) deletes(name string) {
	ref := tiers.KustomizationRef("flux-system", name)
	delete(f.objects, ref)
	f.touch(ref)
}

// brings is an applied that makes a child of root.
func brings(name string, b behaviour, change func(*flux, *kustomizev1.Kustomization)) func(*flux) {
	done := false
	return func(f *flux) {
		if done {
			return
		}
		done = true
		k := f.add(name, b)
		owned(k, "flux-system", "root")
		if change != nil {
			change(f, k)
		}
		f.wake(tiers.KustomizationRef("flux-system", name))
	}
}

// extensions lists why the plan was extended.
func (e *ended) extensions() []string {
	var causes []string
	for _, ev := range e.events {
		if b, ok := ev.Body.(event.PlanExtended); ok {
			causes = append(causes, b.Cause)
		}
	}
	return causes
}

const denied = `ConfigMap/default/x dry-run failed (Forbidden): etcdserver: request timed out`

func TestWhatIsReadyNoLongerIsDrivenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 3, 5*time.Second, true)
		f.boot()
		f.after(8*time.Second, func() { f.breaks("t00", denied) })
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		for id, want := range map[tiers.StepID]event.Outcome{readyStep("t00"): event.Succeeded, readyStep("t00") + "#2": event.Succeeded} {
			if s, ok := e.state.Step(id); !ok || s.Outcome != want {
				t.Errorf("%s: %s, want %s", id, s.Outcome, want)
			}
		}
		if got := e.extensions(); len(got) != 1 || got[0] != "what was Ready is no longer" {
			t.Errorf("extended because %q", got)
		}
		if s, _ := e.state.Step(readyStep("t00") + "#2"); s.Nudges != 1 {
			t.Errorf("%d nudges, want one", s.Nudges)
		}
	})
}

func TestWhatFailsForGoodAfterItWasReadyEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("first", behaviour{takes: time.Second, outcome: func(n int) (string, string) {
			if n > 1 {
				return "BuildFailed", "kustomize build failed: no"
			}
			return "", ""
		}}).Spec.Suspend = true
		f.add("second", behaviour{takes: time.Minute}).Spec.Suspend = true
		f.add("third", behaviour{takes: time.Minute}, "second").Spec.Suspend = true
		f.boot()
		f.after(10*time.Second, func() { f.wake(tiers.KustomizationRef("flux-system", "first")) })
		e := stand(t, t.Context(), f, nil, nil)
		failure := onlyFailure(t, e)
		if failure.Step.ID != readyStep("first")+"#2" || failure.Seen.Cause.Kind != waiters.BuildFailed || e.took > 20*time.Second {
			t.Errorf("after %s: %v", e.took, failure)
		}
		if slices.Contains(f.writes, "resume third") {
			t.Errorf("writes = %q", f.writes)
		}
	})
}

func TestTheFinalSweepFindsWhatFellBehindUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 2, time.Second, true)
		// A last object that, as it turns Ready, sets an earlier one back to an
		// older revision: not a state that any event of its own would report.
		f.add("last", behaviour{takes: time.Second, applied: func(f *flux) {
			ref := tiers.KustomizationRef("flux-system", "t01")
			f.objects[ref].Status.LastAppliedRevision = "main@sha1:0"
			f.touch(ref)
			f.after(300*time.Millisecond, func() { f.wake(ref) })
		}}, "t01").Spec.Suspend = true
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if got := e.extensions(); len(got) != 1 || got[0] != "the final sweep found work to do" {
			t.Errorf("extended because %q", got)
		}
		if k := f.Kustomization(tiers.KustomizationRef("flux-system", "t01")); k.Status.LastAppliedRevision != "main@sha1:1" {
			t.Errorf("t01 is at %s", k.Status.LastAppliedRevision)
		}
	})
}

func TestWhatNeverStaysReadyDoesNotEndWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("flaps", behaviour{takes: 100 * time.Millisecond, applied: func(f *flux) {
			f.after(50*time.Millisecond, func() { f.breaks("flaps", denied) })
		}})
		f.add("long", behaviour{takes: 20 * time.Minute})
		f.boot()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		e := stand(t, ctx, f, order(t, "defaults: {timeout: 1h}\ntiers: [{name: all, kustomizations: [flaps, long]}]"), nil)
		if n := len(e.extensions()); n > 10 {
			t.Errorf("driven again %d times, want an end to it", n)
		}
		if e.err == nil {
			t.Errorf("the run ended well, and flaps is %s", bootstrap.Look(f, tiers.KustomizationRef("flux-system", "flaps")).State)
		}
	})
}

func TestAnObjectThatIsDeletedInMidRun(t *testing.T) {
	for name, c := range map[string]struct {
		victim string
		at     time.Duration
		want   event.Outcome // of the victim's Ready
	}{
		"while it is driven":                   {"t02", 4500 * time.Millisecond, event.Skipped},
		"before it is driven":                  {"t02", 500 * time.Millisecond, event.Skipped},
		"after it was, and something needs it": {"t01", 4500 * time.Millisecond, event.Succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				chain(f, 3, 2*time.Second, true)
				f.boot()
				f.after(c.at, func() { f.deletes(c.victim) })
				e := stand(t, t.Context(), f, nil, nil)
				succeeded(t, e)
				s, _ := e.state.Step(readyStep(c.victim))
				if s.Outcome != c.want || c.want == event.Skipped && !strings.Contains(s.Because, c.victim) {
					t.Errorf("%s: %s because %q, want %s", c.victim, s.Outcome, s.Because, c.want)
				}
			})
		})
	}
}

func TestWhatIsBehindADeletedObjectIsNotSilentlyLeftOut(t *testing.T) {
	for name, at := range map[string]time.Duration{"while it is driven": 3 * time.Second, "before it is driven": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				chain(f, 3, 2*time.Second, true)
				f.boot()
				f.after(at, func() { f.deletes("t01") })
				e := stand(t, t.Context(), f, nil, nil)
				if s, _ := e.state.Step(readyStep("t02")); e.err == nil {
					t.Errorf("t02 is %s because %q, and the run ended well", s.Outcome, s.Because)
				}
			})
		})
	}
}

func TestAnObjectThatSomebodySuspendsInMidRunFailsItsStep(t *testing.T) {
	for name, at := range map[string]time.Duration{"while it is driven": 2500 * time.Millisecond, "after it was Ready": 5 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				chain(f, 4, 2*time.Second, true)
				f.boot()
				f.after(at, func() { f.suspends("t01") })
				e := stand(t, t.Context(), f, nil, nil)
				failure := onlyFailure(t, e)
				if failure.Step.Object.Name != "t01" || !strings.Contains(failure.Error(), "was suspended again during the run") {
					t.Errorf("failure = %v", failure)
				}
				if e.took > at+time.Second {
					t.Errorf("took %s to notice what happened at %s", e.took, at)
				}
				if n := strings.Count(fmt.Sprint(f.writes), "resume t01"); n != 1 {
					t.Errorf("t01 was resumed %d times: somebody wants it suspended", n)
				}
			})
		})
	}
}

func TestAnObjectThatGitSuspendsInMidRunIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 3, 2*time.Second, true)
		f.boot()
		f.after(3*time.Second, func() {
			f.inGit[tiers.KustomizationRef("flux-system", "t01")] = true
			f.suspends("t01")
		})
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if s, _ := e.state.Step(readyStep("t01")); s.Outcome != event.Skipped || !strings.Contains(s.Because, "suspended in git") {
			t.Errorf("t01: %s because %q", s.Outcome, s.Because)
		}
		if s, _ := e.state.Step(readyStep("t02")); s.Outcome != event.Skipped || !strings.Contains(s.Because, "t01 is suspended in git") {
			t.Errorf("t02: %s because %q", s.Outcome, s.Because)
		}
		if len(e.state.Warnings) == 0 || slices.Contains(f.writes, "resume t02") {
			t.Errorf("warnings %v, writes %q", e.state.Warnings, f.writes)
		}
	})
}

func TestAChildThatComesSuspendedInGitIsLeft(t *testing.T) {
	for name, text := range map[string]string{"listed": "tiers: [{name: root}, {name: gpu}, {name: last}]", "unlisted": "tiers: [{name: root}, {name: last}]"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				f.add("root", behaviour{takes: time.Second, applied: brings("gpu", behaviour{takes: time.Second}, func(f *flux, k *kustomizev1.Kustomization) {
					k.Spec.Suspend = true
					f.inGit[tiers.KustomizationRef("flux-system", "gpu")] = true
				})})
				f.add("last", behaviour{takes: time.Second}).Spec.Suspend = true
				f.boot()
				e := stand(t, t.Context(), f, order(t, text), nil)
				succeeded(t, e)
				if got := fmt.Sprint(f.writes); got != "[resume last]" || e.took > 10*time.Second {
					t.Errorf("writes = %s after %s, want gpu left and last driven", got, e.took)
				}
			})
		})
	}
}

func TestAChildThatComesSuspendedByNobodysWishIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("root", behaviour{takes: time.Second, applied: brings("child", behaviour{takes: time.Second}, func(_ *flux, k *kustomizev1.Kustomization) {
			k.Spec.Suspend = true
		})})
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if got := fmt.Sprint(f.writes); got != "[resume child]" {
			t.Errorf("writes = %s", got)
		}
		if s, ok := e.state.Step(readyStep("child")); !ok || s.Outcome != event.Succeeded {
			t.Errorf("child: %s", s.Outcome)
		}
	})
}

func TestAKustomizationThatNoTierListsAppearsInMidRun(t *testing.T) {
	for policy, c := range map[string]struct {
		fails  bool
		driven bool
	}{"wait": {driven: true}, "ignore": {}, "fail": {fails: true}} {
		t.Run(policy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				f.add("root", behaviour{takes: time.Second, applied: brings("surprise", behaviour{takes: time.Second}, nil)})
				f.add("last", behaviour{takes: 10 * time.Second}).Spec.Suspend = true
				f.boot()
				e := stand(t, t.Context(), f, order(t, "unlisted: "+policy+"\ntiers: [{name: root}, {name: last}]"), nil)
				if !c.fails {
					succeeded(t, e)
				} else if _, drift := errors.AsType[*tiers.DriftError](e.err); !drift || !strings.Contains(e.err.Error(), "surprise") || e.took > 2*time.Second {
					t.Errorf("after %s: %v, want a DriftError at once", e.took, e.err)
				}
				if s, ok := e.state.Step(readyStep("surprise")); ok != c.driven || ok && s.Outcome != event.Succeeded {
					t.Errorf("surprise is driven: %v, %s", ok, s.Outcome)
				}
				if e.state.Count(event.Failed) != 0 {
					t.Errorf("%d steps failed, want them cancelled", e.state.Count(event.Failed))
				}
			})
		})
	}
}

func TestAChildThatClosesACycleEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("root", behaviour{takes: time.Second, applied: brings("loop", behaviour{takes: time.Second}, func(_ *flux, k *kustomizev1.Kustomization) {
			k.Spec.DependsOn = []kustomizev1.DependencyReference{{Name: "waits"}}
		})})
		f.add("waits", behaviour{takes: time.Second}, "loop").Spec.Suspend = true
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		if _, cycle := errors.AsType[*tiers.CycleError](e.err); !cycle || e.took > 5*time.Second {
			t.Errorf("after %s: %v, want the cycle named", e.took, e.err)
		}
	})
}

// One batch of changes can both end the run and show that something fell back.
func TestARunThatHasEndedPlansNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("first", behaviour{takes: 100 * time.Millisecond})
		f.add("root", behaviour{takes: time.Second, applied: func(f *flux) {
			brings("surprise", behaviour{takes: time.Second}, nil)(f)
			f.breaks("first", denied)
		}})
		f.boot()
		e := stand(t, t.Context(), f, order(t, "unlisted: fail\ntiers: [{name: both, kustomizations: [first, root]}]"), nil)
		if _, drift := errors.AsType[*tiers.DriftError](e.err); !drift {
			t.Errorf("err = %v", e.err)
		}
	})
}

func TestAnObjectThatIsDeletedAndMadeAnewIsDrivenAgain(t *testing.T) {
	for name, at := range map[string]time.Duration{"while it is driven": 1500 * time.Millisecond, "before it is driven": 500 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				f.add("first", behaviour{takes: time.Second}).Spec.Suspend = true
				f.add("moved", behaviour{takes: time.Second}, "first").Spec.Suspend = true
				f.add("last", behaviour{takes: 10 * time.Second}).Spec.Suspend = true
				f.boot()
				ref := tiers.KustomizationRef("flux-system", "moved")
				f.after(at, func() { delete(f.objects, ref); f.touch(ref) })
				f.after(at+2*time.Second, func() {
					f.add("moved", behaviour{takes: time.Second}, "first")
					f.busy[ref], f.again[ref] = false, false
					f.wake(ref)
				})
				e := stand(t, t.Context(), f, nil, nil)
				succeeded(t, e)
				s, ok := e.state.Step(readyStep("moved") + "#2")
				if !ok || s.Outcome != event.Succeeded {
					t.Errorf("planned again: %v, %s; want it driven to Ready once more", ok, s.Outcome)
				}
			})
		})
	}
}
