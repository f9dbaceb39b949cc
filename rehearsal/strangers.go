package rehearsal

import (
	"path"
	"slices"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// creators lists what would meet a need, in the order of the walk.
func (s *stage) creators(n need) []creator {
	if n.kind.Kind == "" {
		return s.index[n.object]
	}
	if found, ok := s.byKind[n.kind]; ok {
		return found
	}
	found := []creator{}
	for _, b := range s.bringers {
		if b.of(n.kind) != catalog.No && !s.farFetched(b, n.kind) {
			found = append(found, creator{node: b.node, object: b.object, bringer: b, how: b.how})
		}
	}
	if len(found) == 0 {
		found = s.suspects(n.kind)
	}
	s.byKind[n.kind] = found
	return found
}

// farFetched reports whether a bringer is one of those that may bring anything,
// and the kind is known to come with something else.
func (s *stage) farFetched(b *bringer, gk catalog.GroupKind) bool {
	if _, listed := b.brings.Share(gk); listed || !b.brings.Unknown {
		return false
	}
	return s.builtIn(gk) || len(s.w.opts.Catalog.Providing(gk)) > 0
}

// builtIn reports whether a kind is in one of Kubernetes' own groups, to which
// nobody adds.
func (s *stage) builtIn(gk catalog.GroupKind) bool { return gk.Kind != "" && s.builtInGroups[gk.Group] }

// suspects are the charts and operators that nobody knows and that share a name
// with the kind's group, or with a chart that brings it: somebody may have packed
// the same operator anew. A tool's file is brought by nothing.
func (s *stage) suspects(gk catalog.GroupKind) []creator {
	found := []creator{}
	if _, tools := s.w.opts.Catalog.Tool(gk); tools || s.builtIn(gk) {
		return found
	}
	for _, b := range s.bringers {
		if b.unknown && (b.resembles(gk, s.w) || s.namesake(b, gk)) {
			found = append(found, creator{node: b.node, object: b.object, bringer: b, how: b.how})
		}
	}
	return found
}

// namesake reports whether an unknown chart has the name of one that brings a kind.
func (s *stage) namesake(b *bringer, gk catalog.GroupKind) bool {
	if !b.object.IsHelmRelease() {
		return false
	}
	chart := path.Base(s.w.releaseOf(b.object).Chart)
	return slices.ContainsFunc(s.w.opts.Catalog.Providing(gk), func(e catalog.Entry) bool {
		return e.Chart != nil && slices.Contains(e.Chart.Names, chart)
	})
}

// strangers lists the Kustomizations and objects that could bring anything: sets
// that nobody can see, what makes objects of templates, charts that nobody knows.
// What has a word in common with the group goes first. A group that is empty asks
// for other objects than kinds.
func (s *stage) strangers(gk catalog.GroupKind) []creator {
	if _, tools := s.w.opts.Catalog.Tool(gk); tools || s.builtIn(gk) {
		return nil
	}
	known := len(s.w.opts.Catalog.Providing(gk)) > 0
	var near, far []creator
	add := func(c creator, names ...string) {
		if gk.Kind != "" && catalog.Related(gk.Group+"/"+gk.Kind, names...) {
			near = append(near, c)
		} else {
			far = append(far, c)
		}
	}
	for _, n := range s.w.order {
		if n.blind != "" {
			add(creator{node: n, object: n.object}, append(n.remote(), n.ref.Name)...)
		}
		for _, o := range n.objects() {
			if expands(o) {
				add(creator{node: n, object: o, how: byOperator}, o.GetName())
			}
		}
	}
	for _, b := range s.bringers {
		anything := b.object.IsHelmRelease() && b.unknown && !known || b.brings.Unknown && !s.farFetched(b, gk)
		if gk.Kind != "" && anything {
			add(creator{node: b.node, object: b.object, bringer: b, how: b.how}, s.w.namesOf(b)...)
		}
	}
	return slices.Concat(near, far)
}

// remote are the addresses of what is missing in a set.
func (n *node) remote() []string {
	if n.set == nil {
		return nil
	}
	return slices.Clone(n.set.Remote)
}

// expands reports whether the Flux Operator makes further objects of one, from
// templates that are not expanded here.
func expands(o manifests.Object) bool {
	return kindOf(o) == catalog.GroupKind{Group: operatorGroup, Kind: "ResourceSet"} && !o.LeftAlone()
}
