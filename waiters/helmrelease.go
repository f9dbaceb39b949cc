package waiters

import (
	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// judgeHelmRelease judges a HelmRelease. helm-controller's default is no
// retry at all: the first failed install leaves it Stalled, and no new commit
// elsewhere, no passing of time and no plain reconcile request moves it.
func judgeHelmRelease(hr *helmv2.HelmRelease) Observation {
	f := helmReleaseFacts(hr)
	if seen, ok := f.unsettled(); ok {
		return seen
	}
	ready := f.condition(meta.ReadyCondition)
	if c := f.stalled(); c != nil {
		message := c.Message
		if ready != nil && ready.Message != "" && ready.Message != message {
			message += ": " + ready.Message // what failed, not only how often
		}
		return Observation{
			State: Stalled, Reason: c.Reason, Message: Shorten(message), Revision: hr.Status.LastAttemptedRevision,
			Cause: stalledCause(c).orAbout("HelmRelease/" + hr.Namespace + "/" + hr.Name),
		}
	}
	seen := Observation{
		State: Progressing, Reason: ready.Reason, Message: f.progress(Shorten(ready.Message)),
		Revision: hr.Status.LastAttemptedRevision,
	}
	switch ready.Status {
	case metav1.ConditionTrue:
		// Drift correction and tests keep Ready=True and say Reconciling.
		if !f.is(meta.ReconcilingCondition) {
			seen.State, seen.Message = Ready, Shorten(ready.Message)
		}
	case metav1.ConditionFalse:
		seen.State, seen.Message = Retrying, Shorten(ready.Message)
		if ready.Reason == meta.DependencyNotReadyReason {
			seen.State = Blocked
		}
		seen.Cause = Classify(ready.Reason, ready.Message)
	case metav1.ConditionUnknown:
	}
	return seen
}

func helmReleaseFacts(hr *helmv2.HelmRelease) facts {
	return facts{
		conditions: hr.Status.Conditions,
		generation: hr.Generation, observed: hr.Status.ObservedGeneration,
		requested: hr.Annotations[meta.ReconcileRequestAnnotation], handled: hr.Status.LastHandledReconcileAt,
		suspended: hr.Spec.Suspend, deleting: !hr.DeletionTimestamp.IsZero(),
	}
}
