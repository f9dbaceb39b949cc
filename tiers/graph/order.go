package graph

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"
	"time"
)

// CycleError names exactly the vertices of one cycle, smallest first.
type CycleError[K comparable] struct{ Path []K }

func (e *CycleError[K]) Error() string {
	words := make([]string, 0, len(e.Path)+1)
	for _, v := range e.Path {
		words = append(words, fmt.Sprint(v))
	}
	return "dependency cycle: " + strings.Join(append(words, words[0]), " -> ")
}

// Order lists every vertex after all that it depends on; among those that are
// free to come next, the smallest comes first. A graph with a cycle has no
// order, and the error is a CycleError.
func (g *Graph[K]) Order() ([]K, error) {
	dependents := make(map[K][]K, len(g.deps))
	waits := make(map[K]int, len(g.deps))
	free := &queue[K]{compare: g.compare}
	for v, deps := range g.deps {
		waits[v] = len(deps)
		for d := range deps {
			dependents[d] = append(dependents[d], v)
		}
		if len(deps) == 0 {
			free.items = append(free.items, v)
		}
	}
	heap.Init(free)
	order := make([]K, 0, len(g.deps))
	for free.Len() > 0 {
		v := heap.Pop(free).(K)
		order = append(order, v)
		for _, d := range dependents[v] {
			if waits[d]--; waits[d] == 0 {
				heap.Push(free, d)
			}
		}
	}
	if len(order) < len(g.deps) {
		return nil, &CycleError[K]{Path: g.Cycles()[0]}
	}
	return order, nil
}

// CriticalPath returns the chain of dependencies with the greatest total
// weight, first to last. Edges inside a cycle do not count.
func (g *Graph[K]) CriticalPath(weight func(K) time.Duration) []K {
	best := make(map[K]time.Duration, len(g.deps))
	before := make(map[K]K, len(g.deps))
	for _, component := range g.Components() {
		for _, v := range component {
			if d, has := g.heaviest(v, component, best); has {
				before[v] = d
			}
		}
		// Weighed only now, so that no member sees another one's sum.
		for _, v := range component {
			best[v] = weight(v)
			if d, has := before[v]; has {
				best[v] += best[d]
			}
		}
	}
	var path []K
	for v, has := g.last(best); has; v, has = before[v] {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}

// heaviest is the dependency of v with the greatest sum; the smallest of equals.
func (g *Graph[K]) heaviest(v K, component []K, best map[K]time.Duration) (K, bool) {
	var found K
	has := false
	for _, d := range g.DependsOn(v) {
		if _, inside := slices.BinarySearchFunc(component, d, g.compare); inside {
			continue
		}
		if !has || best[d] > best[found] {
			found, has = d, true
		}
	}
	return found, has
}

// last is the vertex with the greatest sum; the smallest of equals.
func (g *Graph[K]) last(best map[K]time.Duration) (K, bool) {
	var found K
	has := false
	for _, v := range g.Vertices() {
		if !has || best[v] > best[found] {
			found, has = v, true
		}
	}
	return found, has
}

// queue is a heap of vertices that are free to come next.
type queue[K comparable] struct {
	compare func(a, b K) int
	items   []K
}

func (q *queue[K]) Len() int           { return len(q.items) }
func (q *queue[K]) Less(i, j int) bool { return q.compare(q.items[i], q.items[j]) < 0 }
func (q *queue[K]) Swap(i, j int)      { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *queue[K]) Push(v any)         { q.items = append(q.items, v.(K)) }

func (q *queue[K]) Pop() any {
	v := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	return v
}
