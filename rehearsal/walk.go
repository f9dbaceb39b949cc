package rehearsal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/internal/schemas"
	"github.com/standup-sh/standup/tiers"
)

// node is one Kustomization and what it would apply.
type node struct {
	ref     tiers.Ref
	spec    kustomizev1.Kustomization
	raw     *unstructured.Unstructured
	object  manifests.Object // its definition; empty for a root that the tree does not define
	parents []*node

	source tiers.Ref
	// blind says why nobody can tell what the set is; empty when it is known. With
	// a remote base, set is what can be seen of it.
	blind string
	set   *manifests.Set
	// fault is why the set cannot be built, however long one waits.
	fault error
	// undefined are the variables that something outside of git may define.
	undefined *manifests.SubstituteError
	// values are the objects of substituteFrom that must exist first.
	values []objectKey
	// guessed: some of the values that it is substituted with are not known here.
	guessed bool
	tried   bool
}

func (n *node) objects() []manifests.Object {
	if n.set == nil {
		return nil
	}
	return n.set.Objects
}

// settled reports whether there is nothing to build.
func (n *node) settled() bool { return n.blind != "" || n.fault != nil }

// walk builds every Kustomization beneath the root, once.
type walk struct {
	opts    Options
	tree    *manifests.Tree
	entry   tiers.Ref // the source that the tree is
	trees   map[tiers.Ref]*manifests.Tree
	root    *node
	nodes   map[tiers.Ref]*node
	order   []*node
	values  map[objectKey]manifests.Object
	schemas *schemas.Set
	guessed map[*unstructured.Unstructured]bool // of values, those that are not what they will be
	sources map[tiers.Ref]manifests.Object
	// generators make sources of others.
	generators []*generator
	// instance are the components of the FluxInstance that syncs the entry.
	instance []string
	// settings are known when all is walked, and so is what rewrites Kustomizations.
	settings settings
	rewriter *manifests.Object
}

func newWalk(ctx context.Context, o Options, tree *manifests.Tree) (*walk, error) {
	if o.Catalog == nil {
		var err error
		if o.Catalog, err = catalog.Load(); err != nil {
			return nil, err
		}
	}
	w := &walk{
		opts: o, tree: tree, trees: map[tiers.Ref]*manifests.Tree{}, nodes: map[tiers.Ref]*node{},
		values: map[objectKey]manifests.Object{}, sources: map[tiers.Ref]manifests.Object{},
		guessed: map[*unstructured.Unstructured]bool{}, schemas: schemas.New(),
	}
	for ref, dir := range o.Sources {
		mapped, err := manifests.Open(dir)
		if err != nil {
			return nil, err
		}
		w.trees[ref] = mapped
	}
	w.readFlux()
	w.root = w.findRoot(ctx)
	w.entry = cmp.Or(o.Source, w.root.source)
	w.root.source = w.entry
	w.add(w.root)
	return w, nil
}

func (w *walk) add(n *node) {
	w.nodes[n.ref] = n
	w.order = append(w.order, n)
}

// patience is what a set is waited for: what it needs may be in one that is yet to
// be built, as in the cluster it exists before.
type patience int

const (
	forNothing  patience = iota
	forRequired          // its source, and what substituteFrom cannot do without
	forOptional          // what substituteFrom names at all
)

// all builds until nothing new is found, each set as late as need be.
func (w *walk) all(ctx context.Context) error {
	for p := forOptional; ; {
		progress := false
		for i := 0; i < len(w.order); i++ { // grows on the way
			n := w.order[i]
			if n.tried {
				continue
			}
			done, err := w.build(ctx, n, p)
			if err != nil {
				return err
			}
			if progress = progress || done; done && p < forOptional {
				break // others may have waited for this one
			}
		}
		switch {
		case progress:
			p = forOptional
		case p > forNothing:
			p--
		default:
			w.readSettings()
			w.findRewriter()
			return nil
		}
	}
}

// ripe reports whether all is found that a set is waited for.
func (w *walk) ripe(n *node, p patience) bool {
	if n.spec.Spec.PostBuild == nil {
		return true
	}
	return !slices.ContainsFunc(n.spec.Spec.PostBuild.SubstituteFrom, func(r kustomizev1.SubstituteReference) bool {
		_, found := w.values[objectKey{kind: r.Kind, namespace: n.ref.Namespace, name: r.Name}]
		return !found && (p == forOptional || p == forRequired && !r.Optional)
	})
}

// build makes the set of a node, unless something is worth waiting for.
func (w *walk) build(ctx context.Context, n *node, p patience) (done bool, err error) {
	tree := w.treeOf(n)
	if n.blind == "" && tree == nil && n.fault == nil {
		if p > forNothing {
			return false, nil
		}
		if n.blind, n.fault = w.unmade(n.source); !n.settled() {
			n.blind = w.unresolved(n)
		}
	}
	if n.settled() {
		n.tried = true
		return true, nil
	}
	if !w.ripe(n, p) {
		return false, nil
	}
	set, fault := tree.Build(ctx, n.raw, w, manifests.Options{Strict: w.opts.Flux.strict(), WithoutRemoteBases: true})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	missing := manifests.MissingValues(fault)
	n.tried = true
	n.blind = remoteBase(fault)
	switch s, undefined := errors.AsType[*manifests.SubstituteError](fault); {
	case n.blind != "" && undefined && len(missing) == 0:
		n.fault = s
	case len(missing) == 0 && n.blind == "":
		n.fault = fault
	}
	n.set = set
	n.values = w.valuesOf(n)
	n.guessed = w.guesses(n)
	w.index(n)
	return true, nil
}

// remoteBase says that a set needs the network, which a rehearsal does not use.
func remoteBase(fault error) string {
	if remote, ok := errors.AsType[*manifests.RemoteBaseError](fault); ok {
		return fmt.Sprintf("%s:%d refers to %s, which is not fetched", remote.File, remote.Line, remote.URL)
	}
	return ""
}

// index takes from a set what others need: values, sources, children.
func (w *walk) index(n *node) {
	for _, o := range n.objects() {
		if o.LeftAlone() {
			continue
		}
		gk := o.GroupVersionKind().GroupKind()
		switch {
		case gk.Group == "" && (gk.Kind == "ConfigMap" || gk.Kind == "Secret"):
			if _, ok := w.values[keyOf(o)]; !ok {
				w.values[keyOf(o)] = o
				w.guessed[o.Unstructured] = n.guesses(o)
			}
		case isGenerator(o):
			w.addGenerator(o)
		case gk.Group == sourceGroup:
			ref := tiers.Ref{Kind: gk.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}
			if _, ok := w.sources[ref]; !ok {
				w.sources[ref] = o
			}
		case gk.Group == kustomizev1.GroupVersion.Group && gk.Kind == kustomizev1.KustomizationKind:
			w.child(n, o)
		}
	}
}

// child makes a node of a Kustomization in a set, or notes one more parent:
// nobody stops two from applying the same one, or each other.
func (w *walk) child(parent *node, o manifests.Object) {
	child := newNode(o)
	if known, ok := w.nodes[child.ref]; ok {
		if !slices.Contains(known.parents, parent) && known != parent {
			known.parents = append(known.parents, parent)
		}
		return
	}
	child.parents = []*node{parent}
	w.add(child)
}

func newNode(o manifests.Object) *node {
	n := &node{ref: tiers.KustomizationRef(o.GetNamespace(), o.GetName()), object: o, raw: o.Unstructured}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &n.spec); err != nil {
		n.fault = &manifests.BuildError{Path: ".", Err: err}
	}
	n.source = tiers.Ref{Kind: n.spec.Spec.SourceRef.Kind, Namespace: cmp.Or(n.spec.Spec.SourceRef.Namespace, n.ref.Namespace), Name: n.spec.Spec.SourceRef.Name}
	if n.spec.Spec.KubeConfig != nil {
		n.blind = "it applies its set to another cluster"
	}
	return n
}

// descends reports whether n is beneath top and nothing else makes it.
func (n *node) descends(top *node) bool { return n.beneath(top, map[*node]bool{}) }

func (n *node) beneath(top *node, seen map[*node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	return slices.ContainsFunc(n.parents, func(p *node) bool { return p == top || p.beneath(top, seen) })
}
