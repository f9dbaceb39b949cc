package bootstrap

import (
	"context"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// World is the newest known state of the cluster's Flux objects, fed by one
// list and one watch per kind. Reading it costs nothing and never blocks.
type World interface {
	// Kustomization returns nil when the object does not exist. The result is
	// shared: do not modify it.
	Kustomization(ref tiers.Ref) *kustomizev1.Kustomization
	// Kustomizations returns all of them, sorted by namespace and name.
	Kustomizations() []*kustomizev1.Kustomization
	// Source returns false when the object does not exist, or its kind is not
	// served.
	Source(ref tiers.Ref) (waiters.Source, bool)
	// Sources returns all of them, sorted by kind, namespace and name.
	Sources() []waiters.Source
	// Suspension says who suspended an object, from its managed fields.
	Suspension(ref tiers.Ref) tiers.Suspension
	// Changed receives a value after something changed; many changes may share
	// one. TakeChanged returns what changed since it was last called.
	Changed() <-chan struct{}
	TakeChanged() []tiers.Ref
}

// Looker looks at any object in the cluster, uncached.
type Looker interface {
	// Get returns an error that IsNotFound recognises when the object, or its
	// kind, does not exist; the error is a waiters.TerminalError when it is
	// unauthorised or forbidden.
	Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error)
	// Served reports whether the API server serves the kind now. A GroupKind
	// without a version is given with an empty Version.
	Served(ctx context.Context, gvk schema.GroupVersionKind) (bool, error)
	// HasStatus reports whether objects of the kind normally have a status:
	// its CustomResourceDefinition has the status subresource.
	HasStatus(ctx context.Context, gk schema.GroupKind) (bool, error)
}

// Writer makes the only three changes that resume ever makes. Each is one
// merge patch with field manager "standup".
type Writer interface {
	// Resume removes spec.suspend.
	Resume(ctx context.Context, ref tiers.Ref) error
	// Nudge sets reconcile.fluxcd.io/requestedAt to token.
	Nudge(ctx context.Context, ref tiers.Ref, token string) error
	// Reset sets reconcile.fluxcd.io/requestedAt and resetAt of a HelmRelease to
	// token: helm-controller forgets its failures and tries again (it acts only
	// where both are equal; helm-controller api, v2/annotations.go). The error
	// is a waiters.TerminalError when it is forbidden.
	Reset(ctx context.Context, release tiers.Ref, token string) error
}
