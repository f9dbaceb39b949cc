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
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
)

// crds is the use case over a flux whose objects have been tried once.
func crds(f *flux, s *shop) (*bootstrap.Crds, *ended) {
	f.boot()
	<-time.After(3 * time.Second)
	e := &ended{}
	c := &bootstrap.Crds{
		Sequencer: bootstrap.Sequencer{World: f, Writer: f, Looker: s, Sink: e, ID: "test", Pace: bootstrap.DefaultPace(), Repair: s.repair()},
		Inspector: &inspector{}, Namespace: "flux-system",
	}
	return c, e
}

// prescribed is the plan, one step a line.
func prescribed(t *testing.T, c *bootstrap.Crds) (*bootstrap.Prescription, string) {
	t.Helper()
	p, err := c.Prescribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := p.Plan.String()
	for _, w := range p.Plan.Warnings {
		text += "warning: " + w + "\n"
	}
	return p, "\n" + text
}

// carriedOut runs what was prescribed.
func carriedOut(t *testing.T, c *bootstrap.Crds, e *ended, p *bootstrap.Prescription) {
	t.Helper()
	start := time.Now()
	e.err = c.Run(t.Context(), p)
	e.took = time.Since(start)
	c.World.(*flux).stop()
	if err := event.CheckLaws(e.events); err != nil {
		t.Errorf("the run broke a law of events: %v", err)
	}
	succeeded(t, e)
}

func kustomization(name string) tiers.Ref { return tiers.KustomizationRef("flux-system", name) }

func TestThreeWedgesThatShareASeedAreBrokenByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(10*time.Second)
		shared := seedOf("CDI", "a", "it brings StorageProfile")
		for _, name := range []string{"a", "b", "c"} {
			f.wedged(s, name, lacks(wedge.SameSet, seedOf("Namespace", name, "the CDI needs it"), shared))
		}
		c, e := crds(f, s)
		p, got := prescribed(t, c)
		want := `
 pre-apply:Namespace/the-Namespace <- [] # the CDI needs it
 pre-apply:CDI/the-CDI <- [pre-apply:Namespace/the-Namespace] # it brings StorageProfile
 served:kind/StorageProfile.cdi.kubevirt.io <- [pre-apply:CDI/the-CDI] # StorageProfile/longhorn uses it, and CDI/the-CDI brings it
 applied:Kustomization/flux-system/a <- [served:kind/StorageProfile.cdi.kubevirt.io] # WHY
 applied:Kustomization/flux-system/b <- [served:kind/StorageProfile.cdi.kubevirt.io] # WHY
 applied:Kustomization/flux-system/c <- [served:kind/StorageProfile.cdi.kubevirt.io] # WHY
 handover:Namespace/the-Namespace <- [pre-apply:Namespace/the-Namespace applied:Kustomization/flux-system/a] # Kustomization/flux-system/a makes it its own when it applies its set
 handover:CDI/the-CDI <- [pre-apply:CDI/the-CDI applied:Kustomization/flux-system/a] # Kustomization/flux-system/a makes it its own when it applies its set
`
		got = strings.ReplaceAll(got, sameSetSummary, "WHY")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("plan (-want +got):\n%s", diff)
		}
		if len(p.Seeds()) != 2 {
			t.Errorf("%d seeds, want each once", len(p.Seeds()))
		}
		if len(s.writes)+len(f.writes) > 0 {
			t.Errorf("prescribing wrote %q %q", s.writes, f.writes)
		}
		carriedOut(t, c, e, p)
		if got := fmt.Sprint(s.writes); got != "[try Namespace apply Namespace try CDI apply CDI]" {
			t.Errorf("writes = %s", got)
		}
	})
}

const sameSetSummary = "StorageProfile.cdi.kubevirt.io comes with CDI/the-CDI, which is in the same set and kept from being applied by it"

func TestNothingWedgedIsNothingToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		chain(f, 3, time.Second, false)
		c, _ := crds(f, s)
		p, got := prescribed(t, c)
		if got != "\n" || len(p.Diagnoses) > 0 || len(s.diagnosed) > 0 {
			t.Errorf("plan: %s, looked at %q", got, s.diagnosed)
		}
	})
}

// What is behind a wedge would fail next: it is led to, and broken in its turn.
func TestAWedgeThatLoomsBehindIsBrokenInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(5*time.Second)
		f.wedged(s, "storage", sameSet())
		f.add("middle", behaviour{takes: time.Second}, "storage")
		widget := profile.GroupVersion().WithKind("Widget")
		s.provides[widget.GroupKind().String()] = "Factory/the-Factory"
		s.finds["widgets"] = &wedge.Diagnosis{
			Seeds: []wedge.Seed{seedOf("Factory", "widgets", "it brings Widget")},
			Missing: []wedge.Missing{{
				GroupVersionKind: widget, Shape: wedge.SameSet, Object: wedge.Located{Kind: "Widget", Name: "w"},
				Provider: wedge.Located{Kind: "Factory", Name: "the-Factory"},
			}},
		}
		f.add("widgets", behaviour{takes: time.Second, outcome: func(int) (string, string) {
			if s.serves(widget.GroupKind()) {
				return "", ""
			}
			return "ReconciliationFailed", `Widget/w dry-run failed: no matches for kind "Widget" in version "cdi.kubevirt.io/v1beta1"`
		}, applied: func(*flux) { s.adopts(tiers.Ref{Kind: "Factory", Name: "the-Factory"}) }}, "middle")
		f.add("last", behaviour{takes: time.Second}, "widgets")
		c, e := crds(f, s)
		p, got := prescribed(t, c)
		if len(p.Diagnoses) != 1 || len(p.Looming) != 1 || p.Looming[0].Kustomization != kustomization("widgets") {
			t.Fatalf("standing %v, looming %v", p.Diagnoses, p.Looming)
		}
		want := `
 pre-apply:Namespace/the-Namespace <- [] # the CDI needs it
 pre-apply:CDI/the-CDI <- [pre-apply:Namespace/the-Namespace] # it brings StorageProfile
 served:kind/StorageProfile.cdi.kubevirt.io <- [pre-apply:CDI/the-CDI] # StorageProfile/longhorn uses it, and CDI/the-CDI brings it
 applied:Kustomization/flux-system/storage <- [served:kind/StorageProfile.cdi.kubevirt.io] # ` + sameSetSummary + `
 ready:Kustomization/flux-system/storage <- [applied:Kustomization/flux-system/storage] # Kustomization/flux-system/middle, which would be wedged next, waits for it
 ready:Kustomization/flux-system/middle <- [ready:Kustomization/flux-system/storage] # Kustomization/flux-system/widgets, which would be wedged next, waits for it
 applied:Kustomization/flux-system/widgets <- [ready:Kustomization/flux-system/middle] # it would be wedged next: Widget.cdi.kubevirt.io comes with Factory/the-Factory, which is in the same set and kept from being applied by it
 handover:Namespace/the-Namespace <- [pre-apply:Namespace/the-Namespace applied:Kustomization/flux-system/storage] # Kustomization/flux-system/storage makes it its own when it applies its set
 handover:CDI/the-CDI <- [pre-apply:CDI/the-CDI applied:Kustomization/flux-system/storage] # Kustomization/flux-system/storage makes it its own when it applies its set
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("plan (-want +got):\n%s", diff)
		}
		carriedOut(t, c, e, p)
		if got := fmt.Sprint(s.writes); got != "[try Namespace apply Namespace try CDI apply CDI try Factory apply Factory]" {
			t.Errorf("writes = %s", got)
		}
		if _, driven := e.state.Step(readyStep("last")); driven {
			t.Error("drove what no wedge needs")
		}
	})
}

// Whoever suspended a wedged Kustomization wants to apply it later: its wedge is
// broken, and it stays suspended.
func TestAWedgeThatWasSuspendedIsBrokenAndStaysSuspended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "storage", sameSet())
		c, e := crds(f, s)
		f.mu.Lock()
		f.suspends("storage")
		f.mu.Unlock()
		p, got := prescribed(t, c)
		want := `
 pre-apply:Namespace/the-Namespace <- [] # the CDI needs it
 pre-apply:CDI/the-CDI <- [pre-apply:Namespace/the-Namespace] # it brings StorageProfile
 served:kind/StorageProfile.cdi.kubevirt.io <- [pre-apply:CDI/the-CDI] # StorageProfile/longhorn uses it, and CDI/the-CDI brings it
warning: Kustomization/flux-system/storage is suspended: ` + "`standup resume`" + ` lets it apply its set
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("plan (-want +got):\n%s", diff)
		}
		carriedOut(t, c, e, p)
		if len(f.writes) > 0 {
			t.Errorf("wrote %q to Flux", f.writes)
		}
	})
}

func TestOnlyOneIsLookedAtWhereOnlyOneIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "a", sameSet())
		f.wedged(s, "b", sameSet())
		f.wedged(s, "behind", sameSet(), "a")
		c, e := crds(f, s)
		c.Only = kustomization("a")
		p, _ := prescribed(t, c)
		if got := fmt.Sprint(s.diagnosed); got != "[a]" || len(p.Looming) > 0 {
			t.Errorf("looked at %s, looming %v", got, p.Looming)
		}
		carriedOut(t, c, e, p)
		if got := fmt.Sprint(f.writes); strings.Contains(got, "nudge b") {
			t.Errorf("writes = %s", got)
		}
	})
}

func TestWhatIsAskedForByNameIsAppliedAsWell(t *testing.T) {
	for name, c := range map[string]struct {
		arrange func(*flux, *shop)
		want    string
	}{
		"beside a wedge": {
			func(f *flux, s *shop) {
				f.wedged(s, "storage", sameSet())
				f.plans[kustomization("storage")].applied = func(*flux) { s.adoptsAll() }
			},
			"[try Namespace apply Namespace try CDI apply CDI try Grant apply Grant]",
		},
		"where no kind is missing": {
			func(f *flux, s *shop) {
				f.add("storage", behaviour{takes: time.Second, outcome: func(int) (string, string) {
					s.mu.Lock()
					defer s.mu.Unlock()
					if s.objects[tiers.Ref{Kind: "Grant", Name: "the-Grant"}] != nil {
						return "", ""
					}
					return "ReconciliationFailed", `Bucket/b dry-run failed (Forbidden): admission webhook "v.kb.io" denied the request: no`
				}, applied: func(*flux) { s.adopts(tiers.Ref{Kind: "Grant", Name: "the-Grant"}) }})
			},
			"[try Grant apply Grant]",
		},
		"where nobody knows what brings the kind": {
			func(f *flux, s *shop) {
				f.wedged(s, "storage", lacks(wedge.NoCreator))
				s.provides[profile.GroupKind().String()] = "Grant/the-Grant"
				f.plans[kustomization("storage")].applied = func(*flux) { s.adopts(tiers.Ref{Kind: "Grant", Name: "the-Grant"}) }
			},
			"[try Grant apply Grant]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFlux(), newShop(time.Second)
				c.arrange(f, s)
				use, e := crds(f, s)
				use.Only, use.Extra = kustomization("storage"), []tiers.Ref{{Kind: "Grant", Name: "the-Grant"}}
				p, _ := prescribed(t, use)
				carriedOut(t, use, e, p)
				if got := fmt.Sprint(s.writes); got != c.want {
					t.Errorf("writes = %s", got)
				}
				if got := e.outcome("handover:Grant/the-Grant"); got != event.Succeeded {
					t.Errorf("handover: %s", got)
				}
			})
		})
	}
}

func TestAWedgeThatCannotBeBrokenIsTheErrorAndAllAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "a", sameSet())
		f.wedged(s, "b", lacks(wedge.NoCreator))
		f.wedged(s, "c", &wedge.Diagnosis{Missing: sameSet().Missing, Seeds: sameSet().Seeds, Unmet: []wedge.Unmet{{What: "Secret/x is needed"}}})
		f.wedged(s, "d", lacks(wedge.Coming, seedOf("CDI", "z", "")))
		c, _ := crds(f, s)
		p, err := c.Prescribe(t.Context())
		stands, is := errors.AsType[*wedge.Error](err)
		if !is {
			t.Fatalf("err = %v", err)
		}
		var names []string
		for _, d := range stands.Diagnoses {
			names = append(names, d.Kustomization.Name)
		}
		if got := fmt.Sprint(names); got != "[b c]" || len(p.Diagnoses) != 4 || len(p.Plan.Steps) > 0 {
			t.Errorf("names %s of %d, plans %d steps", got, len(p.Diagnoses), len(p.Plan.Steps))
		}
	})
}

func TestWhatCannotBeDiagnosedIsTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "storage", sameSet())
		s.cannot = errors.New("the artifact cannot be read")
		c, _ := crds(f, s)
		if _, err := c.Prescribe(t.Context()); !errors.Is(err, s.cannot) {
			t.Errorf("err = %v", err)
		}
		c.Only, c.Extra = kustomization("storage"), []tiers.Ref{{Kind: "Grant", Name: "g"}}
		if _, err := c.Prescribe(t.Context()); !errors.Is(err, s.cannot) {
			t.Errorf("asked by name: err = %v", err)
		}
	})
}

// A controller that misses a kind which is served needs a nudge, and no object.
func TestAStaleMemoryIsNudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		s.finds["storage"] = &wedge.Diagnosis{Stale: profile}
		f.add("storage", behaviour{takes: 100 * time.Millisecond, outcome: func(attempt int) (string, string) {
			if attempt > 1 {
				return "", ""
			}
			return "ReconciliationFailed", noStorageProfile
		}})
		c, e := crds(f, s)
		p, got := prescribed(t, c)
		want := "\n ready:Kustomization/flux-system/storage <- [] # the API server serves StorageProfile.cdi.kubevirt.io; what kustomize-controller remembers is out of date\n"
		if got != want {
			t.Errorf("plan:%s", got)
		}
		carriedOut(t, c, e, p)
		if got := fmt.Sprint(f.writes); got != "[nudge storage]" || len(s.writes) > 0 {
			t.Errorf("writes = %s %q", got, s.writes)
		}
	})
}

func TestCrdsOnAClusterThatIsNotFitChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "storage", sameSet())
		c, e := crds(f, s)
		c.Inspector = &inspector{controllers: func() ([]bootstrap.Controller, error) { return nil, nil }}
		p, _ := prescribed(t, c)
		e.err = c.Run(t.Context(), p)
		f.stop()
		if !is[*bootstrap.PreconditionError](e.err) || len(s.writes)+len(f.writes) > 0 {
			t.Errorf("err = %v, wrote %q %q", e.err, s.writes, f.writes)
		}
	})
}
