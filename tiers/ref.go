package tiers

import (
	"cmp"
	"strings"
)

// Kinds that a plan speaks of, as Flux spells them.
const (
	KindKustomization    = "Kustomization"
	KindGitRepository    = "GitRepository"
	KindOCIRepository    = "OCIRepository"
	KindBucket           = "Bucket"
	KindExternalArtifact = "ExternalArtifact"
	// KindKind is for a Ref that names a kind, as Kind.group, and no object.
	KindKind = "kind"
)

// Ref names one object of the Flux API by kind, namespace and name. The API
// group follows from the kind. The zero Ref names nothing.
type Ref struct {
	Kind      string
	Namespace string
	Name      string
}

// KustomizationRef names a Flux Kustomization.
func KustomizationRef(namespace, name string) Ref {
	return Ref{Kind: KindKustomization, Namespace: namespace, Name: name}
}

// String returns kind/namespace/name, the spelling used in step IDs and logs.
func (r Ref) String() string { return r.Kind + "/" + r.NamespacedName() }

// NamespacedName returns namespace/name, the spelling of TIER_ORDER and JSON;
// the name alone for what has no namespace.
func (r Ref) NamespacedName() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// IsZero reports whether r names nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

// Compare orders refs by kind, then namespace, then name.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(
		strings.Compare(r.Kind, o.Kind),
		strings.Compare(r.Namespace, o.Namespace),
		strings.Compare(r.Name, o.Name),
	)
}
