package standin

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func replicas(obj *unstructured.Unstructured) int64 {
	if n, ok, _ := unstructured.NestedInt64(obj.Object, "spec", "replicas"); ok {
		return n
	}
	return 1
}

// deployment reports what the deployment controller would: first a rollout in
// progress, after the delay a finished one.
func (r *Runner) deployment(ctx context.Context, t turn) (time.Duration, error) {
	n := replicas(t.obj)
	status := map[string]any{"observedGeneration": t.observed(), "replicas": n, "updatedReplicas": n}
	switch {
	case t.due && t.fault.Stalled:
		status["unavailableReplicas"] = n
		status["conditions"] = conditions(t.obj, 0,
			condition{"Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."},
			condition{"Progressing", "False", "ProgressDeadlineExceeded", "ReplicaSet has timed out progressing."})
	case t.due:
		status["readyReplicas"], status["availableReplicas"] = n, n
		status["conditions"] = conditions(t.obj, 0,
			condition{"Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."},
			condition{"Progressing", "True", "NewReplicaSetAvailable", "ReplicaSet has successfully progressed."})
	case isTrue(t.obj, "Available"):
		// A changed template rolls: the old replicas go on serving.
		return 0, nil
	default:
		status["unavailableReplicas"] = n
		status["conditions"] = conditions(t.obj, 0,
			condition{"Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."},
			condition{"Progressing", "True", "ReplicaSetUpdated", "ReplicaSet is progressing."})
	}
	return 0, r.setStatus(ctx, t.gvr, t.obj, status)
}

// statefulSet reports a set whose replicas are all ready after the delay.
func (r *Runner) statefulSet(ctx context.Context, t turn) (time.Duration, error) {
	if !t.due {
		return 0, nil
	}
	n := replicas(t.obj)
	revision := t.obj.GetName() + "-lab"
	return 0, r.setStatus(ctx, t.gvr, t.obj, map[string]any{
		"observedGeneration": t.observed(), "replicas": n, "readyReplicas": n, "availableReplicas": n,
		"currentReplicas": n, "updatedReplicas": n, "currentRevision": revision, "updateRevision": revision,
	})
}

// daemonSet reports a set on a cluster of one node.
func (r *Runner) daemonSet(ctx context.Context, t turn) (time.Duration, error) {
	if !t.due {
		return 0, nil
	}
	return 0, r.setStatus(ctx, t.gvr, t.obj, map[string]any{
		"observedGeneration": t.observed(), "desiredNumberScheduled": int64(1), "currentNumberScheduled": int64(1),
		"numberReady": int64(1), "numberAvailable": int64(1), "updatedNumberScheduled": int64(1), "numberMisscheduled": int64(0),
	})
}

// job reports a job that ran once, successfully unless the fault says stalled.
func (r *Runner) job(ctx context.Context, t turn) (time.Duration, error) {
	if isTrue(t.obj, "Complete") || isTrue(t.obj, "Failed") {
		return 0, nil
	}
	start := t.obj.GetCreationTimestamp().UTC().Format(time.RFC3339)
	now := time.Now().UTC().Format(time.RFC3339)
	switch {
	case !t.due:
		if _, running, _ := unstructured.NestedString(t.obj.Object, "status", "startTime"); running {
			return 0, nil
		}
		return 0, r.setStatus(ctx, t.gvr, t.obj, map[string]any{"startTime": start, "active": int64(1)})
	case t.fault.Stalled:
		// The API server wants to see why a job fails before it takes Failed.
		return 0, r.setStatus(ctx, t.gvr, t.obj, map[string]any{
			"startTime": start, "failed": int64(1),
			"conditions": conditions(t.obj, 0,
				condition{"FailureTarget", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit"},
				condition{"Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit"}),
		})
	default:
		return 0, r.setStatus(ctx, t.gvr, t.obj, map[string]any{
			"startTime": start, "completionTime": now, "succeeded": int64(1),
			"conditions": conditions(t.obj, 0,
				condition{"SuccessCriteriaMet", "True", "CompletionsReached", "Reached expected number of succeeded pods"},
				condition{"Complete", "True", "CompletionsReached", "Reached expected number of succeeded pods"}),
		})
	}
}
