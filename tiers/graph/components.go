package graph

import "slices"

// Components lists the strongly connected components, dependencies first. A
// vertex that is on no cycle is a component of its own.
func (g *Graph[K]) Components() [][]K {
	t := tarjan[K]{graph: g, index: make(map[K]int, len(g.deps)), low: make(map[K]int, len(g.deps)), open: map[K]bool{}}
	for _, v := range g.Vertices() {
		if _, seen := t.index[v]; !seen {
			t.visit(v)
		}
	}
	return t.found
}

// tarjan is the state of one walk of Tarjan's algorithm.
type tarjan[K comparable] struct {
	graph      *Graph[K]
	index, low map[K]int
	open       map[K]bool // on the stack
	stack      []K
	found      [][]K
}

func (t *tarjan[K]) visit(v K) {
	t.index[v] = len(t.index)
	t.low[v] = t.index[v]
	t.stack = append(t.stack, v)
	t.open[v] = true
	for _, d := range t.graph.DependsOn(v) {
		if _, seen := t.index[d]; !seen {
			t.visit(d)
			t.low[v] = min(t.low[v], t.low[d])
		} else if t.open[d] {
			t.low[v] = min(t.low[v], t.index[d])
		}
	}
	if t.low[v] != t.index[v] {
		return
	}
	from := slices.Index(t.stack, v)
	component := slices.Clone(t.stack[from:])
	t.stack = t.stack[:from]
	for _, member := range component {
		t.open[member] = false
	}
	slices.SortFunc(component, t.graph.compare)
	t.found = append(t.found, component)
}

// Cycles names every tangle once: for each component with a cycle, the
// shortest cycle through its smallest vertex, beginning there. The cycles are
// in order of that vertex.
func (g *Graph[K]) Cycles() [][]K {
	var cycles [][]K
	for _, component := range g.Components() {
		if cycle := g.cycleIn(component); cycle != nil {
			cycles = append(cycles, cycle)
		}
	}
	slices.SortFunc(cycles, func(a, b []K) int { return g.compare(a[0], b[0]) })
	return cycles
}

// cycleIn searches breadth first from the smallest vertex back to itself. The
// smallest vertex of a component with a cycle is always on one.
func (g *Graph[K]) cycleIn(component []K) []K {
	start := component[0]
	inside := make(map[K]bool, len(component))
	for _, v := range component {
		inside[v] = true
	}
	cameFrom := map[K]K{}
	for queue := []K{start}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, d := range g.DependsOn(v) {
			if d == start {
				return trail(cameFrom, start, v)
			}
			if _, seen := cameFrom[d]; !seen && inside[d] {
				cameFrom[d] = v
				queue = append(queue, d)
			}
		}
	}
	return nil
}

// trail walks back from last to start and returns the way in its own direction.
func trail[K comparable](cameFrom map[K]K, start, last K) []K {
	path := []K{last}
	for v := last; v != start; {
		v = cameFrom[v]
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}

// Levels groups the vertices so that every dependency sits in an earlier
// level, each vertex as early as it can. Vertices of one cycle share a level:
// where a cycle matters, ask Cycles first.
func (g *Graph[K]) Levels() [][]K {
	level := make(map[K]int, len(g.deps))
	var levels [][]K
	for _, component := range g.Components() {
		at := 0
		for _, v := range component {
			for d := range g.deps[v] {
				if _, inside := slices.BinarySearchFunc(component, d, g.compare); !inside {
					at = max(at, level[d]+1)
				}
			}
		}
		for _, v := range component {
			level[v] = at
		}
		for len(levels) <= at {
			levels = append(levels, nil)
		}
		levels[at] = append(levels[at], component...)
	}
	for _, l := range levels {
		slices.SortFunc(l, g.compare)
	}
	return levels
}
