package waiters

import (
	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Source is what judging needs of any kind of Flux source. SourceOf fills it.
type Source struct {
	Kind, Namespace, Name          string
	Generation, ObservedGeneration int64
	Suspended                      bool
	URL                            string
	Conditions                     []metav1.Condition
	// Artifact is nil until something was fetched.
	Artifact *meta.Artifact
	// RequestedAt is the reconcile request that was last made,
	// LastHandled the one that the controller answered last.
	RequestedAt, LastHandled string
	// Static sources are never fetched and have no status: a HelmRepository of
	// type oci.
	Static bool
	// Deleting is true once a deletion timestamp is set.
	Deleting bool
}
