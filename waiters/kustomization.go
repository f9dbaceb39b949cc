package waiters

import (
	"cmp"
	"regexp"
	"strings"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// JudgeKustomization judges a Kustomization; nil is Missing. wanted is the
// current artifact revision of its source; empty, when the source has none or
// is unknown, the revision is not compared.
//
// Freshness comes before readiness: last week's Ready=True says nothing about
// a spec or a reconcile request that the controller has not seen.
func JudgeKustomization(k *kustomizev1.Kustomization, wanted string) Observation {
	if k == nil {
		return missing()
	}
	f := kustomizationFacts(k)
	if seen, ok := f.unsettled(); ok {
		return seen
	}
	if c := f.stalled(); c != nil {
		return Observation{
			State: Stalled, Reason: c.Reason, Message: Shorten(c.Message),
			Revision: k.Status.LastAttemptedRevision, Cause: located(stalledCause(c), k),
		}
	}
	ready := f.condition(meta.ReadyCondition)
	switch ready.Status {
	case metav1.ConditionTrue:
		return judgeApplied(k, ready, wanted)
	case metav1.ConditionFalse:
		return judgeFailed(k, ready, wanted)
	case metav1.ConditionUnknown:
	}
	return Observation{
		State: Progressing, Reason: ready.Reason, Message: f.progress(Shorten(ready.Message)),
		Revision: k.Status.LastAttemptedRevision,
	}
}

func judgeApplied(k *kustomizev1.Kustomization, ready *metav1.Condition, wanted string) Observation {
	seen := Observation{State: Ready, Reason: ready.Reason, Message: Shorten(ready.Message), Revision: k.Status.LastAppliedRevision}
	switch {
	case k.Status.ObservedGeneration != k.Generation:
		seen.State, seen.Reason = Progressing, "NotObserved"
	case wanted != "" && wanted != seen.Revision:
		seen.State = Stale
	}
	return seen
}

func judgeFailed(k *kustomizev1.Kustomization, ready *metav1.Condition, wanted string) Observation {
	cause := located(Classify(ready.Reason, ready.Message), k)
	seen := Observation{State: Retrying, Reason: ready.Reason, Message: Shorten(ready.Message), Revision: attempted(k, ready)}
	switch ready.Reason {
	case meta.DependencyNotReadyReason:
		seen.State = Blocked
	case meta.HealthCheckCanceledReason:
		// A new reconciliation cut the health checks short and is queued already.
		seen.State = Progressing
		return seen
	}
	// What is terminal is so at its own revision only: the source has moved on
	// and the controller is about to try the new one.
	if cause.Class == Terminal && wanted != "" && seen.Revision != "" && seen.Revision != wanted {
		cause.Class = Passing
	}
	seen.Cause = cause
	return seen
}

// located completes the subject with what the object itself knows: the
// messages often do not say which source they mean, and never the namespace
// of a substituteFrom object or a decryption key, which can only be ours.
func located(c Cause, k *kustomizev1.Kustomization) Cause {
	if c.Kind == SourceMissing || c.Kind == SourceNoArtifact {
		ref := k.Spec.SourceRef
		return c.about(ref.Kind + " " + cmp.Or(ref.Namespace, k.Namespace) + "/" + ref.Name)
	}
	if c.Kind == SubstituteMissing || c.Kind == DecryptionFailed {
		if kind, name, ok := strings.Cut(c.Subject, " "); ok && !strings.Contains(name, "/") {
			return c.about(kind + " " + k.Namespace + "/" + name)
		}
	}
	if c.Kind == InvalidSpec {
		return c.orAbout("Kustomization " + k.Namespace + "/" + k.Name)
	}
	return c
}

var (
	reAttempt        = regexp.MustCompile(`for revision (\S+) with a timeout`)
	reHealthRevision = regexp.MustCompile(`^Running health checks for revision (\S+) with a timeout`)
)

// attempted returns the revision that a failure belongs to. The controller
// records the attempt only after it has found spec.path in the artifact, so
// failures before that are at the revision of its last progress message.
func attempted(k *kustomizev1.Kustomization, ready *metav1.Condition) string {
	if ready.Reason != meta.ArtifactFailedReason || !rePathMissing.MatchString(ready.Message) {
		return k.Status.LastAttemptedRevision
	}
	if c := kustomizationFacts(k).condition(meta.ReconcilingCondition); c != nil {
		if m := reAttempt.FindStringSubmatch(c.Message); m != nil {
			return m[1]
		}
	}
	return ""
}

func kustomizationFacts(k *kustomizev1.Kustomization) facts {
	return facts{
		conditions: k.Status.Conditions,
		generation: k.Generation, observed: k.Status.ObservedGeneration,
		requested: k.Annotations[meta.ReconcileRequestAnnotation], handled: k.Status.LastHandledReconcileAt,
		suspended: k.Spec.Suspend, deleting: !k.DeletionTimestamp.IsZero(),
	}
}
