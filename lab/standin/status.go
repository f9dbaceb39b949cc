package standin

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// condition is one condition to write.
type condition struct{ kind, status, reason, message string }

// conditions turns them into what a status holds. The transition time of one
// whose status does not change is kept, so that writing twice changes nothing.
func conditions(obj *unstructured.Unstructured, generation int64, want ...condition) []any {
	old := map[any]map[string]any{}
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok {
			old[c["type"]] = c
		}
	}
	out := make([]any, 0, len(want))
	for _, w := range want {
		c := map[string]any{
			"type": w.kind, "status": w.status, "reason": w.reason, "message": w.message,
			"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
		}
		if was, ok := old[w.kind]; ok && was["status"] == w.status && was["lastTransitionTime"] != nil {
			c["lastTransitionTime"] = was["lastTransitionTime"]
		}
		if generation > 0 {
			c["observedGeneration"] = generation
		}
		out = append(out, c)
	}
	return out
}

// fromMap turns the catalogue's conditions into conditions to write.
func fromMap(want map[string]string) []condition {
	out := make([]condition, 0, len(want))
	for _, kind := range slices.Sorted(maps.Keys(want)) {
		out = append(out, condition{kind, want[kind], "StandIn", "set by the lab"})
	}
	return out
}

// observed is the generation to report: the current one, or an older one where
// the fault says that the status is stale.
func (t turn) observed() int64 {
	if t.fault.Stale {
		return max(t.obj.GetGeneration()-1, 0)
	}
	return t.obj.GetGeneration()
}

func isTrue(obj *unstructured.Unstructured, kind string) bool {
	list, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == kind && c["status"] == "True" {
			return true
		}
	}
	return false
}

func equalStatus(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(a.Object["status"], b.Object["status"])
}
