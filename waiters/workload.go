package waiters

import (
	"fmt"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// judgeWorkload judges a Deployment, StatefulSet or DaemonSet. kstatus
// decides; we only count, since "1 of 3 available" is what people ask for.
func judgeWorkload(u *unstructured.Unstructured) Observation {
	seen := kstatus(u)
	if seen.Reason == "Deleting" || seen.Reason == "Unreadable" {
		return seen
	}
	want, have := replicas(u)
	count := fmt.Sprintf("%d of %d available", have, want)
	if want < 0 {
		count = "not counted yet"
	}
	switch seen.State {
	case Ready:
		seen.Reason, seen.Message = "Available", count
	case Stalled:
		seen.Message = count + ": " + seen.Message
	case Unknown, Missing, Suspended, Blocked, Progressing, Retrying, Stale:
		if why := replicaFailure(u); why != "" {
			count += ": " + why
		}
		seen.Message = Shorten(count)
	}
	return seen
}

// replicas returns how many replicas are wanted and how many are available;
// wanted is negative when it is not known yet.
func replicas(u *unstructured.Unstructured) (want, have int64) {
	if u.GetKind() == "DaemonSet" {
		return number(u, -1, "status", "desiredNumberScheduled"), number(u, 0, "status", "numberAvailable")
	}
	return number(u, 1, "spec", "replicas"), number(u, 0, "status", "availableReplicas")
}

// replicaFailure returns why pods cannot even be created, such as a quota.
func replicaFailure(u *unstructured.Unstructured) string {
	with, err := status.GetObjectWithConditions(u.Object)
	if err != nil {
		return ""
	}
	for _, c := range with.Status.Conditions {
		if c.Type == "ReplicaFailure" && c.Status == "True" {
			return c.Message
		}
	}
	return ""
}

func number(u *unstructured.Unstructured, otherwise int64, path ...string) int64 {
	if n, ok, err := unstructured.NestedInt64(u.Object, path...); ok && err == nil {
		return n
	}
	return otherwise
}
