package bootstrap_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// List implements wedge.Cluster.
func (s *shop) List(_ context.Context, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []unstructured.Unstructured
	for ref, o := range s.objects {
		if ref.Kind == gvk.Kind {
			out = append(out, *o)
		}
	}
	return out, nil
}

// doctored gives a sequencer the real doctor over a checkout.
func doctored(t *testing.T, f *flux, s *shop, archive string) func(*bootstrap.Sequencer) {
	t.Helper()
	dir := t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, file.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := manifests.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	known, err := catalog.New([]catalog.Entry{{
		Name: "cdi", Provider: &catalog.Provider{Group: "cdi.kubevirt.io", Kind: "CDI", Plural: "cdis", Versions: []string{"v1beta1"}, Scope: catalog.Cluster},
		Source: "https://example.org", Created: catalog.ByOperator, Operator: &catalog.Operator{Kind: "Deployment", Namespace: "cdi", Name: "cdi-operator"},
		Provides: []catalog.Kind{{Group: profile.Group, Kind: profile.Kind}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	sets := &bootstrap.Sets{World: f, Downloader: &store{}, Values: &store{}, Checkout: tree, Source: gitSource}
	return func(q *bootstrap.Sequencer) {
		q.Looker, q.Repair = s, &bootstrap.Repair{Doctor: &wedge.Doctor{Sets: sets, Cluster: s, Catalog: known}, Seeder: s}
	}
}

// The whole of it, but for the cluster: what waits for the wedged one has the
// provider, so that the sequencer must have told the doctor what is behind.
func TestAProviderThatWaitsForWhatNeedsItIsAppliedForItsOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(10*time.Second)
		operator := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}}
		operator.SetNamespace("cdi")
		operator.SetName("cdi-operator")
		s.has(operator, "helm")
		f.wedged(s, "front", nil).Spec.Path = "./front"
		f.add("middle", behaviour{takes: time.Second}, "front").Spec.Path = "./middle"
		f.add("back", behaviour{takes: time.Second, applied: func(*flux) { s.adoptsAll() }}, "middle").Spec.Path = "./back"
		f.boot()
		e := stand(t, t.Context(), f, nil, doctored(t, f, s, `
-- front/profile.yaml --
{apiVersion: cdi.kubevirt.io/v1beta1, kind: StorageProfile, metadata: {name: longhorn}}
-- middle/cm.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}}
-- back/cdi.yaml --
{apiVersion: cdi.kubevirt.io/v1beta1, kind: CDI, metadata: {name: the-CDI}}
`))
		succeeded(t, e)
		if got := fmt.Sprint(s.writes); got != "[try CDI apply CDI]" {
			t.Errorf("writes = %s", got)
		}
		cdi := s.objects[tiers.Ref{Kind: "CDI", Name: "the-CDI"}]
		if got := cdi.GetLabels()["kustomize.toolkit.fluxcd.io/name"]; got != "back" {
			t.Errorf("applied for %q", got)
		}
		if got := e.extensions(); len(got) != 1 || !strings.Contains(got[0], "in Kustomization/flux-system/back, which waits for this one") {
			t.Errorf("extended because %q", got)
		}
	})
}

// What is suspended brings nothing by itself, and what failed does not either.
func TestAKindIsComingOnlyFromWhatWillApplyItsSet(t *testing.T) {
	for name, c := range map[string]struct {
		other   func(*flux)
		written bool // the own provider is applied
	}{
		"a suspended one": {func(f *flux) {
			f.add("other", behaviour{takes: time.Second}).Spec.Suspend = true
			f.inGit[kustomization("other")] = true
		}, true},
		"a failing one": {func(f *flux) {
			f.add("other", behaviour{takes: time.Second, outcome: func(attempt int) (string, string) {
				if attempt > 12 {
					return "", ""
				}
				return "ReconciliationFailed", denied
			}})
		}, true},
		"one that is at work": {func(f *flux) { f.add("other", behaviour{takes: time.Minute}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFlux(), newShop(time.Second)
				s.has(&unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "cdi-operator", "namespace": "cdi"},
				}})
				f.wedged(s, "storage", nil).Spec.Path = "./storage"
				f.plans[kustomization("storage")].applied = func(*flux) { s.adoptsAll() }
				c.other(f)
				other := f.plans[kustomization("other")]
				other.applied = func(*flux) {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.has(seedOf("CDI", "other", "").Object, "kustomize-controller")
				}
				f.objects[kustomization("other")].Spec.Path = "./other"
				f.boot()
				e := stand(t, t.Context(), f, nil, doctored(t, f, s, `
-- storage/all.yaml --
{apiVersion: cdi.kubevirt.io/v1beta1, kind: StorageProfile, metadata: {name: longhorn}}
---
{apiVersion: cdi.kubevirt.io/v1beta1, kind: CDI, metadata: {name: the-CDI}}
-- other/cdi.yaml --
{apiVersion: cdi.kubevirt.io/v1beta1, kind: CDI, metadata: {name: the-CDI}}
`))
				succeeded(t, e)
				if got := slices.Contains(s.writes, "apply CDI"); got != c.written {
					t.Errorf("wrote %q, extended because %q", s.writes, e.extensions())
				}
			})
		})
	}
}

func TestTwoWedgesInOneRunShareTheirSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(10*time.Second)
		for _, name := range []string{"a", "b"} {
			f.wedged(s, name, lacks(wedge.SameSet, seedOf("Namespace", name, "the CDI needs it"), seedOf("CDI", "a", "it brings StorageProfile")))
		}
		f.boot()
		e := stand(t, t.Context(), f, nil, s.in)
		succeeded(t, e)
		if got := fmt.Sprint(s.writes); got != "[try Namespace apply Namespace try CDI apply CDI]" {
			t.Errorf("writes = %s", got)
		}
		if e.took > 20*time.Second {
			t.Errorf("took %s", e.took)
		}
	})
}

func TestAnOptionalTiersRepairIsOptional(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFlux(), newShop(time.Second)
		f.wedged(s, "extra", sameSet())
		f.add("apps", behaviour{takes: time.Second})
		s.refuse = func(string, tiers.Ref) error { return errRefused }
		f.boot()
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: extra, optional: true}, {name: apps}]"), s.in)
		succeeded(t, e)
		if got := fmt.Sprint(e.state.Warnings); !strings.Contains(got, "a policy says no") {
			t.Errorf("warnings = %s", got)
		}
	})
}

func TestCrdsThatIsKilledIsCarriedOnAndThenHasNothingToDo(t *testing.T) {
	for at := 50 * time.Millisecond; at < 15*time.Second; at *= 2 {
		t.Run(at.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFlux(), newShop(10*time.Second)
				f.wedged(s, "storage", sameSet())
				c, _ := crds(f, s)
				p, _ := prescribed(t, c)
				ctx, cancel := context.WithTimeoutCause(t.Context(), at, errInterrupted)
				defer cancel()
				first := c.Run(ctx, p)
				again := *c
				e := &ended{}
				again.Sink = e
				p, _ = prescribed(t, &again)
				e.err = again.Run(t.Context(), p)
				succeeded(t, e)
				p, got := prescribed(t, &again)
				f.stop()
				if got != "\n" || len(p.Seeds()) > 0 {
					t.Errorf("afterwards it would still do:%s", got)
				}
				if n := strings.Count(fmt.Sprint(s.writes), "apply CDI"); n != 1 {
					t.Errorf("the first ended with %v; wrote %q", first, s.writes)
				}
			})
		})
	}
}
