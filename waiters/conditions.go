package waiters

import (
	"github.com/fluxcd/pkg/apis/meta"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// facts are what the judgements of Flux's own kinds have in common.
type facts struct {
	conditions           []metav1.Condition
	generation, observed int64
	requested, handled   string
	suspended, deleting  bool
}

// condition returns the condition if it was set for the current generation.
// A failing object's status.observedGeneration stays behind (at -1 before the
// first success), so the condition's own generation decides; only where a
// controller states none does the status' one. Some controllers state
// neither; then there is nothing to compare.
func (f facts) condition(kind string) *metav1.Condition {
	c := apimeta.FindStatusCondition(f.conditions, kind)
	if c == nil {
		return nil
	}
	stated := c.ObservedGeneration
	if stated == 0 {
		stated = f.observed
	}
	if stated != 0 && stated != f.generation {
		return nil
	}
	return c
}

// is reports whether the condition is True for the current generation.
func (f facts) is(kind string) bool {
	c := f.condition(kind)
	return c != nil && c.Status == metav1.ConditionTrue
}

// requestPending reports whether a reconcile request waits for its answer.
// The controllers copy it into the status at the end of every pass, failed
// ones too, so equality means seen, never succeeded.
func (f facts) requestPending() bool {
	return f.requested != "" && f.requested != f.handled
}

// unsettled judges everything that makes the Ready condition not worth
// reading. The second result is false when there is no such thing.
func (f facts) unsettled() (Observation, bool) {
	switch {
	case f.suspended:
		return Observation{State: Suspended, Reason: "Suspended", Message: "spec.suspend is true"}, true
	case f.deleting:
		return Observation{State: Progressing, Reason: "Deleting", Message: "being deleted"}, true
	case f.requestPending():
		return Observation{State: Progressing, Reason: "Requested", Message: f.progress("the controller has not answered the request yet")}, true
	case len(f.conditions) == 0:
		return Observation{State: Progressing, Reason: "NotObserved", Message: "the controller has not looked at it yet"}, true
	case f.condition(meta.ReadyCondition) == nil && !f.is(meta.StalledCondition):
		return Observation{State: Progressing, Reason: "NotObserved", Message: f.progress("the controller has not looked at the newest spec yet")}, true
	}
	return Observation{}, false
}

// stalled returns the Stalled condition, unless Ready=True contradicts it.
func (f facts) stalled() *metav1.Condition {
	if f.is(meta.ReadyCondition) || !f.is(meta.StalledCondition) {
		return nil
	}
	return f.condition(meta.StalledCondition)
}

// progress returns what the controller says that it is doing right now.
func (f facts) progress(otherwise string) string {
	c := f.condition(meta.ReconcilingCondition)
	if c != nil && c.Status == metav1.ConditionTrue && c.Reason != meta.ProgressingWithRetryReason && c.Message != "" {
		return Shorten(c.Message)
	}
	return otherwise
}
