package rehearsal

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

const operatorGroup = "fluxcd.controlplane.io"

// instanceOf reads a FluxInstance: the object, or what the values of its chart
// say, in a HelmRelease or in a file of their own. nil is another object.
func instanceOf(o *unstructured.Unstructured) *unstructured.Unstructured {
	spec := map[string]any(nil)
	switch {
	case o.GetKind() == "FluxInstance":
		spec = mapOf(o, "spec")
	case o.GetKind() == "HelmRelease":
		spec = mapOf(o, "spec", "values", "instance")
	case o.GetKind() == "":
		spec = mapOf(o, "instance")
	}
	if spec == nil {
		return nil
	}
	found := &unstructured.Unstructured{Object: spec}
	if text(found, "sync", "kind") == "" || text(found, "sync", "path") == "" {
		return nil
	}
	return found
}

// mapOf is a map of a document as it was read: numbers are any kind of number.
func mapOf(o *unstructured.Unstructured, fields ...string) map[string]any {
	var at any = o.Object
	for _, f := range fields {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[f]
	}
	m, _ := at.(map[string]any)
	return m
}

// synced gives the Kustomization that a FluxInstance makes for the entry. That
// the entry is reconciled at all shows that the operator and the instance are
// there, wherever in the tree they stand.
func (w *walk) synced() (*node, bool) {
	at, ok := w.scan("sync:", func(o *unstructured.Unstructured) bool {
		i := instanceOf(o)
		return i != nil && cleanPath(text(i, "sync", "path")) == cleanPath(w.opts.Entry)
	})
	if !ok {
		return nil, false
	}
	instance := instanceOf(at.Unstructured)
	namespace := cmp.Or(at.GetNamespace(), "flux-system")
	name := cmp.Or(text(instance, "sync", "name"), namespace)
	source := tiers.Ref{Kind: text(instance, "sync", "kind"), Namespace: namespace, Name: name}
	if url := text(instance, "sync", "url"); url != "" {
		w.sources[source] = manifests.Object{Unstructured: &unstructured.Unstructured{Object: map[string]any{
			"spec": map[string]any{"url": url},
		}}, File: at.File, Line: at.Line}
	}
	w.instance = componentsOf(instance)
	root := patched(newRoot(w.opts.Entry, source, name), instance)
	return newNode(manifests.Object{Unstructured: root, File: at.File, Line: at.Line}), true
}

// components are those that run when the entry is applied; the baseline knows best.
func (w *walk) components() []string {
	if given := w.opts.Baseline.Flux.Components; len(given) > 0 {
		return given
	}
	return w.instance
}

// defaultComponents are those of an installation that names none.
func defaultComponents() []string {
	return []string{"source-controller", "kustomize-controller", "helm-controller", "notification-controller"}
}

func componentsOf(instance *unstructured.Unstructured) []string {
	var found []string
	items, _ := instance.Object["components"].([]any)
	for _, item := range items {
		if name, ok := item.(string); ok {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return defaultComponents()
	}
	return found
}

// patched applies the patches of an instance that are for the Kustomization: it
// is where people write its decryption and its postBuild. With one that does not
// apply the instance fails as a whole, which is not for the set to answer for.
func patched(root, instance *unstructured.Unstructured) *unstructured.Unstructured {
	var wanted []any
	items, _ := mapOf(instance, "kustomize")["patches"].([]any)
	for _, item := range items {
		patch, _ := item.(map[string]any)
		target, _ := patch["target"].(map[string]any)
		if target["kind"] == root.GetKind() {
			wanted = append(wanted, patch)
		}
	}
	patches, err := json.Marshal(wanted)
	if err != nil {
		return root
	}
	done, err := manifests.Patched(root, patches)
	if err != nil {
		return root
	}
	return done
}
