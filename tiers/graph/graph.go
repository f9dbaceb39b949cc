// Package graph is a small deterministic directed graph: the same vertices and
// edges give the same answers in the same order, however they were added.
package graph

import (
	"maps"
	"slices"
)

// Graph maps each vertex to the vertices that it depends on.
type Graph[K comparable] struct {
	compare func(a, b K) int
	deps    map[K]map[K]struct{}
}

// New returns an empty graph. compare is a total order; it breaks every tie.
func New[K comparable](compare func(a, b K) int) *Graph[K] {
	return &Graph[K]{compare: compare, deps: map[K]map[K]struct{}{}}
}

// Add inserts v; adding it twice is a no-op.
func (g *Graph[K]) Add(v K) {
	if g.deps[v] == nil {
		g.deps[v] = map[K]struct{}{}
	}
}

// Depend records that from needs to, and adds both.
func (g *Graph[K]) Depend(from, to K) {
	g.Add(from)
	g.Add(to)
	g.deps[from][to] = struct{}{}
}

// Cut removes the edge from -> to.
func (g *Graph[K]) Cut(from, to K) { delete(g.deps[from], to) }

// Len counts the vertices.
func (g *Graph[K]) Len() int { return len(g.deps) }

// Vertices lists every vertex in order.
func (g *Graph[K]) Vertices() []K { return slices.SortedFunc(maps.Keys(g.deps), g.compare) }

// DependsOn lists the direct dependencies of v in order.
func (g *Graph[K]) DependsOn(v K) []K {
	if len(g.deps[v]) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(g.deps[v]), g.compare)
}

// Behind lists everything that needs v, directly or through others, in order.
// v itself is not listed, not even when it is on a cycle.
func (g *Graph[K]) Behind(v K) []K {
	dependents := make(map[K][]K, len(g.deps))
	for from, tos := range g.deps {
		for to := range tos {
			dependents[to] = append(dependents[to], from)
		}
	}
	seen := map[K]bool{v: true}
	var found []K
	for next := []K{v}; len(next) > 0; {
		last := next[len(next)-1]
		next = next[:len(next)-1]
		for _, d := range dependents[last] {
			if !seen[d] {
				seen[d] = true
				found = append(found, d)
				next = append(next, d)
			}
		}
	}
	slices.SortFunc(found, g.compare)
	return found
}
