package cli

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

// outcome is what becomes of a Kustomization that is written to.
type outcome = func(*kustomizev1.Kustomization)

// reconciles gives the cluster a kustomize-controller that needs no time: who
// un-suspends or nudges a Kustomization finds it with its outcome, and without
// one applied at revision.
func (f *fleet) reconciles(t *testing.T, outcomes map[string]outcome) {
	t.Helper()
	f.SetController(f.controls(t, outcomes))
}

// controls is the controller of reconciles.
func (*fleet) controls(t *testing.T, outcomes map[string]outcome) kubetest.Controller {
	t.Helper()
	return func(patched map[string]any) {
		if patched["kind"] != kustomizev1.KustomizationKind {
			return
		}
		var k kustomizev1.Kustomization
		convert(t, patched, &k)
		if k.Spec.Suspend {
			return
		}
		end, scripted := outcomes[k.Name]
		if !scripted {
			end = applied(revision)
		}
		end(&k)
		var after map[string]any
		convert(t, &k, &after)
		clear(patched)
		maps.Copy(patched, after)
	}
}

// get reads a Kustomization as the cluster has it now.
func (f *fleet) get(t *testing.T, name string) *kustomizev1.Kustomization {
	t.Helper()
	k := new(kustomizev1.Kustomization)
	convert(t, f.Get(t, kustomizev1.GroupVersion.String(), kustomizev1.KustomizationKind, namespace, name), k)
	return k
}

// change edits a Kustomization from the outside, as its controller does.
func (f *fleet) change(t *testing.T, name string, edit outcome) {
	t.Helper()
	k := f.get(t, name)
	edit(k)
	f.Put(t, k)
}

// holder is who holds the lock; empty when nobody does.
func (f *fleet) holder(t *testing.T) string {
	t.Helper()
	var lease struct {
		Spec struct{ HolderIdentity string }
	}
	convert(t, f.Get(t, "coordination.k8s.io/v1", "Lease", namespace, "standup"), &lease)
	return lease.Spec.HolderIdentity
}

// nudged wants a Kustomization that was asked to reconcile, or was not.
func (f *fleet) nudged(t *testing.T, name string, want bool) {
	t.Helper()
	if _, got := f.get(t, name).Annotations[meta.ReconcileRequestAnnotation]; got != want {
		t.Errorf("%s is nudged: %t, want %t", name, got, want)
	}
}

// wrote wants these writes, besides those of the lock, in this order.
func (f *fleet) wrote(t *testing.T, names ...string) {
	t.Helper()
	var want []string
	for _, name := range names {
		want = append(want, "PATCH /apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux-system/kustomizations/"+name)
	}
	if got := f.written(); !slices.Equal(got, want) {
		t.Errorf("it wrote %q, want %q", got, want)
	}
}

// convert is from one Go form of an object to another, by way of JSON.
func convert(t *testing.T, from, to any) {
	t.Helper()
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		t.Error(err) // not Fatal: the server's goroutines convert as well
	}
}
