package tiers

import (
	"maps"
	"slices"

	"github.com/standup-sh/standup/tiers/graph"
)

// relations is who needs whom among the Kustomizations of a snapshot.
type relations struct {
	all      map[Ref]*Kustomization
	children map[Ref][]Ref // by parent, in order
}

// relate reads a snapshot without what skip names.
func relate(s Snapshot, skip map[Ref]bool) *relations {
	r := &relations{all: make(map[Ref]*Kustomization, len(s.Kustomizations)), children: map[Ref][]Ref{}}
	for i := range s.Kustomizations {
		if k := &s.Kustomizations[i]; !skip[k.Ref] {
			r.all[k.Ref] = k
		}
	}
	for _, ref := range r.refs() {
		if parent, ok := r.parent(ref); ok {
			r.children[parent] = append(r.children[parent], ref)
		}
	}
	return r
}

func (r *relations) refs() []Ref { return slices.SortedFunc(maps.Keys(r.all), Ref.Compare) }

func (r *relations) has(ref Ref) bool { return r.all[ref] != nil }

// parent returns who applies ref. One that applies itself has no parent.
func (r *relations) parent(ref Ref) (Ref, bool) {
	parent := r.all[ref].Parent
	return parent, parent != ref && r.has(parent)
}

// dependencies lists what ref depends on and is there, in order.
func (r *relations) dependencies(ref Ref) []Ref {
	var found []Ref
	for _, d := range r.all[ref].DependsOn {
		if r.has(d) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, Ref.Compare)
	return slices.Compact(found)
}

// waitsFor lists what must be Ready before ref itself can be.
func (r *relations) waitsFor(ref Ref) []Ref {
	k := r.all[ref]
	if !k.Waits {
		return nil
	}
	if len(k.WaitsFor) == 0 {
		return r.children[ref]
	}
	var found []Ref
	for _, w := range k.WaitsFor {
		if w != ref && r.has(w) {
			found = append(found, w)
		}
	}
	slices.SortFunc(found, Ref.Compare)
	return slices.Compact(found)
}

// needs is the graph of what must be Ready first: dependsOn, and the children
// that a waiting parent waits for. A cycle in it never resolves.
func (r *relations) needs() *graph.Graph[Ref] {
	g := graph.New(Ref.Compare)
	for ref := range r.all {
		g.Add(ref)
		for _, d := range r.dependencies(ref) {
			g.Depend(ref, d)
		}
		for _, c := range r.waitsFor(ref) {
			g.Depend(ref, c)
		}
	}
	return g
}

// starts is the graph of what must have come first when something starts:
// what it depends on, what that in turn waits for, and the parent that applies
// the object. Two Kustomizations that apply each other make a cycle in it, and
// yet both turn Ready.
func (r *relations) starts() *graph.Graph[Ref] {
	g := graph.New(Ref.Compare)
	waited := map[Ref][]Ref{}
	for ref := range r.all {
		g.Add(ref)
		for _, d := range r.dependencies(ref) {
			g.Depend(ref, d)
			if _, known := waited[d]; !known {
				waited[d] = r.waitedClosure(d)
			}
			for _, w := range waited[d] {
				g.Depend(ref, w)
			}
		}
		if parent, ok := r.parent(ref); ok {
			g.Depend(ref, parent)
		}
	}
	return g
}

// waitedClosure lists everything that ref waits for, and what that waits for.
func (r *relations) waitedClosure(ref Ref) []Ref {
	seen := map[Ref]bool{ref: true}
	var found []Ref
	for next := []Ref{ref}; len(next) > 0; next = next[1:] {
		for _, w := range r.waitsFor(next[0]) {
			if !seen[w] {
				seen[w] = true
				found = append(found, w)
				next = append(next, w)
			}
		}
	}
	return found
}

// cycles names every tangle of needs once.
func (r *relations) cycles() []Cycle {
	var cycles []Cycle
	for _, path := range r.needs().Cycles() {
		c := Cycle{Path: path}
		for i, ref := range path {
			if next := path[(i+1)%len(path)]; !slices.Contains(r.all[ref].DependsOn, next) {
				c.Waits = append(c.Waits, ref)
			}
		}
		cycles = append(cycles, c)
	}
	return cycles
}

// BehindOf lists what cannot start before ref is Ready, directly or through
// others: through dependsOn, through the source when ref is one, and as a child
// that does not exist yet.
func BehindOf(s Snapshot, ref Ref) []Ref {
	r := relate(s, nil)
	g := graph.New(Ref.Compare)
	g.Add(ref)
	for k := range r.all {
		for _, d := range r.dependencies(k) {
			g.Depend(k, d)
		}
		if parent, ok := r.parent(k); ok && r.all[k].Missing {
			g.Depend(k, parent)
		}
		if r.all[k].Source == ref {
			g.Depend(k, ref)
		}
	}
	return g.Behind(ref)
}
