package rehearsal

import (
	"path"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// how says in what way an object makes something exist.
type how int

const (
	byApply    how = iota // a CRD, a Namespace: as soon as it is applied
	byInstall             // what a chart has in it
	byOperator            // what an operator registers, some time after it runs
)

// bringer is an object of a set that makes kinds exist.
type bringer struct {
	node   *node
	object manifests.Object
	how    how
	brings catalog.Brings
	kind   catalog.Kind // of a CRD
	// unknown: a chart or operator that the catalogue does not know.
	unknown bool
}

// of says whether the kind comes with the object.
func (b *bringer) of(gk catalog.GroupKind) catalog.Answer {
	if b.kind.Kind != "" {
		if b.kind.GroupKind() == gk {
			return catalog.Yes
		}
		return catalog.No
	}
	if b.unknown {
		return catalog.No
	}
	return b.brings.Of(gk)
}

// bringers finds every object that makes kinds exist, in the order of the walk.
func (w *walk) bringers() []*bringer {
	var found []*bringer
	for _, n := range w.order {
		for _, o := range n.objects() {
			if o.LeftAlone() {
				continue
			}
			if b := w.bringer(n, o); b != nil {
				found = append(found, b)
			}
		}
	}
	return found
}

func (w *walk) bringer(n *node, o manifests.Object) *bringer {
	if kind, ok := defines(o); ok {
		return &bringer{node: n, object: o, how: byApply, kind: kind}
	}
	if o.IsHelmRelease() {
		b, known := w.opts.Catalog.Installed(w.releaseOf(o))
		return &bringer{node: n, object: o, how: howOf(b.Entry), brings: b, unknown: !known}
	}
	if kindOf(o).Group == "apps" {
		b, known := w.opts.Catalog.Operated(o.GetKind(), o.GetName())
		return &bringer{node: n, object: o, how: byOperator, brings: b, unknown: !known}
	}
	if b, ok := w.opts.Catalog.Provided(kindOf(o), o.Object); ok {
		return &bringer{node: n, object: o, how: byOperator, brings: b}
	}
	return nil
}

// crds says where a chart keeps the CRDs that come.
func (b *bringer) crds() catalog.CRDs {
	for _, s := range b.brings.Shares {
		if s.Come != catalog.No && s.CRDs != "" {
			return s.CRDs
		}
	}
	return ""
}

func howOf(e catalog.Entry) how {
	if e.Created == catalog.ByOperator {
		return byOperator
	}
	return byInstall
}

// resembles reports whether a bringer that nobody knows has a name in common
// with a group: then the kind may be its own.
func (b *bringer) resembles(gk catalog.GroupKind, w *walk) bool {
	return catalog.Related(gk.Group, w.namesOf(b)...)
}

// namesOf are the names of a bringer: its own, and its chart's without the
// registry, whose owner gives many charts and has groups of its own.
func (w *walk) namesOf(b *bringer) []string {
	names := []string{b.object.GetName()}
	if b.object.IsHelmRelease() {
		names = append(names, path.Base(w.releaseOf(b.object).Chart))
	}
	return names
}
