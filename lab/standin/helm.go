package standin

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
)

// helmRelease stands in for helm-controller: after the delay it makes what the
// catalogue knows of the chart, waits for it, and reports success. Charts that
// the catalogue does not know bring nothing and succeed.
func (r *Runner) helmRelease(ctx context.Context, t turn) (time.Duration, error) {
	if suspended, _, _ := unstructured.NestedBool(t.obj.Object, "spec", "suspend"); suspended {
		return 0, r.setHelmStatus(ctx, t, nil)
	}
	if t.gaveUp() {
		if !t.resetRequested() {
			return 0, r.setHelmStatus(ctx, t, nil)
		}
		return 0, r.setHelmStatus(ctx, t, helmInstalling()) // and the change makes another turn
	}
	if blocked, err := r.helmBlocked(ctx, t); err != nil || blocked != "" {
		return 200 * time.Millisecond, r.setHelmStatus(ctx, t, []condition{
			{"Ready", "False", "DependencyNotReady", blocked},
		})
	}
	if missing, err := r.valuesMissing(ctx, t); err != nil || missing != "" {
		return 200 * time.Millisecond, r.setHelmStatus(ctx, t, []condition{
			{"Ready", "False", "ValuesError", missing},
		})
	}
	if !t.due {
		if isTrue(t.obj, "Ready") && t.observed() == observedGeneration(t.obj) {
			return 0, nil
		}
		return 0, r.setHelmStatus(ctx, t, helmInstalling())
	}
	if t.fault.Stalled {
		return 0, r.helmStalled(ctx, t, "failed by the lab")
	}
	return r.install(ctx, t)
}

func helmInstalling() []condition {
	const action = "Running 'install' action with timeout of 5m0s"
	return []condition{{"Reconciling", "True", "Progressing", action}, {"Ready", "Unknown", "Progressing", action}}
}

// gaveUp reports whether the release's tries are used up: helm-controller then
// does nothing until the spec changes, or a reset is requested.
func (t turn) gaveUp() bool {
	return isTrue(t.obj, "Stalled") && observedGeneration(t.obj) == t.obj.GetGeneration()
}

// resetRequested reports whether a reset waits for its answer
// (helm-controller api, v2/annotations.go, ShouldHandleResetRequest).
func (t turn) resetRequested() bool {
	notes := t.obj.GetAnnotations()
	handled, _, _ := unstructured.NestedString(t.obj.Object, "status", "lastHandledResetAt")
	at := notes["reconcile.fluxcd.io/resetAt"]
	return at != "" && at == notes["reconcile.fluxcd.io/requestedAt"] && at != handled
}

// install makes the chart's kinds and operator.
func (r *Runner) install(ctx context.Context, t turn) (time.Duration, error) {
	target, err := r.targetNamespace(ctx, t)
	if err != nil || target == "" {
		return 0, err
	}
	chart, version, err := r.chart(ctx, t.obj)
	if err != nil {
		return 0, err
	}
	entry, known := r.opts.Catalog.ByChart(chart)
	ready := true
	if known {
		if ready, err = r.installEntry(ctx, t, entry, target); err != nil {
			return 0, err
		}
	}
	if !ready {
		return 50 * time.Millisecond, nil
	}
	release := fmt.Sprintf("%s/%s.v1 with chart %s@%s", target, t.obj.GetName(), chart, version)
	if err := r.setHelmStatus(ctx, t, []condition{
		{"Ready", "True", "InstallSucceeded", "Helm install succeeded for release " + release},
		{"Released", "True", "InstallSucceeded", "Helm install succeeded for release " + release},
	}); err != nil {
		return 0, err
	}
	if known && entry.Created == catalog.ByOperator {
		return r.registerKinds(ctx, t, entry)
	}
	return 0, nil
}

// installEntry says whether what the chart waits for is there.
func (r *Runner) installEntry(ctx context.Context, t turn, entry catalog.Entry, target string) (bool, error) {
	labels := map[string]string{"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": t.obj.GetName()}
	if entry.Created == catalog.ByChart {
		kinds := r.released(t.obj, entry)
		if err := r.createCRDs(ctx, kinds, labels); err != nil {
			return false, err
		}
		if ok, err := r.served(ctx, kinds); err != nil || !ok {
			return false, err
		}
	}
	if entry.Operator == nil {
		return true, nil
	}
	gvr := workload(entry.Operator.Kind)
	op, err := r.get(ctx, gvr, target, entry.Operator.Name)
	if err != nil {
		return false, err
	}
	if op == nil {
		return false, r.create(ctx, gvr, operatorWorkload(*entry.Operator, target, labels))
	}
	return available(op), nil
}

// registerKinds makes the kinds of a chart whose operator registers them when
// it starts: some time after the release says Ready, which is the point.
func (r *Runner) registerKinds(ctx context.Context, t turn, entry catalog.Entry) (time.Duration, error) {
	kinds := r.released(t.obj, entry)
	if len(kinds) == 0 {
		return 0, nil
	}
	op, err := r.get(ctx, crds(), "", kinds[len(kinds)-1].CRDName())
	if err != nil || op != nil || r.opts.ProviderDelay == Never {
		return 0, err
	}
	since := readySince(t.obj)
	if since.IsZero() {
		return r.opts.ProviderDelay, nil
	}
	if left := r.opts.ProviderDelay - time.Since(since); left > 0 {
		return left, nil
	}
	return 0, r.createCRDs(ctx, kinds, managedBy(entry))
}

// targetNamespace is where the release goes. Empty means that it cannot go
// there, which has been reported.
func (r *Runner) targetNamespace(ctx context.Context, t turn) (string, error) {
	target, _, _ := unstructured.NestedString(t.obj.Object, "spec", "targetNamespace")
	target = cmp.Or(target, t.obj.GetNamespace())
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	ns, err := r.get(ctx, gvr, "", target)
	if err != nil || ns != nil {
		return target, err
	}
	if create, _, _ := unstructured.NestedBool(t.obj.Object, "spec", "install", "createNamespace"); !create {
		return "", r.helmStalled(ctx, t, fmt.Sprintf("namespaces %q not found", target))
	}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": target},
	}}
	return target, r.create(ctx, gvr, obj)
}

// chart is the name and version of the chart of a release. For a chartRef to an
// OCIRepository the name is in the repository's address.
func (r *Runner) chart(ctx context.Context, hr *unstructured.Unstructured) (name, version string, err error) {
	spec := mapOf(hr, "spec", "chart", "spec")
	if name, _ = spec["chart"].(string); name != "" {
		version, _ = spec["version"].(string)
		return name, cmp.Or(version, "*"), nil
	}
	ref := mapOf(hr, "spec", "chartRef")
	name, _ = ref["name"].(string)
	namespace, _ := ref["namespace"].(string)
	if ref["kind"] != "OCIRepository" {
		return name, "*", nil
	}
	repo, err := r.get(ctx, schema.GroupVersionResource{
		Group: "source.toolkit.fluxcd.io", Version: "v1", Resource: "ocirepositories",
	}, cmp.Or(namespace, hr.GetNamespace()), name)
	if err != nil || repo == nil {
		return name, "*", err
	}
	url, _, _ := unstructured.NestedString(repo.Object, "spec", "url")
	tag, _, _ := unstructured.NestedString(repo.Object, "spec", "ref", "tag")
	return cmp.Or(url, name), cmp.Or(tag, "*"), nil
}

// helmBlocked names the first dependency that is not Ready.
func (r *Runner) helmBlocked(ctx context.Context, t turn) (string, error) {
	deps, _, _ := unstructured.NestedSlice(t.obj.Object, "spec", "dependsOn")
	for _, item := range deps {
		d, _ := item.(map[string]any)
		name, _ := d["name"].(string)
		namespace, _ := d["namespace"].(string)
		namespace = cmp.Or(namespace, t.obj.GetNamespace())
		dep, err := r.get(ctx, t.gvr, namespace, name)
		if err != nil {
			return "", err
		}
		if dep == nil {
			return fmt.Sprintf("dependency '%s/%s' not found", namespace, name), nil
		}
		if dep.GetGeneration() != observedGeneration(dep) || !isTrue(dep, "Ready") {
			return fmt.Sprintf("dependency '%s/%s' is not ready", namespace, name), nil
		}
	}
	return "", nil
}

// valuesMissing names the first object of valuesFrom that does not exist.
func (r *Runner) valuesMissing(ctx context.Context, t turn) (string, error) {
	refs, _, _ := unstructured.NestedSlice(t.obj.Object, "spec", "valuesFrom")
	for _, item := range refs {
		ref, _ := item.(map[string]any)
		kind, _ := ref["kind"].(string)
		name, _ := ref["name"].(string)
		if optional, _ := ref["optional"].(bool); optional {
			continue
		}
		resource := strings.ToLower(kind) + "s"
		obj, err := r.get(ctx, schema.GroupVersionResource{Version: "v1", Resource: resource}, t.obj.GetNamespace(), name)
		if err != nil {
			return "", err
		}
		if obj == nil {
			return fmt.Sprintf("could not resolve %s chart values reference '%s/%s' with key 'values.yaml': %s %q not found", kind, t.obj.GetNamespace(), name, resource, name), nil
		}
	}
	return "", nil
}

func (r *Runner) helmStalled(ctx context.Context, t turn, why string) error {
	message := fmt.Sprintf("Helm install failed for release %s/%s: %s", t.obj.GetNamespace(), t.obj.GetName(), why)
	return r.setHelmStatus(ctx, t, []condition{
		{"Stalled", "True", "RetriesExceeded", "Failed to install after 1 attempt(s)"},
		{"Ready", "False", "InstallFailed", message},
		{"Released", "False", "InstallFailed", message},
	})
}

// setHelmStatus writes the conditions (nil leaves them) and, as every pass of
// the real controller does, says which reconcile request has been seen.
func (r *Runner) setHelmStatus(ctx context.Context, t turn, want []condition) error {
	status := mapOf(t.obj, "status")
	if want != nil {
		status["conditions"] = conditions(t.obj, t.observed(), want...)
		status["lastAttemptedGeneration"] = t.obj.GetGeneration()
		if want[0].kind == "Stalled" || want[0].status == "True" && want[0].kind == "Ready" {
			status["observedGeneration"] = t.observed()
		} else if _, there := status["observedGeneration"]; !there {
			status["observedGeneration"] = int64(-1)
		}
	}
	if at := t.obj.GetAnnotations()["reconcile.fluxcd.io/requestedAt"]; at != "" {
		if t.resetRequested() {
			status["lastHandledResetAt"] = at
		}
		status["lastHandledReconcileAt"] = at
	}
	if len(status) == 0 {
		return nil
	}
	return r.setStatus(ctx, t.gvr, t.obj, status)
}

func observedGeneration(obj *unstructured.Unstructured) int64 {
	n, _, _ := unstructured.NestedInt64(obj.Object, "status", "observedGeneration")
	return n
}

// readySince is when the object last turned Ready; the zero time if it is not.
func readySince(obj *unstructured.Unstructured) time.Time {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == "Ready" && c["status"] == "True" {
			at, _ := c["lastTransitionTime"].(string)
			t, _ := time.Parse(time.RFC3339, at)
			return t
		}
	}
	return time.Time{}
}

// operatorWorkload is the least that the API server takes as a workload.
func operatorWorkload(op catalog.Operator, namespace string, labels map[string]string) *unstructured.Unstructured {
	selector := map[string]any{"app.kubernetes.io/name": op.Name}
	spec := map[string]any{
		"selector": map[string]any{"matchLabels": selector},
		"template": map[string]any{
			"metadata": map[string]any{"labels": selector},
			"spec": map[string]any{"containers": []any{
				map[string]any{"name": "operator", "image": "registry.example.org/" + op.Name + ":lab"},
			}},
		},
	}
	if op.Kind == "StatefulSet" {
		spec["serviceName"] = op.Name
	}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": op.Kind,
		"metadata": map[string]any{"name": op.Name, "namespace": namespace}, "spec": spec,
	}}
	obj.SetLabels(labels)
	obj.SetCreationTimestamp(metav1.Time{})
	return obj
}
