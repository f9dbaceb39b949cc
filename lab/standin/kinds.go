package standin

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
)

// kindWatcher starts the stand-in of a kind when the kind is served. Watching
// all kinds of the catalogue from the start would be a poll of absent ones.
func (r *Runner) kindWatcher(ctx context.Context) *controller {
	var mu sync.Mutex
	started := map[catalog.GroupKind]bool{}
	return r.controller(crds(), 0, func(_ context.Context, t turn) (time.Duration, error) {
		if !isTrue(t.obj, "Established") {
			return 0, nil
		}
		gk, gvr := kindOf(t.obj)
		mu.Lock()
		defer mu.Unlock()
		if started[gk] {
			return 0, nil
		}
		// The life of the new stand-in is that of the runner, not of this turn.
		for _, c := range r.forKind(gk, gvr) {
			r.run(ctx, c)
		}
		started[gk] = true
		return 0, nil
	})
}

// forKind is what stands in for the controllers of one kind.
func (r *Runner) forKind(gk catalog.GroupKind, gvr schema.GroupVersionResource) []*controller {
	if gk == (catalog.GroupKind{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}) {
		return []*controller{r.controller(gvr, r.opts.HelmDelay, r.helmRelease)}
	}
	if gk == storageProfile() {
		classes := schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}
		return []*controller{
			r.controller(gvr, r.opts.FoldDelay, r.profile),
			r.controller(classes, r.opts.ConditionDelay, r.profileFor(gvr)),
		}
	}
	if entry, ok := r.opts.Catalog.ByProvider(gk); ok {
		return []*controller{r.controller(gvr, r.opts.ProviderDelay, r.provider(entry))}
	}
	if kind, ok := r.opts.Catalog.Kind(gk); ok && len(kind.Conditions) > 0 {
		return []*controller{r.controller(gvr, r.opts.ConditionDelay, r.conditioned(kind))}
	}
	return nil
}

// kindOf reads the kind and its storage version from a CRD.
func kindOf(crd *unstructured.Unstructured) (catalog.GroupKind, schema.GroupVersionResource) {
	text := func(fields ...string) string {
		s, _, _ := unstructured.NestedString(crd.Object, append([]string{"spec"}, fields...)...)
		return s
	}
	gvr := schema.GroupVersionResource{Group: text("group"), Resource: text("names", "plural")}
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, item := range versions {
		if v, ok := item.(map[string]any); ok && v["storage"] == true {
			gvr.Version, _ = v["name"].(string)
		}
	}
	return catalog.GroupKind{Group: gvr.Group, Kind: text("names", "kind")}, gvr
}

// conditioned gives an object the conditions that the catalogue names.
func (r *Runner) conditioned(kind catalog.Kind) reconcile {
	return func(ctx context.Context, t turn) (time.Duration, error) {
		if !t.due {
			return 0, nil
		}
		want := fromMap(kind.Conditions)
		if t.fault.Stalled {
			for i := range want {
				want[i].status, want[i].reason, want[i].message = flip(want[i].status), "Failed", "failed by the lab"
			}
		}
		status := mapOf(t.obj, "status")
		status["observedGeneration"] = t.observed()
		status["conditions"] = conditions(t.obj, t.observed(), want...)
		return 0, r.setStatus(ctx, t.gvr, t.obj, status)
	}
}

func flip(status string) string {
	if status == "True" {
		return "False"
	}
	return "True"
}

// mapOf copies a map field of an object; it is empty where there is none.
func mapOf(obj *unstructured.Unstructured, fields ...string) map[string]any {
	m, _, _ := unstructured.NestedMap(obj.Object, fields...)
	if m == nil {
		m = map[string]any{}
	}
	return m
}
