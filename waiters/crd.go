package waiters

import (
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// judgeCRD judges a CustomResourceDefinition: Ready once Established. That
// the kind is then served is another question, see NewKindServed.
func judgeCRD(u *unstructured.Unstructured) Observation {
	if u.GetDeletionTimestamp() != nil {
		return Observation{State: Progressing, Reason: "Deleting", Message: "being deleted"}
	}
	var crd struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &crd); err != nil {
		return unreadable(err)
	}
	if c := apimeta.FindStatusCondition(crd.Status.Conditions, "Established"); c != nil && c.Status == metav1.ConditionTrue {
		return Observation{State: Ready, Reason: "Established", Message: "is established"}
	}
	if c := apimeta.FindStatusCondition(crd.Status.Conditions, "NamesAccepted"); c != nil && c.Status == metav1.ConditionFalse {
		return Observation{
			State: Stalled, Reason: c.Reason, Message: Shorten(c.Message),
			Cause: newCause(InvalidObject, named(u)),
		}
	}
	return Observation{State: Progressing, Reason: "Installing", Message: "is not established yet"}
}
