package rehearsal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// inventory is what the Kustomizations of one revision apply.
type inventory struct {
	nodes  map[tiers.Ref]*node
	owners map[objectKey][]owned
}

type owned struct {
	node   *node
	object manifests.Object
}

func newInventory(w *walk) inventory {
	inv := inventory{nodes: w.nodes, owners: map[objectKey][]owned{}}
	for _, n := range w.order {
		for _, o := range n.objects() {
			if !o.LeftAlone() {
				inv.owners[keyOf(o)] = append(inv.owners[keyOf(o)], owned{n, o})
			}
		}
	}
	return inv
}

// find gives an object of a Kustomization's set.
func (inv inventory) find(key objectKey, ref tiers.Ref) (manifests.Object, bool) {
	for _, o := range inv.owners[key] {
		if o.node.ref == ref {
			return o.object, true
		}
	}
	return manifests.Object{}, false
}

// change compares two revisions of a tree: what happens on a cluster that is at
// the first when the second arrives.
type change struct {
	s        *stage
	before   *walk
	old, now inventory
	r        *Result
	outcomes map[*node]*outcome
}

// compare adds what the step from an earlier revision does to a live cluster.
func (s *stage) compare(ctx context.Context, r *Result, outcomes map[*node]*outcome) error {
	if s.w.opts.From == "" {
		return nil
	}
	o := s.w.opts
	o.Path, o.From = o.From, ""
	tree, err := manifests.Open(o.Path)
	if err != nil {
		return err
	}
	if !tree.HasDir(o.Entry) {
		return &EntryError{Path: "the earlier revision", Entry: o.Entry}
	}
	before, err := newWalk(ctx, o, tree)
	if err != nil {
		return err
	}
	if err := before.all(ctx); err != nil {
		return err
	}
	c := change{s: s, before: before, old: newInventory(before), now: newInventory(s.w), r: r, outcomes: outcomes}
	for _, n := range before.order {
		c.leaving(n)
	}
	for _, n := range s.w.order {
		c.immutable(n)
		c.suspend(n)
	}
	return nil
}

// leaving judges the objects that a Kustomization drops. It prunes them if it
// still owns them by then (kustomize-controller, prune; the labels of the owner
// decide), and all that it has when it is removed itself (finalize).
func (c *change) leaving(n *node) {
	if n.blind != "" || n.spec.Spec.Suspend {
		return
	}
	successor, stays := c.s.w.nodes[n.ref]
	if stays && (successor.blind != "" || successor.fault != nil || !successor.spec.Spec.Prune || successor.spec.Spec.Suspend) || !stays && !c.prunesAtEnd(n) {
		return
	}
	rest := map[*node][]manifests.Object{}
	for _, o := range n.objects() {
		key := keyOf(o)
		if o.LeftAlone() || keptFromPruning(o) || c.s.child(key) != nil || c.before.nodes[tiers.KustomizationRef(key.namespace, key.name)] != nil && key.kind == "Kustomization" {
			continue
		}
		if _, kept := c.now.find(key, n.ref); kept {
			continue
		}
		heirs := c.now.owners[key]
		switch {
		case len(heirs) == 0 && precious(key):
			gone := o
			gone.File, gone.Line = "", 0 // of the earlier revision
			c.tell(n, gone, InPrune, fmt.Sprintf("%s, which was in %s, is in no set any more: %s deletes it%s", named(o), o.File, n.ref, costOf(key)),
				"Annotate it with kustomize.toolkit.fluxcd.io/prune: disabled first, if it has to stay.")
		case len(heirs) > 0 && !c.adoptedFirst(n, heirs[0].node) && precious(key):
			c.moved(n, heirs[0].node, []manifests.Object{heirs[0].object})
		case len(heirs) > 0 && !c.adoptedFirst(n, heirs[0].node):
			rest[heirs[0].node] = append(rest[heirs[0].node], heirs[0].object)
		}
	}
	for _, heir := range c.s.w.order {
		if objects := rest[heir]; len(objects) > 0 {
			c.moved(n, heir, objects)
		}
	}
}

// prunesAtEnd: spec.deletionPolicy, by default as spec.prune says; and somebody
// has to remove the Kustomization: a parent that prunes.
func (c *change) prunesAtEnd(n *node) bool {
	pruned := slices.ContainsFunc(n.parents, func(p *node) bool {
		now, ok := c.s.w.nodes[p.ref]
		return !ok || now.spec.Spec.Prune
	})
	switch n.spec.Spec.DeletionPolicy {
	case "Delete", "WaitForTermination":
		return pruned
	case "Orphan":
		return false
	}
	return pruned && n.spec.Spec.Prune
}

// keptFromPruning: the annotations that prune honours.
func keptFromPruning(o manifests.Object) bool {
	const prefix = "kustomize.toolkit.fluxcd.io/"
	for key, value := range map[string]string{prefix + "prune": "disabled", prefix + "reconcile": "disabled", prefix + "ssa": "Ignore"} {
		if strings.EqualFold(o.GetAnnotations()[key], value) || strings.EqualFold(o.GetLabels()[key], value) {
			return true
		}
	}
	return false
}

// adoptedFirst reports whether the new owner has surely applied an object before
// the old one prunes: then the old one finds that it is not its own any more.
func (c *change) adoptedFirst(n, heir *node) bool {
	successor, stays := c.s.w.nodes[n.ref]
	if !stays {
		return false
	}
	before := map[*node]bool{}
	c.s.before(successor, before)
	return before[heir] && !heir.descends(successor)
}

// precious objects take something with them that nobody can make again.
func precious(key objectKey) bool { return costOf(key) != "" }

func costOf(key objectKey) string {
	switch (catalog.GroupKind{Group: key.group, Kind: key.kind}) {
	case catalog.GroupKind{Kind: "Namespace"}:
		return ", and with it all that is in it"
	case catalog.GroupKind{Kind: "PersistentVolumeClaim"}, catalog.GroupKind{Kind: "PersistentVolume"}:
		return ", and with it the data, where the reclaim policy is Delete"
	case catalog.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:
		return ", and with it all objects of the kind"
	case catalog.GroupKind{Kind: "Secret"}:
		return ", and with it what was put into it since"
	}
	return ""
}

// moved tells of objects that another Kustomization takes over.
func (c *change) moved(n, heir *node, objects []manifests.Object) {
	names := named(objects[0])
	if len(objects) > 1 {
		names = fmt.Sprintf("%s and %d more", names, len(objects)-1)
	}
	window := "until that has applied it"
	if c.s.behind(heir, n.ref) {
		window = fmt.Sprintf("until that has applied it, which it does only once %s is Ready at the new revision", n.ref.Name)
	}
	c.tell(n, objects[0], InMove,
		fmt.Sprintf("%s moves to %s: %s deletes it once%s, and it is away %s", names, heir.ref, n.ref, costOf(keyOf(objects[0])), window),
		fmt.Sprintf("Let %s be Ready before this is merged. To keep what moves: merge with prune: false on %s, wait until its label kustomize.toolkit.fluxcd.io/name is %s, and set prune: true again in a second commit.",
			n.ref.NamespacedName(), n.ref.Name, heir.ref.Name))
}

// behind reports whether a Kustomization is ordered after one of that name.
func (s *stage) behind(n *node, ref tiers.Ref) bool {
	before := map[*node]bool{}
	s.before(n, before)
	for b := range before {
		if b.ref == ref {
			return true
		}
	}
	return false
}

// tell adds a hazard, to the Kustomization of the new revision or, where that is
// gone, to the one that removes it.
func (c *change) tell(n *node, o manifests.Object, class Class, message, remedy string) {
	at := n
	for at != nil && c.s.w.nodes[at.ref] == nil {
		if len(at.parents) == 0 {
			at = nil
			break
		}
		at = at.parents[0]
	}
	f := remark(n, o, Hazard, class, message, remedy)
	c.r.Findings = append(c.r.Findings, f...)
	if at == nil {
		return
	}
	c.outcomes[c.s.w.nodes[at.ref]].worsen(Hazard, class)
}

// suspend tells of a suspend that the change brings or takes away.
func (c *change) suspend(n *node) {
	old, ok := c.old.nodes[n.ref]
	if !ok || old.spec.Spec.Suspend == n.spec.Spec.Suspend {
		return
	}
	message, remedy := "the change resumes it: all that has changed since it was suspended is applied at once", "Look at what that is before this is merged."
	if n.spec.Spec.Suspend {
		message, remedy = "the change suspends it: nothing of it is applied any more, and what depends on it waits for a revision that it never applies", "Make sure that this is meant."
	}
	c.tell(n, n.object, IsSuspended, message, remedy)
}
