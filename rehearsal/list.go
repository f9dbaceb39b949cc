package rehearsal

import (
	"context"
	"slices"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// Listing is what Flux would find in a tree, without a judgement.
type Listing struct {
	// Kustomizations has the root and all beneath it, by name.
	Kustomizations []Listed
	// Sources has the source that the checkout is, those that a directory stands
	// for, and those of the tree, by name.
	Sources []ListedSource
}

// Listed is one Kustomization of a tree.
type Listed struct {
	Ref tiers.Ref
	// Object is its definition; that of `flux bootstrap` for a root which the tree
	// does not define.
	Object *kustomizev1.Kustomization
	// Parents are those whose sets it is in: none for a root, and more than one
	// where several sets have it.
	Parents []tiers.Ref
	// File and Line are where it is written; zero where that is not known.
	File string
	Line int
	// Unseen says why nobody can tell what it creates; empty where that is known.
	Unseen string
}

// ListedSource is one source object.
type ListedSource struct {
	Ref       tiers.Ref
	Suspended bool
}

// Walk lists the Kustomizations beneath the entry: it builds what Run builds, and
// judges nothing. Of the options it needs those that say where the sets are.
func Walk(ctx context.Context, o Options) (*Listing, error) {
	tree, err := manifests.Open(o.Path)
	if err != nil {
		return nil, err
	}
	if !tree.HasDir(o.Entry) {
		return nil, &EntryError{Path: o.Path, Entry: o.Entry}
	}
	w, err := newWalk(ctx, o, tree)
	if err != nil {
		return nil, err
	}
	if err := w.all(ctx); err != nil {
		return nil, err
	}
	return w.listing(), nil
}

func (w *walk) listing() *Listing {
	l := &Listing{}
	for _, n := range w.order {
		l.Kustomizations = append(l.Kustomizations, n.listed())
	}
	sources := map[tiers.Ref]bool{w.entry: false}
	for ref := range w.trees {
		sources[ref] = false
	}
	for ref, o := range w.sources {
		sources[ref] = flagAt(o.Unstructured, "spec", "suspend")
	}
	for ref, suspended := range sources {
		l.Sources = append(l.Sources, ListedSource{Ref: ref, Suspended: suspended})
	}
	slices.SortFunc(l.Kustomizations, func(a, b Listed) int { return a.Ref.Compare(b.Ref) })
	slices.SortFunc(l.Sources, func(a, b ListedSource) int { return a.Ref.Compare(b.Ref) })
	return l
}

func (n *node) listed() Listed {
	object := n.spec.DeepCopy()
	object.Namespace, object.Name = n.ref.Namespace, n.ref.Name // also of one that could not be read
	l := Listed{Ref: n.ref, Object: object, File: n.object.File, Line: n.object.Line}
	for _, p := range n.parents {
		l.Parents = append(l.Parents, p.ref)
	}
	slices.SortFunc(l.Parents, tiers.Ref.Compare)
	switch {
	case n.blind != "":
		l.Unseen = n.blind
	case n.set == nil && n.fault != nil:
		l.Unseen = n.fault.Error()
	}
	return l
}
