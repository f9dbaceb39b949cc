package kube

import (
	"fmt"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// item is one Flux object as the view keeps it, made once per change. It is a
// runtime.Object so that the reflector carries it; the metadata is only what
// the reflector needs. Nothing in it changes after it is made.
type item struct {
	metav1.ObjectMeta
	ref           tiers.Ref
	suspension    suspension
	kustomization *kustomizev1.Kustomization // of kind Kustomization
	source        waiters.Source             // of any other kind
}

// GetObjectKind implements runtime.Object.
func (*item) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject implements runtime.Object. An item never changes.
func (i *item) DeepCopyObject() runtime.Object { return i }

// newItem converts an object of the given kind.
func newItem(kind string, u *unstructured.Unstructured) (*item, error) {
	suspended, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend") // another type is not true
	i := &item{
		ObjectMeta: metav1.ObjectMeta{
			Name: u.GetName(), Namespace: u.GetNamespace(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
		},
		ref: tiers.Ref{Kind: kind, Namespace: u.GetNamespace(), Name: u.GetName()},
	}
	if suspended {
		i.suspension = suspensionOf(u.GetManagedFields())
	}
	slim(u)
	var err error
	if kind == tiers.KindKustomization {
		i.kustomization, err = newKustomization(u)
	} else {
		i.source, err = waiters.SourceOf(u)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.ref, err)
	}
	return i, nil
}

func newKustomization(u *unstructured.Unstructured) (*kustomizev1.Kustomization, error) {
	k := new(kustomizev1.Kustomization)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, k); err != nil {
		return nil, err
	}
	return k, nil
}

// slim drops what is often larger than the rest of the object.
func slim(u *unstructured.Unstructured) {
	u.SetManagedFields(nil)
	unstructured.RemoveNestedField(u.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
}
