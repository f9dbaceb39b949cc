package wedge

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// MissingNamespace is a namespace that a set uses, that does not exist and that
// the set does not make in its first stage. It keeps the set from being applied
// as a missing kind does.
type MissingNamespace struct {
	Name string
	// Object is the first object of the set that is in it.
	Object Located
	Shape  Shape
	// Provider makes it: a Namespace of another set, or a HelmRelease with
	// createNamespace. Owner is the Kustomization whose set that is in.
	Provider Located
	Owner    tiers.Ref
	Hint     string
}

// String is one clause.
func (m MissingNamespace) String() string {
	what := "Namespace/" + m.Name
	if m.Object.File != "" {
		what += " (" + m.Object.position() + ")"
	}
	switch m.Shape {
	case SameSet, Ancestor:
		return fmt.Sprintf("%s comes with %s, which is in the same set and kept from being applied by it", what, m.Provider.Ref())
	case GateOrder:
		return fmt.Sprintf("%s is in %s, which waits for this one", what, m.Owner)
	case Coming:
		return fmt.Sprintf("%s is in %s, which does not wait for this one", what, m.Owner)
	case NoCreator:
	}
	return fmt.Sprintf("%s, which %s is in: nobody creates it", what, m.Object.Ref())
}

// namespaces adds the namespaces that are missing, and what makes them.
func (x *exam) namespaces(ctx context.Context, dx *Diagnosis, set *manifests.Set) error {
	first := map[string]manifests.Object{}
	made := map[string]bool{}
	for _, o := range set.Objects {
		switch name := o.GetNamespace(); {
		case o.LeftAlone():
		case o.IsNamespace():
			made[o.GetName()] = true
		case name != "" && first[name].Unstructured == nil:
			first[name] = o
		}
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if made[name] {
			continue
		}
		there, err := x.exists(ctx, namespaceNamed(name))
		if err != nil {
			return fmt.Errorf("look for Namespace/%s: %w", name, err)
		}
		if there {
			continue
		}
		if err := x.namespace(ctx, dx, set, name, first[name]); err != nil {
			return err
		}
	}
	return nil
}

// namespace finds what makes one namespace.
func (x *exam) namespace(ctx context.Context, dx *Diagnosis, set *manifests.Set, name string, user manifests.Object) error {
	m := MissingNamespace{Name: name, Object: locate(user), Shape: NoCreator}
	found := func(shape Shape, provider manifests.Object, owner tiers.Ref) {
		m.Shape, m.Provider, m.Owner = shape, locate(provider), owner
	}
	plant := func(p planting, o manifests.Object) error {
		return x.plant(ctx, dx, p, o, fmt.Sprintf("it makes Namespace/%s, which %s is in (%s)", name, m.Object.Ref(), m.Shape))
	}
	defer func() { dx.Namespaces = append(dx.Namespaces, m) }()
	var waiting *place
	for _, k := range x.All {
		if refOf(k) == refOf(x.Kustomization) || k.Spec.KubeConfig != nil { // another cluster gains by that one
			continue
		}
		other, err := x.set(ctx, k)
		if err != nil {
			continue // that one cannot be built: it reports so itself
		}
		i := slices.IndexFunc(other.Objects, func(o manifests.Object) bool { return o.IsNamespace() && o.GetName() == name && !o.LeftAlone() })
		switch {
		case i < 0:
		case x.behind(k):
			waiting = &place{provider: other.Objects[i], set: other, owner: k}
		default:
			found(Coming, other.Objects[i], refOf(k))
			return nil
		}
	}
	for _, o := range set.Objects {
		// A chart makes its namespace when it is installed; objects of the same set
		// are dry-run before that.
		if o.IsHelmRelease() && o.GetNamespace() != name && idle(o) == "" && makesNamespace(o.Unstructured, name) {
			found(SameSet, o, refOf(x.Kustomization))
			return plant(planting{set: set, owner: x.Kustomization}, o)
		}
	}
	if waiting != nil {
		found(GateOrder, waiting.provider, refOf(waiting.owner))
		return plant(planting{set: waiting.set, owner: waiting.owner}, waiting.provider)
	}
	m.Hint = fmt.Sprintf("Add Namespace/%s to this set, or to one that this one depends on; or take %s out of it.", name, m.Object.Ref())
	return nil
}

func makesNamespace(release *unstructured.Unstructured, name string) bool {
	creates, _, _ := unstructured.NestedBool(release.Object, "spec", "install", "createNamespace") // absent: false
	return creates && text(release, "spec", "targetNamespace") == name
}

func namespaceNamed(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	u.SetName(name)
	return u
}
