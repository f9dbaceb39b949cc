package cli

import (
	"context"
	"path"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/rehearsal"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// facts are the Kustomizations and sources of a cluster, or of a checkout as a
// cluster would have them.
type facts struct {
	tiers.Snapshot
	name  string             // of the cluster: a context, or the last part of the entry
	where string             // the cluster or the tree
	tree  *rehearsal.Listing // nil when the facts are a cluster's
}

// look gathers the facts. The order, which may be nil, says which cluster it is
// meant for, and where in a checkout the root is.
func look(ctx context.Context, command string, o common, t treeOptions, order *tiers.TierOrder, log *logger) (*facts, error) {
	if !t.given() {
		client, err := connect(ctx, o, order, log)
		if err != nil {
			return nil, err
		}
		view, err := client.Watch(ctx)
		if err != nil {
			return nil, notInstalled(err)
		}
		return &facts{Snapshot: bootstrap.Snapshot(view), name: client.ContextName(), where: "cluster"}, nil
	}
	ctx, cancel := withTimeout(ctx, o)
	defer cancel()
	tree, err := t.list(ctx, command, order)
	if err != nil {
		return nil, err
	}
	entry := t.Entry
	if entry == "" {
		entry = order.Entry
	}
	name := path.Base(path.Join("/", entry))
	if name == "/" {
		name = "" // the root of the repository names nothing
	}
	for _, k := range tree.Kustomizations {
		if k.Unseen != "" {
			log.warnf("what %s creates cannot be seen: %s", k.Ref.NamespacedName(), k.Unseen)
		}
	}
	return &facts{Snapshot: bootstrap.Snapshot(newTreeWorld(tree)), name: name, where: "tree", tree: tree}, nil
}

// treeWorld is a checkout as bootstrap looks at a cluster: nothing has been
// reconciled, and what is suspended is so in git.
type treeWorld struct {
	kustomizations []*kustomizev1.Kustomization
	sources        []waiters.Source
	suspended      map[tiers.Ref]bool
}

func newTreeWorld(l *rehearsal.Listing) *treeWorld {
	w := &treeWorld{suspended: map[tiers.Ref]bool{}}
	for _, k := range l.Kustomizations {
		object := k.Object.DeepCopy()
		// Flux tells a parent by these labels, and so does the snapshot.
		labels := map[string]string{}
		if len(k.Parents) > 0 {
			labels[wedge.OwnerNamespace], labels[wedge.OwnerName] = k.Parents[0].Namespace, k.Parents[0].Name
		}
		object.Labels = labels
		object.Status = kustomizev1.KustomizationStatus{}
		w.kustomizations = append(w.kustomizations, object)
		w.suspended[k.Ref] = object.Spec.Suspend
	}
	for _, s := range l.Sources {
		w.sources = append(w.sources, waiters.Source{Kind: s.Ref.Kind, Namespace: s.Ref.Namespace, Name: s.Ref.Name})
		w.suspended[s.Ref] = s.Suspended
	}
	return w
}

// Kustomization implements bootstrap.World.
func (w *treeWorld) Kustomization(ref tiers.Ref) *kustomizev1.Kustomization {
	for _, k := range w.kustomizations {
		if tiers.KustomizationRef(k.Namespace, k.Name) == ref {
			return k
		}
	}
	return nil
}

// Kustomizations implements bootstrap.World.
func (w *treeWorld) Kustomizations() []*kustomizev1.Kustomization { return w.kustomizations }

// Source implements bootstrap.World.
func (w *treeWorld) Source(ref tiers.Ref) (waiters.Source, bool) {
	for _, s := range w.sources {
		if ref == (tiers.Ref{Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}) {
			return s, true
		}
	}
	return waiters.Source{}, false
}

// Sources implements bootstrap.World.
func (w *treeWorld) Sources() []waiters.Source { return w.sources }

// Suspension implements bootstrap.World.
func (w *treeWorld) Suspension(ref tiers.Ref) tiers.Suspension {
	if w.suspended[ref] {
		return tiers.SuspendedInGit
	}
	return tiers.NotSuspended
}

// Changed implements bootstrap.World: a checkout stays as it is.
func (w *treeWorld) Changed() <-chan struct{} { return nil }

// TakeChanged implements bootstrap.World.
func (w *treeWorld) TakeChanged() []tiers.Ref { return nil }
