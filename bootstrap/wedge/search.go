package wedge

import (
	"context"
	"fmt"
	"slices"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// finding is a missing kind together with the objects that would bring it.
type finding struct {
	Missing
	// apply is what has to be applied early: the provider, or the child
	// Kustomization above it. It is in set, the set of owner.
	apply manifests.Object
	set   *manifests.Set
	owner *kustomizev1.Kustomization
	// provider is the object that brings the kind.
	provider manifests.Object
}

// place is where a provider was found.
type place struct {
	provider manifests.Object
	// apply and set are the provider and its own set, or, when the provider is
	// beneath a child Kustomization that does not exist, that child and the set
	// which has it.
	apply manifests.Object
	set   *manifests.Set
	owner *kustomizev1.Kustomization
}

// missing finds what brings the kind of o, an object of set.
func (x *exam) missing(ctx context.Context, set *manifests.Set, o manifests.Object) (finding, error) {
	gvk := o.GroupVersionKind()
	f := finding{Missing: Missing{GroupVersionKind: gvk, Object: locate(o), Shape: NoCreator}}
	own, err := x.within(ctx, x.Kustomization, set, gvk.GroupKind())
	if err != nil {
		return f, err
	}
	others, err := x.elsewhere(ctx, gvk.GroupKind())
	if err != nil {
		return f, err
	}
	coming := slices.IndexFunc(others, x.comes)
	waiting := slices.IndexFunc(others, func(p place) bool { return x.behind(p.owner) || x.lacks(ctx, p.owner, set) })
	switch {
	case coming >= 0:
		f.found(others[coming], Coming, ByCatalogue)
	case own != nil && own.apply.Unstructured == own.provider.Unstructured:
		f.found(*own, SameSet, ByCatalogue)
	case own != nil:
		f.found(*own, Ancestor, ByCatalogue)
	case waiting >= 0:
		f.found(others[waiting], GateOrder, ByCatalogue)
	case len(others) > 0:
		f.found(others[0], Coming, ByCatalogue)
		f.Hint = fmt.Sprintf("It comes when %s applies its set, which it does not do now: see why.", f.Owner)
		if others[0].owner.Spec.Suspend {
			f.Hint = fmt.Sprintf("It comes when %s is resumed.", f.Owner)
		}
	case x.isServedOtherwise(ctx, gvk):
		f.Hint = "It is served in other versions only: use one of those, or upgrade what brings it in a Kustomization that this one depends on."
	default:
		if guess, ok := x.eliminate(ctx, set, gvk); ok {
			f.found(place{provider: guess, apply: guess, set: set, owner: x.Kustomization}, SameSet, ByElimination)
		} else {
			f.Hint = x.hint(ctx, gvk, set)
		}
	}
	return f, nil
}

func (f *finding) found(p place, shape Shape, how How) {
	f.Shape, f.How = shape, how
	f.provider, f.apply, f.set, f.owner = p.provider, p.apply, p.set, p.owner
	f.Provider, f.Owner = locate(p.provider), refOf(p.owner)
	if shape == Ancestor {
		f.Owner = locate(p.apply).Ref()
	}
}

// within looks for a provider in a set and beneath the child Kustomizations of
// it that do not exist yet; those that exist are looked at by themselves. It
// returns nil when there is none.
func (x *exam) within(ctx context.Context, owner *kustomizev1.Kustomization, set *manifests.Set, gk schema.GroupKind) (*place, error) {
	return x.descend(ctx, owner, set, gk, map[tiers.Ref]bool{refOf(owner): true})
}

func (x *exam) descend(ctx context.Context, owner *kustomizev1.Kustomization, set *manifests.Set, gk schema.GroupKind, visited map[tiers.Ref]bool) (*place, error) {
	for _, o := range set.Objects {
		defines, ok := definedKind(o)
		if idle(o) == "" && (ok && defines == gk || x.brings(ctx, o, set, gk)) {
			return &place{provider: o, apply: o, set: set, owner: owner}, nil
		}
	}
	for _, o := range set.Objects {
		child, ok := childOf(o)
		if !ok || child.Spec.Suspend || visited[refOf(child)] || x.isLive(refOf(child)) {
			continue
		}
		visited[refOf(child)] = true
		below, err := x.set(ctx, child)
		if err != nil {
			continue // its own fault, and not what this set fails on
		}
		found, err := x.descend(ctx, child, below, gk, visited)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return &place{provider: found.provider, apply: o, set: set, owner: owner}, nil
		}
	}
	return nil, nil //nolint:nilnil // none is an answer
}

// elsewhere looks for providers in the sets of all other Kustomizations, and
// beneath children that they have yet to create.
func (x *exam) elsewhere(ctx context.Context, gk schema.GroupKind) ([]place, error) {
	var found []place
	for _, k := range x.All {
		if refOf(k) == refOf(x.Kustomization) || k.Spec.KubeConfig != nil { // another cluster gains by that one
			continue
		}
		set, err := x.set(ctx, k)
		if err != nil {
			continue // that one cannot be built: it reports so itself
		}
		p, err := x.within(ctx, k, set, gk)
		if err != nil {
			return nil, err
		}
		if p != nil {
			found = append(found, *p)
		}
	}
	return found, ctx.Err()
}

// comes reports whether what is at a place will be applied by itself.
func (x *exam) comes(p place) bool { return !x.behind(p.owner) && x.Comes(p.owner) }

// lacks reports whether another Kustomization fails in its turn on a kind that
// only set brings: each waits for the other then.
func (x *exam) lacks(ctx context.Context, k *kustomizev1.Kustomization, set *manifests.Set) bool {
	if k.Spec.Suspend || x.Comes(k) {
		return false
	}
	its, err := x.set(ctx, k)
	if err != nil {
		return false // it fails on something else
	}
	absent, err := x.absent(ctx, its)
	if err != nil {
		return false // whoever asks about the own set's kinds learns of it
	}
	for _, o := range absent {
		gk := o.GroupVersionKind().GroupKind()
		if own, err := x.within(ctx, x.Kustomization, set, gk); err == nil && own != nil {
			return true
		}
	}
	return false
}

// isServedOtherwise reports whether the kind is served in another version: then
// what brings it is there.
func (x *exam) isServedOtherwise(ctx context.Context, gvk schema.GroupVersionKind) bool {
	served, err := x.isServed(ctx, schema.GroupVersionKind{Group: gvk.Group, Kind: gvk.Kind})
	return err == nil && served
}

func (x *exam) behind(k *kustomizev1.Kustomization) bool { return slices.Contains(x.Behind, refOf(k)) }

func (x *exam) isLive(ref tiers.Ref) bool {
	return slices.ContainsFunc(x.All, func(k *kustomizev1.Kustomization) bool { return refOf(k) == ref })
}

// childOf reads a Flux Kustomization among the objects of a set.
func childOf(o manifests.Object) (*kustomizev1.Kustomization, bool) {
	gvk := o.GroupVersionKind()
	if gvk.Kind != kustomizev1.KustomizationKind || gvk.Group != kustomizev1.GroupVersion.Group || o.LeftAlone() {
		return nil, false
	}
	var k kustomizev1.Kustomization
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &k); err != nil {
		return nil, false // the API server will refuse it and say why
	}
	return &k, true
}

// eliminate finds a provider that the catalogue does not know: nothing is known
// to bring the kind, and one HelmRelease of the set has an unknown chart. Of
// several, the one that shares a word with the kind's group is taken; so it is
// where the catalogue knows the kind, since that chart may be a copy of one that
// it knows. A tool's file is brought by nothing.
func (x *exam) eliminate(ctx context.Context, set *manifests.Set, gvk schema.GroupVersionKind) (manifests.Object, bool) {
	gk := catalog.GroupKind(gvk.GroupKind())
	if _, tools := x.doctor.Catalog.Tool(gk); tools {
		return manifests.Object{}, false
	}
	var unknown []manifests.Object
	for _, o := range set.Objects {
		if o.IsHelmRelease() && idle(o) == "" && !x.chartKnown(ctx, o, set) {
			unknown = append(unknown, o)
		}
	}
	if len(unknown) > 1 || len(x.doctor.Catalog.Providing(gk)) > 0 {
		unknown = slices.DeleteFunc(unknown, func(o manifests.Object) bool {
			return !catalog.Related(gvk.Group, o.GetName(), x.releaseOf(ctx, o, set).Chart)
		})
	}
	if len(unknown) != 1 {
		return manifests.Object{}, false
	}
	return unknown[0], true
}
