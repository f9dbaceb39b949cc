package bootstrap_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// repaired runs over the wedge of production; arrange changes the cluster first.
func repaired(t *testing.T, after time.Duration, arrange func(*flux, *shop)) (*ended, *shop) {
	t.Helper()
	f, s := newFlux(), newShop(after)
	f.wedged(s, "storage", sameSet())
	if arrange != nil {
		arrange(f, s)
	}
	f.boot()
	return stand(t, t.Context(), f, nil, s.in), s
}

func (e *ended) acted(action event.Action) []string {
	var steps []string
	for _, ev := range e.events {
		if b, ok := ev.Body.(event.StepActed); ok && b.Action == action {
			steps = append(steps, string(b.Step))
		}
	}
	return steps
}

func TestAnObjectThatIsAbsentIsTriedAndThenApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := repaired(t, time.Second, nil)
		succeeded(t, e)
		if diff := cmp.Diff([]string{"pre-apply:Namespace/the-Namespace", "pre-apply:CDI/the-CDI"}, e.acted(event.PreApplied)); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

func TestAnObjectThatFluxHasAppliedIsLeftAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := repaired(t, 30*time.Second, func(_ *flux, s *shop) {
			s.has(sameSet().Seeds[0].Object, "kubectl-edit", "kustomize-controller")
			s.has(sameSet().Seeds[1].Object, "kustomize-controller")
		})
		succeeded(t, e)
		if len(s.writes) > 0 || strings.Contains(fmt.Sprint(e.state.Warnings), "belongs to") || len(e.acted(event.PreApplied)) > 0 {
			t.Errorf("wrote %q, warned %q", s.writes, e.state.Warnings)
		}
	})
}

func TestAnObjectOfSomebodyElseIsLeftAndNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := repaired(t, 30*time.Second, func(_ *flux, s *shop) {
			s.has(sameSet().Seeds[1].Object, "kubectl-client-side-apply", "helm", "helm")
		})
		succeeded(t, e)
		if diff := cmp.Diff([]string{"try Namespace", "apply Namespace"}, s.writes); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
		if got := fmt.Sprint(e.state.Warnings); !strings.Contains(got, "CDI/the-CDI exists already and belongs to helm, kubectl-client-side-apply: it is left as it is") {
			t.Errorf("warnings = %s", got)
		}
		if got := e.outcome("handover:CDI/the-CDI"); got != event.Succeeded {
			t.Errorf("handover of what was not ours: %s", got)
		}
	})
}

func TestAKindThatDoesNotComeNamesItsProvider(t *testing.T) {
	for name, c := range map[string]struct {
		arrange func(*flux, *shop)
		want    string
		late    bool
	}{
		"ours": {
			want: "StorageProfile.cdi.kubevirt.io was not served, although CDI/the-CDI, which brings it, exists", late: true,
		},
		"somebody else's": {
			arrange: func(_ *flux, s *shop) { s.has(sameSet().Seeds[1].Object, "helm") },
			want:    "StorageProfile.cdi.kubevirt.io was not served, although CDI/the-CDI, which brings it, exists; it belongs to helm and is not as git has it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, _ := repaired(t, time.Hour, c.arrange)
				lost, is := errors.AsType[*bootstrap.NotBroughtError](e.err)
				if !is || !strings.HasPrefix(lost.Error(), c.want) || lost.Provider.Kind != "CDI" {
					t.Fatalf("err = %v\nwant %s", e.err, c.want)
				}
				// Waiting longer helps only where git says what is there.
				if got := errors.Is(e.err, bootstrap.ErrOutOfTime); got != c.late {
					t.Errorf("a matter of time: %v, want %v", got, c.late)
				}
				if e.took < bootstrap.DefaultPatience || e.took > bootstrap.DefaultPatience+5*time.Second {
					t.Errorf("took %s", e.took)
				}
			})
		})
	}
}

var (
	errRefused = waiters.TerminalError(apierrors.NewForbidden(schema.GroupResource{Resource: "cdis"}, "the-CDI", errors.New("a policy says no")))
	errAway    = apierrors.NewServiceUnavailable("the API server is away")
)

func TestADryRunThatIsRefusedAppliesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := repaired(t, time.Second, func(_ *flux, s *shop) {
			s.refuse = func(_ string, ref tiers.Ref) error {
				if ref.Kind == "CDI" {
					return errRefused
				}
				return nil
			}
		})
		failure := onlyFailure(t, e)
		if failure.Step.ID != "pre-apply:CDI/the-CDI" || !strings.Contains(failure.Error(), "a policy says no") || errors.Is(e.err, bootstrap.ErrOutOfTime) {
			t.Errorf("failure = %v", failure)
		}
		if got := fmt.Sprint(s.writes); got != "[try Namespace apply Namespace]" || e.took > 5*time.Second {
			t.Errorf("wrote %s in %s", got, e.took)
		}
	})
}

func TestAWriteOfASeedThatFailsForAWhileIsTriedAgain(t *testing.T) {
	for verb, want := range map[string]string{
		"try":   "[try Namespace apply Namespace try CDI apply CDI]",
		"apply": "",
	} {
		t.Run(verb, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				until := time.Now().Add(30 * time.Second)
				e, s := repaired(t, time.Second, func(_ *flux, s *shop) {
					s.refuse = func(v string, _ tiers.Ref) error {
						if v == verb && time.Now().Before(until) {
							return errAway
						}
						return nil
					}
				})
				succeeded(t, e)
				if got := fmt.Sprint(s.writes); want != "" && got != want {
					t.Errorf("writes = %s", got)
				}
				if n := strings.Count(fmt.Sprint(s.writes), "apply CDI"); n != 1 {
					t.Errorf("CDI was applied %d times", n)
				}
			})
		})
	}
}

func TestAWriteOfASeedThatNeverWorksSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := repaired(t, time.Second, func(_ *flux, s *shop) {
			s.refuse = func(string, tiers.Ref) error { return errAway }
		})
		failure := onlyFailure(t, e)
		if failure.Step.ID != "pre-apply:Namespace/the-Namespace" || !errors.Is(e.err, bootstrap.ErrOutOfTime) || !strings.Contains(failure.Error(), "the API server is away") {
			t.Errorf("failure = %v", failure)
		}
	})
}

// An object that goes away before its handover has nobody to be handed over to.
func TestAHandoverThatCannotBeSeenIsOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := repaired(t, time.Second, func(f *flux, s *shop) {
			f.plans[tiers.KustomizationRef("flux-system", "storage")].applied = func(*flux) {
				s.mu.Lock()
				defer s.mu.Unlock()
				delete(s.objects, tiers.Ref{Kind: "CDI", Name: "the-CDI"})
				s.objects[tiers.Ref{Kind: "Namespace", Name: "the-Namespace"}].SetAnnotations(nil)
			}
		})
		failure := onlyFailure(t, e)
		if failure.Step.ID != "handover:CDI/the-CDI" || !errors.Is(e.err, bootstrap.ErrOutOfTime) {
			t.Errorf("failure = %v", failure)
		}
	})
}

func TestAHandoverThatComesLateIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := repaired(t, time.Second, func(f *flux, s *shop) {
			f.plans[tiers.KustomizationRef("flux-system", "storage")].applied = func(f *flux) {
				f.after(30*time.Second, func() { s.adopts(sameSet().Seeds[0].Ref(), sameSet().Seeds[1].Ref()) })
			}
		})
		succeeded(t, e)
	})
}

// The API server quotes what it refuses, and the object may have a value in it
// that substitution took from a Secret.
func TestARefusalThatQuotesASecretIsToldWithoutIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		dx := sameSet()
		for i := range dx.Seeds {
			dx.Seeds[i].RedactText = func(text string) string { return strings.ReplaceAll(text, "hunter2", "**redacted**") }
		}
		f.wedged(s, "storage", dx)
		s.refuse = func(string, tiers.Ref) error {
			return waiters.TerminalError(errors.New(`spec.password: Invalid value: "hunter2"`))
		}
		f.boot()
		e := stand(t, t.Context(), f, nil, s.in)
		if e.err == nil || !strings.Contains(e.err.Error(), "**redacted**") || strings.Contains(fmt.Sprint(e.err), "hunter2") {
			t.Errorf("got %v", e.err)
		}
		for _, ev := range e.events {
			if b, ok := ev.Body.(event.StepFinished); ok && b.Err != nil && strings.Contains(b.Err.Error(), "hunter2") {
				t.Errorf("told %v", b.Err)
			}
		}
	})
}
