package standin

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// claim binds a PersistentVolumeClaim. No volume is made: nobody mounts it.
func (r *Runner) claim(ctx context.Context, t turn) (time.Duration, error) {
	if !t.due {
		return 0, nil
	}
	status := map[string]any{"phase": "Bound"}
	for _, f := range []struct{ from, to string }{{"accessModes", "accessModes"}, {"resources", "capacity"}} {
		v, ok, _ := unstructured.NestedFieldCopy(t.obj.Object, "spec", f.from)
		if m, isMap := v.(map[string]any); ok && isMap {
			v, ok = m["requests"], m["requests"] != nil
		}
		if ok {
			status[f.to] = v
		}
	}
	return 0, r.setStatus(ctx, t.gvr, t.obj, status)
}

// service gives a Service of type LoadBalancer an address of TEST-NET-1.
func (r *Runner) service(ctx context.Context, t turn) (time.Duration, error) {
	if kind, _, _ := unstructured.NestedString(t.obj.Object, "spec", "type"); !t.due || kind != "LoadBalancer" {
		return 0, nil
	}
	if got, _, _ := unstructured.NestedSlice(t.obj.Object, "status", "loadBalancer", "ingress"); len(got) > 0 {
		return 0, nil
	}
	return 0, r.setStatus(ctx, t.gvr, t.obj, map[string]any{
		"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "192.0.2.10", "ipMode": "VIP"}}},
	})
}

// namespace gives every namespace its default service account, and lets one go
// that is being deleted. What is in it is not deleted: that takes the real
// namespace controller.
func (r *Runner) namespace(ctx context.Context, t turn) (time.Duration, error) {
	if t.obj.GetDeletionTimestamp() != nil {
		next := t.obj.DeepCopy()
		unstructured.RemoveNestedField(next.Object, "spec", "finalizers")
		_, err := r.client.Resource(t.gvr).Update(ctx, next, metav1.UpdateOptions{FieldManager: manager}, "finalize")
		return 0, err
	}
	account := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ServiceAccount",
		"metadata": map[string]any{"name": "default", "namespace": t.obj.GetName()},
	}}
	gvr := t.gvr
	gvr.Resource = "serviceaccounts"
	return 0, r.create(ctx, gvr, account)
}
