package waiters

import (
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Settled reports whether a Kustomization is Ready at the wanted revision and
// neither reconciling nor about to: its generation is observed and every
// request is answered. Only then is it safe to wake what depends on it, since
// a dependency that is just being reconciled again reads as not ready, and
// that costs the dependent a full requeue.
func Settled(k *kustomizev1.Kustomization, wanted string) bool {
	return JudgeKustomization(k, wanted).State == Ready &&
		!kustomizationFacts(k).is(meta.ReconcilingCondition)
}

// AppliedAt reports whether the set of a Kustomization was applied at the
// wanted revision, although it may still wait for health. Its children exist
// from then on. An empty wanted stands for any revision.
func AppliedAt(k *kustomizev1.Kustomization, wanted string) bool {
	if k == nil || k.Spec.Suspend || !k.DeletionTimestamp.IsZero() {
		return false
	}
	f := kustomizationFacts(k)
	ready := f.condition(meta.ReadyCondition)
	if ready == nil {
		return false
	}
	at := func(revision string) bool { return wanted == "" || revision == wanted }
	switch ready.Status {
	case metav1.ConditionTrue:
		return k.Status.ObservedGeneration == k.Generation && at(k.Status.LastAppliedRevision)
	case metav1.ConditionFalse:
		// Health is judged after everything was applied and pruned.
		return ready.Reason == meta.HealthCheckFailedReason && at(k.Status.LastAttemptedRevision)
	case metav1.ConditionUnknown:
		// Reconciling keeps the message of the last pass, renewed to the current
		// generation, after a failure; it is trusted only while Ready is Unknown,
		// that is, in the middle of this pass.
		c := f.condition(meta.ReconcilingCondition)
		if c == nil || c.Status != metav1.ConditionTrue {
			return false
		}
		m := reHealthRevision.FindStringSubmatch(c.Message)
		return m != nil && at(m[1])
	}
	return false
}
