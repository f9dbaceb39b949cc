package bootstrap_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func TestSuspendedInGitIsLeftAndWhatIsBehindIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 2, 100*time.Millisecond, true)
		f.add("db", behaviour{takes: time.Second}, "t00").Spec.Suspend = true
		f.inGit[tiers.KustomizationRef("flux-system", "db")] = true
		f.add("app", behaviour{takes: time.Second}, "db").Spec.Suspend = true
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if got := fmt.Sprint(f.writes); got != "[resume t00 resume t01]" {
			t.Errorf("writes = %s, want db and app left alone", got)
		}
		if got := fmt.Sprint(e.state.Plan.Left); !strings.Contains(got, "app") {
			t.Errorf("left = %s, want app behind db", got)
		}
	})
}

func TestAnOptionalTierFailsWithoutEndingTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("nice", behaviour{takes: time.Second, outcome: buildFails("kustomize build failed: no")})
		f.add("must", behaviour{takes: time.Second})
		f.boot()
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: nice, optional: true}, {name: must}]"), nil)
		succeeded(t, e)
		if e.state.Count(event.Failed) != 1 || len(e.state.Warnings) == 0 {
			t.Errorf("%d failed and %d warnings, want the failure reported", e.state.Count(event.Failed), len(e.state.Warnings))
		}
	})
}

func TestWhatNeedsAnOptionalTierThatFailedIsNotSilentlyLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("nice", behaviour{takes: time.Second, outcome: buildFails("kustomize build failed: no")})
		f.add("must", behaviour{takes: time.Second}, "nice")
		f.boot()
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: nice, optional: true}, {name: must}]"), nil)
		if failure := onlyFailure(t, e); failure.Step.Object.Name != "nice" {
			t.Errorf("failure = %v, want nice", failure)
		}
	})
}

func TestKeepGoingFinishesIndependentBranches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("bad", behaviour{takes: time.Second, outcome: buildFails("kustomize build failed: no")})
		f.add("behind", behaviour{takes: time.Second}, "bad")
		f.add("good", behaviour{takes: 10 * time.Second})
		f.boot()
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: bad}, {name: behind}, {name: good}]"), func(s *bootstrap.Sequencer) { s.KeepGoing = true })
		if failure := onlyFailure(t, e); failure.Step.Object.Name != "bad" {
			t.Errorf("failure = %v, want bad", failure)
		}
		for name, want := range map[string]event.Outcome{"behind": event.Skipped, "good": event.Succeeded} {
			if s, _ := e.state.Step(tiers.StepID("ready:Kustomization/flux-system/" + name)); s.Outcome != want {
				t.Errorf("%s: %s, want %s", name, s.Outcome, want)
			}
		}
	})
}

func TestBarriersOrderTiersThatDoNotDependOnEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		for _, n := range []string{"b", "a"} {
			f.add(n, behaviour{takes: time.Second}).Spec.Suspend = true
		}
		f.boot()
		succeeded(t, stand(t, t.Context(), f, order(t, "tiers: [{name: b}, {name: a}]"), nil))
		if got := fmt.Sprint(f.writes); got != "[resume b resume a]" {
			t.Errorf("writes = %s, want b before a", got)
		}
	})
}

func TestAtMostParallelAreDrivenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		names := []string{}
		for i := range 6 {
			n := fmt.Sprintf("k%d", i)
			names = append(names, n)
			f.add(n, behaviour{takes: time.Second}).Spec.Suspend = true
		}
		f.boot()
		e := stand(t, t.Context(), f, order(t, "defaults: {parallel: 2}\ntiers: [{name: all, kustomizations: ["+strings.Join(names, ", ")+"]}]"), nil)
		succeeded(t, e)
		if e.took < 3*time.Second || e.took > 4*time.Second {
			t.Errorf("six seconds of work, two at a time, took %s", e.took)
		}
	})
}

func TestChildrenThatAppearAreAddedToThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("root", behaviour{takes: time.Second, applied: func(f *flux) {
			for _, n := range []string{"one", "two"} {
				deps := []string{}
				if n == "two" {
					deps = append(deps, "one")
				}
				k := f.add(n, behaviour{takes: time.Second}, deps...)
				k.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": "root", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
				f.wake(tiers.KustomizationRef("flux-system", n))
			}
		}})
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		for _, n := range []string{"one", "two"} {
			if s, ok := e.state.Step(tiers.StepID("ready:Kustomization/flux-system/" + n)); !ok || s.Outcome != event.Succeeded {
				t.Errorf("%s: planned %v, %s; want it added and Succeeded", n, ok, s.Outcome)
			}
		}
		if e.took > 5*time.Second {
			t.Errorf("took %s for three seconds of work", e.took)
		}
	})
}

func TestAListedKustomizationThatNobodyAppliesEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("root", behaviour{takes: time.Second})
		f.boot()
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: root}, {name: ghost}]"), nil)
		failure := onlyFailure(t, e)
		if failure.Seen.Cause.Kind != waiters.NotApplied || e.took > time.Minute {
			t.Errorf("after %s: %v (%s), want NotApplied well before the time-out", e.took, failure, failure.Seen.Cause.Kind)
		}
	})
}

func TestAWriteThatFailsForAWhileIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 3, 100*time.Millisecond, true)
		f.boot()
		start := time.Now()
		f.writeErr = func(string, tiers.Ref) error {
			if time.Since(start) < 45*time.Second {
				return errors.New("the server is currently unable to handle the request")
			}
			return nil
		}
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if e.took > 50*time.Second {
			t.Errorf("took %s after 45 s without writes", e.took)
		}
	})
}

func TestAWriteThatIsRefusedEndsTheRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 3, 100*time.Millisecond, true)
		f.boot()
		refused := errors.New("forbidden")
		f.writeErr = func(string, tiers.Ref) error { return waiters.TerminalError(refused) }
		e := stand(t, t.Context(), f, nil, nil)
		if !errors.Is(e.err, refused) || e.took > time.Second {
			t.Errorf("after %s: %v, want the refusal at once", e.took, e.err)
		}
	})
}

func TestALostLockEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := errors.New("another run holds the lock")
		fatal := make(chan error, 1)
		f := newFlux()
		chain(f, 10, 300*time.Millisecond, true)
		f.boot()
		time.AfterFunc(time.Second, func() { fatal <- lost })
		e := stand(t, t.Context(), f, nil, func(s *bootstrap.Sequencer) { s.Fatal = fatal })
		if !errors.Is(e.err, lost) || e.took != time.Second {
			t.Errorf("after %s: %v, want the loss at once", e.took, e.err)
		}
	})
}

func TestADependencyThatDoesNotExistIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("app", behaviour{takes: time.Second}, "databse")
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		failure := onlyFailure(t, e)
		if failure.Seen.Cause.Kind != waiters.DependencyNotFound || !strings.Contains(failure.Seen.Cause.Subject, "databse") {
			t.Errorf("failure = %v (%+v)", failure, failure.Seen.Cause)
		}
	})
}

func TestAThousandKustomizationsTakeTheTimeOfTheirWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		for level := range 10 {
			for i := range 100 {
				var deps []string
				if level > 0 {
					deps = []string{fmt.Sprintf("l%d-%d", level-1, i)}
				}
				f.add(fmt.Sprintf("l%d-%d", level, i), behaviour{takes: 100 * time.Millisecond}, deps...).Spec.Suspend = true
			}
		}
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if n := e.state.Count(event.Succeeded); n < 2000 {
			t.Errorf("%d steps succeeded, want a resume and a ready for each", n)
		}
	})
}
