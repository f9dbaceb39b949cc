package wedge

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/tiers"
)

// Shape says where the object that brings a kind stands, and so why the kind
// does not come, or that it will.
type Shape string

// Shapes.
const (
	// SameSet: the provider is in the set that the missing kind keeps from
	// being applied.
	SameSet Shape = "same-set"
	// Ancestor: the provider is beneath a child Kustomization of that set,
	// which is kept from being created.
	Ancestor Shape = "ancestor"
	// GateOrder: the provider is in a Kustomization that waits for this one.
	GateOrder Shape = "gate-order"
	// Coming: the provider is in a Kustomization that does not wait for this
	// one. That is no wedge: the kind comes when it is applied.
	Coming Shape = "coming"
	// NoCreator: nothing that is known brings the kind.
	NoCreator Shape = "no-creator"
)

// Wedged reports whether Flux can leave the state by itself; a provider that
// nobody knows may still be outside Flux.
func (s Shape) Wedged() bool { return s != Coming }

// Missing is one kind that a set uses and the API server does not serve.
type Missing struct {
	schema.GroupVersionKind
	// Object is the first object of the set that has the kind.
	Object Located
	Shape  Shape
	// Provider brings the kind; zero for NoCreator. Owner is the Kustomization
	// whose set it is in; for Ancestor, the child that it is beneath.
	Provider Located
	Owner    tiers.Ref
	// How says how the provider was found.
	How How
	// Hint is one sentence for a kind that nothing brings, or that is coming and
	// takes somebody's help.
	Hint string
}

// How says how a provider was found.
type How string

// Ways to find a provider.
const (
	// ByCatalogue: the catalogue, or the object itself, says that it brings the
	// kind.
	ByCatalogue How = "catalogue"
	// ByElimination: nothing else brings the kind, and one HelmRelease of the
	// set has a chart that the catalogue does not know.
	ByElimination How = "elimination"
)

// Located is an object and where it is written.
type Located struct {
	APIVersion, Kind, Namespace, Name string
	// File is relative to the root of the tree, empty where it is not known;
	// Line counts from 1, and is 0 where it is not known.
	File string
	Line int
}

// Ref names the object as steps and reports do.
func (l Located) Ref() tiers.Ref {
	return tiers.Ref{Kind: l.Kind, Namespace: l.Namespace, Name: l.Name}
}

// IsZero reports whether l names nothing.
func (l Located) IsZero() bool { return l == Located{} }

// Seed is one object to apply early: a provider, or what a provider needs.
type Seed struct {
	// Object is as its Kustomization would apply it, but for our annotation.
	Object *unstructured.Unstructured
	// Printable is the same with the values that came from Secrets left out.
	Printable *unstructured.Unstructured
	// RedactText takes the same values out of a text that may quote the object.
	RedactText func(string) string
	// Owner is the Kustomization whose set the object is in.
	Owner tiers.Ref
	// Why says in one sentence why it is applied early.
	Why string
	// Await are kinds that have to be served first: earlier seeds bring them.
	Await []schema.GroupVersionKind
}

// Ref names the seed's object.
func (s Seed) Ref() tiers.Ref {
	return tiers.Ref{Kind: s.Object.GetKind(), Namespace: s.Object.GetNamespace(), Name: s.Object.GetName()}
}

// Unmet is something that a provider needs and that applying objects of its
// set does not bring.
type Unmet struct {
	// What names it; Remedy is one sentence.
	What, Remedy string
}

// Diagnosis is what was found about one Kustomization.
type Diagnosis struct {
	Kustomization tiers.Ref
	// Revision is the one whose manifests were looked at.
	Revision string
	// Missing lists every kind that the set uses and that is absent, sorted.
	// Flux reports only the first.
	Missing []Missing
	// Namespaces lists every namespace that the set uses and that is missing.
	Namespaces []MissingNamespace
	// Stale is set when the controller says that a kind is missing which the API
	// server serves: what the controller remembers is out of date.
	Stale schema.GroupVersionKind
	// Residue is what earlier stages of the failed attempts have left.
	Residue Residue
	// Behind are the Kustomizations that cannot start because of this one.
	Behind []tiers.Ref
	// Seeds are to be applied in this order. None, when nothing is wedged, or
	// when the wedge cannot be broken in this way.
	Seeds []Seed
	Unmet []Unmet
	// Asked is set when seeds were named by the operator.
	Asked bool
}

// Wedged reports whether a kind, or a namespace, is missing that does not come
// by itself.
func (d *Diagnosis) Wedged() bool { return slices.ContainsFunc(d.shapes(), Shape.Wedged) }

// shapes lists where what is missing stands, one for each kind and namespace.
func (d *Diagnosis) shapes() []Shape {
	var all []Shape
	for i := range d.Missing {
		all = append(all, d.Missing[i].Shape)
	}
	for i := range d.Namespaces {
		all = append(all, d.Namespaces[i].Shape)
	}
	return all
}

// Repairable reports whether applying the seeds brings everything that does not
// come by itself.
func (d *Diagnosis) Repairable() bool {
	return len(d.Unmet) == 0 && len(d.Seeds) > 0 && !slices.Contains(d.shapes(), NoCreator)
}
