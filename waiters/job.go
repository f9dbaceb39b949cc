package waiters

import (
	"fmt"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// judgeJob judges a Job as Flux does, which differs from kstatus: a Job that
// merely runs is not Ready.
func judgeJob(u *unstructured.Unstructured) Observation {
	if u.GetDeletionTimestamp() != nil {
		return Observation{State: Progressing, Reason: "Deleting", Message: "being deleted"}
	}
	with, err := status.GetObjectWithConditions(u.Object)
	if err != nil {
		return unreadable(err)
	}
	count := fmt.Sprintf("%d of %d succeeded", number(u, 0, "status", "succeeded"),
		number(u, number(u, 1, "spec", "parallelism"), "spec", "completions"))
	for _, c := range with.Status.Conditions {
		if c.Status != "True" {
			continue
		}
		switch c.Type {
		case "Complete":
			return Observation{State: Ready, Reason: "Complete", Message: count}
		case "Failed":
			return Observation{
				State: Stalled, Reason: "JobFailed", Message: Shorten(count + ": " + c.Reason + ": " + c.Message),
				Cause: newCause(HealthCheckFailed, named(u)),
			}
		case "Suspended":
			return Observation{State: Suspended, Reason: "Suspended", Message: "spec.suspend is true"}
		}
	}
	return Observation{State: Progressing, Reason: "Running", Message: count}
}
