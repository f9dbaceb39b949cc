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

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// sameSet is the wedge of production: a namespace and the CDI of "storage",
// whose StorageProfile keeps both out.
func sameSet() *wedge.Diagnosis {
	return lacks(wedge.SameSet, seedOf("Namespace", "storage", "the CDI needs it"), seedOf("CDI", "storage", "it brings StorageProfile"))
}

func (e *ended) outcome(id string) event.Outcome {
	s, _ := e.state.Step(tiers.StepID(id))
	return s.Outcome
}

func TestAWedgeThatAppearsInMidRunIsBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(20*time.Second)
		f.add("crds", behaviour{takes: time.Second}).Spec.Suspend = true
		f.wedged(s, "storage", sameSet(), "crds").Spec.Suspend = true
		f.add("apps", behaviour{takes: time.Second}, "storage").Spec.Suspend = true
		f.boot()
		e := stand(t, t.Context(), f, nil, s.in)
		succeeded(t, e)
		if diff := cmp.Diff([]string{"try Namespace", "apply Namespace", "try CDI", "apply CDI"}, s.writes); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
		if e.took > 30*time.Second {
			t.Errorf("took %s for a kind that comes 20s after its provider", e.took)
		}
		if got := e.extensions(); len(got) != 1 || !strings.HasPrefix(got[0], "Kustomization/flux-system/storage is wedged: StorageProfile.cdi.kubevirt.io comes with CDI/the-CDI") {
			t.Errorf("extended because %q", got)
		}
		for _, id := range []string{
			"pre-apply:Namespace/the-Namespace", "pre-apply:CDI/the-CDI", "served:kind/StorageProfile.cdi.kubevirt.io",
			"ready:Kustomization/flux-system/storage", "handover:Namespace/the-Namespace", "handover:CDI/the-CDI",
		} {
			if got := e.outcome(id); got != event.Succeeded {
				t.Errorf("%s: %s", id, got)
			}
		}
		if n := strings.Count(fmt.Sprint(f.writes), "nudge storage"); n != 1 {
			t.Errorf("writes = %q, want one nudge, when the kind was served", f.writes)
		}
	})
}

func TestWhatWasAppliedEarlyIsAsItsKustomizationWouldAndNamesTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		d := sameSet()
		f.wedged(s, "storage", d)
		f.plans[tiers.KustomizationRef("flux-system", "storage")].applied = nil // nobody adopts
		f.boot()
		e := stand(t, t.Context(), f, nil, s.in)
		cdi := s.objects[tiers.Ref{Kind: "CDI", Name: "the-CDI"}]
		if diff := cmp.Diff(map[string]string{bootstrap.PreApplied: "test"}, cdi.GetAnnotations()); diff != "" {
			t.Errorf("annotations (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]string{"kustomize.toolkit.fluxcd.io/name": "storage", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}, cdi.GetLabels()); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if d.Seeds[1].Object.GetAnnotations() != nil {
			t.Error("the seed itself was changed")
		}
		failure := onlyFailure(t, e)
		if failure.Step.Verb != tiers.Handover || !errors.Is(e.err, bootstrap.ErrOutOfTime) || !strings.Contains(failure.Error(), "yet to be applied by Flux") {
			t.Errorf("failure = %v, want a handover that did not come", failure)
		}
	})
}

// The steps of a repair, whole.
func TestTheStepsThatBreakAWedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		widget := profile.GroupVersion().WithKind("CDI")
		f.wedged(s, "storage", lacks(wedge.SameSet,
			seedOf("HelmRelease", "storage", "it brings CDI"), seedOf("Secret", "other", "the CDI needs it"), seedOf("CDI", "storage", "it brings StorageProfile", widget)))
		f.boot()
		e := stand(t, t.Context(), f, nil, s.in)
		succeeded(t, e)
		var steps []tiers.Step
		for _, ev := range e.events {
			if b, ok := ev.Body.(event.PlanExtended); ok {
				steps = append(steps, b.Steps...)
			}
		}
		want := `0 pre-apply:HelmRelease/the-HelmRelease <- [] # it brings CDI
0 pre-apply:Secret/the-Secret <- [pre-apply:HelmRelease/the-HelmRelease] # the CDI needs it
0 served:kind/CDI.cdi.kubevirt.io <- [pre-apply:Secret/the-Secret] # CDI/the-CDI is of that kind
0 pre-apply:CDI/the-CDI <- [pre-apply:Secret/the-Secret served:kind/CDI.cdi.kubevirt.io] # it brings StorageProfile
0 served:kind/StorageProfile.cdi.kubevirt.io <- [pre-apply:CDI/the-CDI] # StorageProfile/longhorn uses it, and CDI/the-CDI brings it
0 handover:HelmRelease/the-HelmRelease <- [pre-apply:HelmRelease/the-HelmRelease ready:Kustomization/flux-system/storage] # Kustomization/flux-system/storage makes it its own when it applies its set
0 handover:CDI/the-CDI <- [pre-apply:CDI/the-CDI ready:Kustomization/flux-system/storage] # Kustomization/flux-system/storage makes it its own when it applies its set
`
		tier := steps[0].Tier
		got := strings.ReplaceAll("\n"+(&tiers.Plan{Steps: steps}).String(), "\n"+tier+" ", "\n0 ")[1:]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, st := range steps {
			if st.Timeout != bootstrap.DefaultPatience || st.Tier != tier {
				t.Errorf("%s: time-out %s in tier %q", st.ID, st.Timeout, st.Tier)
			}
		}
	})
}

func TestWithoutLeaveAWedgeIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "storage", sameSet())
		f.boot()
		e := stand(t, t.Context(), f, nil, func(q *bootstrap.Sequencer) { q.Looker = s })
		failure := onlyFailure(t, e)
		if failure.Seen.Cause.Kind != waiters.MissingKind || len(s.writes)+len(s.diagnosed) > 0 {
			t.Errorf("failure = %v, wrote %q, diagnosed %q", failure, s.writes, s.diagnosed)
		}
	})
}

func TestAWedgeThatCannotBeBrokenEndsTheRunWithItsDiagnosis(t *testing.T) {
	for name, d := range map[string]*wedge.Diagnosis{
		"nothing brings the kind": lacks(wedge.NoCreator),
		"something is unmet":      {Missing: sameSet().Missing, Seeds: sameSet().Seeds, Unmet: []wedge.Unmet{{What: "Secret/a/b is needed"}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFlux(), newShop(time.Second)
				f.wedged(s, "storage", d)
				f.boot()
				e := stand(t, t.Context(), f, nil, s.in)
				found, is := errors.AsType[*wedge.Error](e.err)
				if !is || found.Diagnoses[0].Kustomization.Name != "storage" || len(s.writes) > 0 {
					t.Errorf("err = %v, wrote %q", e.err, s.writes)
				}
				if e.took > bootstrap.DefaultPatience+10*time.Second {
					t.Errorf("took %s", e.took)
				}
				if n := len(s.diagnosed); n < 2 {
					t.Errorf("looked %d times: what brings the kind may have come since", n)
				}
			})
		})
	}
}

func TestWhatIsWrongWithADiagnosisIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "storage", sameSet())
		s.cannot = errors.New("the artifact cannot be read")
		f.boot()
		e := stand(t, t.Context(), f, nil, s.in)
		failure := onlyFailure(t, e)
		if got := fmt.Sprint(e.state.Warnings); failure.Seen.Cause.Kind != waiters.MissingKind || strings.Count(got, "the artifact cannot be read") != 1 {
			t.Errorf("warnings = %s", got)
		}
	})
}

// A kind that comes by itself is waited for, and nothing is applied early.
func TestAKindThatIsComingIsNoWedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "storage", lacks(wedge.Coming, seedOf("CDI", "crds", "")))
		f.add("crds", behaviour{takes: 40 * time.Second, applied: func(*flux) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.has(seedOf("CDI", "crds", "").Object, "kustomize-controller")
		}})
		f.boot()
		e := stand(t, t.Context(), f, nil, s.in)
		succeeded(t, e)
		if len(s.writes) > 0 || len(e.extensions()) > 0 {
			t.Errorf("wrote %q, extended because %q", s.writes, e.extensions())
		}
	})
}

// A run that is killed anywhere leaves nothing that the next cannot go on from.
func TestARepairThatIsKilledIsCarriedOnByTheNextRun(t *testing.T) {
	for at := 100 * time.Millisecond; at < 30*time.Second; at = at * 5 / 4 {
		t.Run(at.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFlux(), newShop(20*time.Second)
				f.wedged(s, "storage", sameSet())
				f.boot()
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(at, func() { cancel(errInterrupted) })
				first := stand(t, ctx, f, nil, s.in)
				f.mu.Lock()
				f.stopped = false
				f.busy, f.again = map[tiers.Ref]bool{}, map[tiers.Ref]bool{}
				f.wake(tiers.KustomizationRef("flux-system", "storage"))
				f.mu.Unlock()
				e := stand(t, t.Context(), f, nil, s.in)
				succeeded(t, e)
				applied := slices.DeleteFunc(slices.Clone(s.writes), func(w string) bool { return !strings.HasPrefix(w, "apply ") })
				if diff := cmp.Diff([]string{"apply Namespace", "apply CDI"}, applied); diff != "" {
					t.Errorf("the first run ended with %v; applied (-want +got):\n%s", first.err, diff)
				}
				for ref, o := range s.objects {
					if len(o.GetAnnotations()) > 0 {
						t.Errorf("%s was not handed over", ref)
					}
				}
			})
		})
	}
}
