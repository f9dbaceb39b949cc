package standin

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
)

// provider stands in for an operator that brings kinds when it sees its custom
// resource: it creates the CRDs, waits until they are served, and only then
// says that the custom resource is done.
func (r *Runner) provider(entry catalog.Entry) reconcile {
	labels := managedBy(entry)
	return func(ctx context.Context, t turn) (time.Duration, error) {
		if t.obj.GetDeletionTimestamp() != nil {
			return 0, nil
		}
		if !t.due {
			return 0, nil
		}
		ready, err := r.operatorReady(ctx, entry.Operator)
		if err != nil {
			return 0, err
		}
		if !ready {
			return 200 * time.Millisecond, nil
		}
		if t.fault.Stalled {
			return 0, r.setProviderStatus(ctx, t, "Error", []condition{
				{"Available", "False", "StandIn", "failed by the lab"},
				{"Progressing", "False", "StandIn", "failed by the lab"},
				{"Degraded", "True", "StandIn", "failed by the lab"},
			})
		}
		kinds := r.provided(t.obj, entry)
		if err := r.createCRDs(ctx, kinds, labels); err != nil {
			return 0, err
		}
		served, err := r.served(ctx, kinds)
		if err != nil {
			return 0, err
		}
		if !served {
			return 50 * time.Millisecond, nil
		}
		return 0, r.setProviderStatus(ctx, t, "Deployed", fromMap(entry.Provider.Conditions))
	}
}

// setProviderStatus writes phase and conditions. There is no observedGeneration
// in them, because CDI has none either and a test must not come to rely on it.
func (r *Runner) setProviderStatus(ctx context.Context, t turn, phase string, want []condition) error {
	status := mapOf(t.obj, "status")
	status["phase"] = phase
	status["conditions"] = conditions(t.obj, 0, want...)
	return r.setStatus(ctx, t.gvr, t.obj, status)
}

// operatorReady says whether the operator's workload is there and available, in
// whatever namespace it was installed.
func (r *Runner) operatorReady(ctx context.Context, op *catalog.Operator) (bool, error) {
	if op == nil || r.opts.AssumeOperators {
		return true, nil
	}
	list, err := r.client.Resource(workload(op.Kind)).List(ctx, metav1.ListOptions{
		FieldSelector: "metadata.name=" + op.Name,
	})
	if err != nil {
		return false, fmt.Errorf("look for the operator %s: %w", op.Name, err)
	}
	for i := range list.Items {
		if available(&list.Items[i]) {
			return true, nil
		}
	}
	return false, nil
}

func workload(kind string) schema.GroupVersionResource {
	gvr := schema.GroupVersionResource{Group: "apps", Version: "v1"}
	switch kind {
	case "DaemonSet":
		gvr.Resource = "daemonsets"
	case "StatefulSet":
		gvr.Resource = "statefulsets"
	default:
		gvr.Resource = "deployments"
	}
	return gvr
}

// available says whether a workload of any kind serves.
func available(obj *unstructured.Unstructured) bool {
	for _, field := range []string{"availableReplicas", "numberAvailable"} {
		if n, ok, _ := unstructured.NestedInt64(obj.Object, "status", field); ok && n > 0 {
			return true
		}
	}
	return false
}
