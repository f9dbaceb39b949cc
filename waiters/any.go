package waiters

import (
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// StatusGrace is how long a custom resource may be without a status before it
// counts as ready. kstatus takes an object without conditions for Current, so
// one that its operator has not looked at yet seems healthy. It cannot be
// awaited for ever either: some kinds declare a status that nobody writes.
const StatusGrace = 2 * time.Minute

// judgeAny judges by kstatus what no other file judges.
func judgeAny(u *unstructured.Unstructured, hasStatus bool, now time.Time) Observation {
	seen := kstatus(u)
	if !hasStatus || seen.State != Ready {
		return seen
	}
	if s, _, err := unstructured.NestedMap(u.Object, "status"); err != nil || len(s) > 0 {
		return seen
	}
	if now.Sub(u.GetCreationTimestamp().Time) >= StatusGrace {
		return Observation{State: Ready, Reason: "NoStatus", Message: "nobody has written a status; taken as ready"}
	}
	return Observation{
		State: Progressing, Reason: "NoStatusYet", Message: "its controller has not written a status yet",
		Cause: newCause(NoStatusYet, named(u)),
	}
}

// kstatus is kstatus's verdict in our words.
func kstatus(u *unstructured.Unstructured) Observation {
	res, err := status.Compute(u)
	if err != nil {
		// Conditions or generations of a type of their own: kstatus knows nothing
		// of this object, and what it knows nothing of it calls Current.
		return Observation{State: Ready, Reason: "Unreadable", Message: Shorten(err.Error())}
	}
	seen := Observation{State: Ready, Reason: res.Status.String(), Message: Shorten(res.Message)}
	if len(res.Conditions) > 0 && res.Conditions[0].Reason != "" {
		seen.Reason = res.Conditions[0].Reason
	}
	switch res.Status {
	case status.CurrentStatus:
	case status.TerminatingStatus:
		seen.State, seen.Reason, seen.Message = Progressing, "Deleting", "being deleted"
	case status.FailedStatus:
		seen.State, seen.Cause = Stalled, newCause(HealthCheckFailed, named(u))
	case status.NotFoundStatus:
		return missing()
	case status.InProgressStatus, status.UnknownStatus:
		seen.State = Progressing
	}
	return seen
}
