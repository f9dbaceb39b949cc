package standin

import (
	"context"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
)

func storageProfile() catalog.GroupKind {
	return catalog.GroupKind{Group: "cdi.kubevirt.io", Kind: "StorageProfile"}
}

// profileFor makes a StorageProfile for a StorageClass, as CDI does for each.
func (r *Runner) profileFor(profiles schema.GroupVersionResource) reconcile {
	return func(ctx context.Context, t turn) (time.Duration, error) {
		if !t.due {
			return 0, nil
		}
		return 0, r.create(ctx, profiles, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": profiles.GroupVersion().String(), "kind": "StorageProfile",
			"metadata": map[string]any{
				"name":   t.obj.GetName(),
				"labels": map[string]any{"cdi.kubevirt.io": "", "app.kubernetes.io/managed-by": "cdi-controller"},
			},
			"spec": map[string]any{},
		}})
	}
}

// profile fills the status of a StorageProfile: at once with what CDI would
// infer, and after the delay with what the spec says. There are no conditions
// and there is no observedGeneration, so that nothing but the contents tells
// whether the spec has been folded in. That is the gap standup's probe closes.
func (r *Runner) profile(ctx context.Context, t turn) (time.Duration, error) {
	inferred := map[string]any{
		"claimPropertySets": []any{map[string]any{"accessModes": []any{"ReadWriteOnce"}, "volumeMode": "Block"}},
		"cloneStrategy":     "copy",
	}
	status := mapOf(t.obj, "status")
	status["storageClass"] = t.obj.GetName()
	if class, err := r.get(ctx, schema.GroupVersionResource{
		Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses",
	}, "", t.obj.GetName()); err != nil {
		return 0, err
	} else if class != nil {
		status["provisioner"] = class.Object["provisioner"]
	}
	for k, v := range inferred {
		if _, there := status[k]; !there {
			status[k] = v
		}
	}
	if t.due && !t.fault.Stale {
		maps.Copy(status, inferred)
		spec := mapOf(t.obj, "spec")
		for k := range inferred {
			if v, ok := spec[k]; ok {
				status[k] = v
			}
		}
	}
	return 0, r.setStatus(ctx, t.gvr, t.obj, status)
}
