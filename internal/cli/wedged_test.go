package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

const (
	cdiVersion = "cdi.kubevirt.io/v1beta1"
	// storageSet is wedged: nothing of it is applied while StorageProfile is
	// missing, which comes with the CDI.
	storageSet = `apiVersion: v1
kind: Namespace
metadata: {name: cdi}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: CDI
metadata: {name: cdi}
spec: {config: {featureGates: [HonorWaitForFirstConsumer]}}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: StorageProfile
metadata: {name: longhorn-vm}
`
	appsSet = "{apiVersion: v1, kind: ConfigMap, metadata: {name: vars, namespace: default}}\n"
)

func cdiKind() kubetest.Kind {
	return kubetest.Kind{Plural: "cdis", Kind: "CDI", Cluster: true, Status: true}
}

func profileKind() kubetest.Kind {
	return kubetest.Kind{Plural: "storageprofiles", Kind: "StorageProfile", Cluster: true}
}

// newWedged is a cluster whose Kustomization storage is wedged on
// StorageProfile, with apps behind it. The operator of CDI runs.
func newWedged(t *testing.T, edits ...outcome) *fleet {
	t.Helper()
	f := newFleet(t, kustomization("storage", append(edits, missingKind)...), kustomization("apps", behind("storage"), waiting("storage")))
	f.Serve(cdiVersion, cdiKind())
	operator := controller("cdi-operator", 1)
	operator.Namespace, operator.Labels = "cdi", nil
	f.Put(t, operator)
	for _, name := range []string{namespace, "cdi", "default"} {
		f.Put(t, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	}
	return f
}

// tree writes a checkout and returns its directory, to be given to --path.
func (f *fleet) tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(f.dir, "tree")
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// storage is the checkout of newWedged.
func (f *fleet) storage(t *testing.T) string {
	t.Helper()
	return f.tree(t, map[string]string{"storage/all.yaml": storageSet, "apps/vars.yaml": appsSet})
}

// operates gives the cluster an operator that brings StorageProfile for a CDI.
// Flux takes its time: see applies.
func (f *fleet) operates() {
	f.SetAfter(func(patched map[string]any) {
		if patched["kind"] == "CDI" {
			f.Serve(cdiVersion, cdiKind(), profileKind())
		}
	})
}

// applies is kustomize-controller, which applies storage once it was nudged: what
// was applied early is then its own. What the run says is awaited, so that every
// run says the same.
func (f *fleet) applies(t *testing.T, said *screen) {
	t.Helper()
	said.await(t, "nudged")
	f.adopt(t)
	f.change(t, "storage", applied(revision))
}

// needsNoTime is a cluster on which the wedge can be broken, and whose
// controllers do at once what can be done.
func (f *fleet) needsNoTime(t *testing.T) {
	t.Helper()
	var brought atomic.Bool
	apply := f.controls(t, nil)
	fail := f.controls(t, map[string]outcome{"storage": missingKind, "apps": waiting("storage")})
	f.SetController(func(patched map[string]any) {
		if brought.Load() {
			apply(patched)
		} else {
			fail(patched)
		}
	})
	f.SetAfter(func(patched map[string]any) {
		switch {
		case patched["kind"] == "CDI":
			brought.Store(true)
			f.Serve(cdiVersion, cdiKind(), profileKind())
		case nameOf(patched) == "storage" && brought.Load():
			f.adopt(t)
		}
	})
}

func nameOf(obj map[string]any) string {
	meta, _ := obj["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	return name
}

// adopt is what an apply of Flux's leaves of everything that was applied early.
func (f *fleet) adopt(t *testing.T) {
	t.Helper()
	for _, a := range f.Applies() {
		version, _ := a.Object["apiVersion"].(string)
		kind, _ := a.Object["kind"].(string)
		meta, _ := a.Object["metadata"].(map[string]any)
		namespace, _ := meta["namespace"].(string)
		obj := f.Get(t, version, kind, namespace, nameOf(a.Object))
		if meta, ok := obj["metadata"].(map[string]any); ok {
			delete(meta, "annotations")
			f.Put(t, obj)
		}
	}
}

// appliedEarly lists what was applied early, and holds that each was tried first, and
// in whose name.
func (f *fleet) appliedEarly(t *testing.T) []string {
	t.Helper()
	var tried string
	var names []string
	for _, a := range f.Applies() {
		name, _ := a.Object["kind"].(string)
		name += "/" + nameOf(a.Object)
		switch {
		case a.Manager != "kustomize-controller" || a.Force:
			t.Errorf("%s is applied by %q, forced: %t", name, a.Manager, a.Force)
		case a.DryRun:
			tried = name
		case tried != name:
			t.Errorf("%s was not tried first", name)
		default:
			names = append(names, name)
		}
	}
	return names
}

// without wants a text in which none of the others is.
func without(t *testing.T, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("it prints %q", secret)
		}
	}
}
