package tiers

import (
	"cmp"
	"slices"
	"strconv"
)

// Picture is who needs whom, for people to look at. It judges nothing: Check
// does that.
type Picture struct {
	// Tiers are the tiers of TIER_ORDER, in order. Without a file they are the
	// levels of the graph, by number.
	Tiers []string
	// Ordered is true when the tiers come from a file.
	Ordered bool
	Nodes   []PictureNode // by ref
	Edges   []PictureEdge // by ends, then kind
	Cycles  []Cycle
}

// PictureNode is a Kustomization or a source.
type PictureNode struct {
	Ref Ref
	// Tier is empty for a source, and for what no tier lists.
	Tier string
	// Missing is true for what is only named: by a dependsOn, a sourceRef, or a
	// tier.
	Missing   bool
	Suspended bool
	// File and Line are where it is written, and Unseen says why nobody can tell
	// what it creates, where the one who draws knows that.
	File   string
	Line   int
	Unseen string
}

// EdgeKind says how one object needs another.
type EdgeKind string

// Kinds of edges, each from the one that needs to the one that is needed.
const (
	// EdgeDependsOn is a dependsOn.
	EdgeDependsOn EdgeKind = "dependsOn"
	// EdgeCreatedBy is from a Kustomization to the one whose set it is in.
	EdgeCreatedBy EdgeKind = "createdBy"
	// EdgeWaitsFor is from a Kustomization to one whose health it waits for.
	EdgeWaitsFor EdgeKind = "waitsFor"
	// EdgeSource is from a Kustomization to its source.
	EdgeSource EdgeKind = "source"
)

// PictureEdge is one need.
type PictureEdge struct {
	From, To Ref
	Kind     EdgeKind
	// Cycle is true when the edge is part of one of the cycles.
	Cycle bool
}

// NewPicture draws a snapshot. The order may be nil.
func NewPicture(order *TierOrder, s Snapshot) *Picture {
	r := relate(s, nil)
	p := &Picture{Cycles: r.cycles()}
	nodes := map[Ref]*PictureNode{}
	for ref, k := range r.all {
		nodes[ref] = &PictureNode{Ref: ref, Missing: k.Missing, Suspended: k.Suspension != NotSuspended}
	}
	p.draw(r)
	p.arrange(order, r, nodes)
	sources := map[Ref]Source{}
	for _, src := range s.Sources {
		sources[src.Ref] = src
	}
	for _, e := range p.Edges { // a source that nothing uses is no part of it
		if nodes[e.To] == nil {
			src, there := sources[e.To]
			nodes[e.To] = &PictureNode{Ref: e.To, Missing: !there, Suspended: src.Suspension != NotSuspended}
		}
	}
	for _, n := range nodes {
		p.Nodes = append(p.Nodes, *n)
	}
	slices.SortFunc(p.Nodes, func(a, b PictureNode) int { return a.Ref.Compare(b.Ref) })
	p.tidy()
	return p
}

// CreatedBy adds one more parent: in a cluster the last that applied it counts,
// and from a tree nobody can tell which that is.
func (p *Picture) CreatedBy(child, parent Ref) {
	if child == parent {
		return
	}
	p.Edges = append(p.Edges, PictureEdge{From: child, To: parent, Kind: EdgeCreatedBy})
	p.tidy()
}

func (p *Picture) draw(r *relations) {
	add := func(from, to Ref, kind EdgeKind) {
		p.Edges = append(p.Edges, PictureEdge{From: from, To: to, Kind: kind, Cycle: kind.closes() && p.inCycle(from, to)})
	}
	for _, ref := range r.refs() {
		k := r.all[ref]
		for _, d := range k.DependsOn { // also what is not there
			add(ref, d, EdgeDependsOn)
		}
		for _, w := range r.waitsFor(ref) {
			add(ref, w, EdgeWaitsFor)
		}
		if parent, ok := r.parent(ref); ok {
			add(ref, parent, EdgeCreatedBy)
		}
		if k.Source.Name != "" {
			add(ref, k.Source, EdgeSource)
		}
	}
}

// closes reports whether edges of the kind can be part of a cycle.
func (k EdgeKind) closes() bool { return k == EdgeDependsOn || k == EdgeWaitsFor }

func (p *Picture) inCycle(from, to Ref) bool {
	for _, c := range p.Cycles {
		for i, ref := range c.Path {
			if ref == from && c.Path[(i+1)%len(c.Path)] == to {
				return true
			}
		}
	}
	return false
}

// arrange puts the nodes into tiers. What a tier lists and is not there becomes
// a node that is missing.
func (p *Picture) arrange(order *TierOrder, r *relations, nodes map[Ref]*PictureNode) {
	if order == nil || len(order.Tiers) == 0 {
		for i, level := range r.starts().Levels() {
			p.Tiers = append(p.Tiers, strconv.Itoa(i+1))
			for _, ref := range level {
				nodes[ref].Tier = p.Tiers[i]
			}
		}
		return
	}
	p.Ordered = true
	order = order.fill()
	for i := range order.Tiers {
		t := &order.Tiers[i]
		p.Tiers = append(p.Tiers, t.Name)
		for _, ref := range t.Members(order.Defaults.Namespace) {
			if nodes[ref] == nil {
				nodes[ref] = &PictureNode{Ref: ref, Missing: true}
			}
			nodes[ref].Tier = cmp.Or(nodes[ref].Tier, t.Name)
		}
	}
}

// tidy sorts the edges and leaves one of each.
func (p *Picture) tidy() {
	slices.SortFunc(p.Edges, func(a, b PictureEdge) int {
		return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To), cmp.Compare(a.Kind, b.Kind))
	})
	p.Edges = slices.Compact(p.Edges)
}
