package waiters

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Looker gets any object. An error that apierrors.IsNotFound recognises means
// that the object, or its kind, does not exist.
type Looker interface {
	Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error)
}

// KindLooker tells whether the API server serves a kind now. An empty Version
// stands for any.
type KindLooker interface {
	Served(ctx context.Context, gvk schema.GroupVersionKind) (bool, error)
}

// DryRunner creates an object on the server as a dry run: admission webhooks
// and policies are asked, nothing is stored.
type DryRunner interface {
	DryRunCreate(ctx context.Context, obj *unstructured.Unstructured) error
}

// Target names one object. Namespace is empty for cluster-scoped kinds.
type Target struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
}

// String names the target as Flux does: Kind/namespace/name.
func (t Target) String() string {
	if t.Namespace == "" {
		return t.GVK.Kind + "/" + t.Name
	}
	return t.GVK.Kind + "/" + t.Namespace + "/" + t.Name
}

// get returns nil, without an error, for an object that does not exist.
func (t Target) get(ctx context.Context, look Looker) (*unstructured.Unstructured, error) {
	u, err := look.Get(ctx, t.GVK, t.Namespace, t.Name)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return u, err
}

func missing() Observation {
	return Observation{State: Missing, Reason: "NotFound", Message: "does not exist"}
}
