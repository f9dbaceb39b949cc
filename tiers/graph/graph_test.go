package graph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// build reads "a:b,c d:" as a needing b and c, and d needing nothing.
func build(text string) *Graph[string] {
	g := New(strings.Compare)
	for _, word := range strings.Fields(text) {
		from, tos, _ := strings.Cut(word, ":")
		g.Add(from)
		for to := range strings.SplitSeq(tos, ",") {
			if to != "" {
				g.Depend(from, to)
			}
		}
	}
	return g
}

// show prints groups as "a b|c".
func show(groups [][]string) string {
	words := make([]string, len(groups))
	for i, g := range groups {
		words[i] = strings.Join(g, " ")
	}
	return strings.Join(words, "|")
}

func TestShapes(t *testing.T) {
	tests := []struct {
		name, graph                        string
		components, cycles, levels, sorted string
	}{
		{"empty", "", "", "", "", ""},
		{"alone", "a:", "a", "", "a", "a"},
		{"chain", "c:b b:a", "a|b|c", "", "a|b|c", "a b c"},
		{"diamond", "d:b,c b:a c:a", "a|b|c|d", "", "a|b c|d", "a b c d"},
		{"two roots", "b:x a:y", "y|a|x|b", "", "x y|a b", "x b y a"},
		{"added twice", "b:a b:a a: b:", "a|b", "", "a|b", "a b"},
		{"self", "a:a b:a", "a|b", "a", "a|b", ""},
		{"cycle", "c:a b:c a:b d:", "a b c|d", "a b c", "a b c d", ""},
		{"cycle and what is behind it", "a:b b:a c:a d:c", "a b|c|d", "a b", "a b|c|d", ""},
		{"cycle behind something", "a:b,z b:a", "z|a b", "a b", "z|a b", ""},
		{"two cycles", "x:y y:x b:a a:b", "a b|x y", "a b|x y", "a b x y", ""},
		{"the shortest of a tangle", "a:b b:c c:a,b a:c", "a b c", "a c", "a b c", ""},
		{"nested, named once", "a:b b:a,c c:b", "a b c", "a b", "a b c", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := build(tt.graph)
			if got := show(g.Components()); got != tt.components {
				t.Errorf("components: %q, want %q", got, tt.components)
			}
			if got := show(g.Cycles()); got != tt.cycles {
				t.Errorf("cycles: %q, want %q", got, tt.cycles)
			}
			if got := show(g.Levels()); got != tt.levels {
				t.Errorf("levels: %q, want %q", got, tt.levels)
			}
			order, err := g.Order()
			if got := strings.Join(order, " "); got != tt.sorted || (err != nil) != (tt.cycles != "") {
				t.Errorf("order: %q, %v, want %q", got, err, tt.sorted)
			}
		})
	}
}

func TestCycleErrorIsClosed(t *testing.T) {
	_, err := build("b:c c:a a:b").Order()
	var cycle *CycleError[string]
	if !errors.As(err, &cycle) {
		t.Fatalf("not a CycleError: %v", err)
	}
	if got, want := err.Error(), "dependency cycle: a -> b -> c -> a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBehind(t *testing.T) {
	g := build("b:a c:b d:c,x y:x a2:")
	tests := map[string]string{"a": "b c d", "b": "c d", "d": "", "x": "d y", "a2": "", "unknown": ""}
	for v, want := range tests {
		if got := strings.Join(g.Behind(v), " "); got != want {
			t.Errorf("behind %s: %q, want %q", v, got, want)
		}
	}
	if got := strings.Join(build("a:b b:a c:b").Behind("a"), " "); got != "b c" {
		t.Errorf("behind a on a cycle: %q, want b c", got)
	}
}

func TestCut(t *testing.T) {
	g := build("a:b b:a")
	g.Cut("a", "b")
	if cycles := g.Cycles(); cycles != nil {
		t.Errorf("the cycle is still there: %v", cycles)
	}
	if got := strings.Join(g.DependsOn("b"), " "); got != "a" || g.Len() != 2 {
		t.Errorf("cut took more than the edge: b needs %q, %d vertices", got, g.Len())
	}
}

func TestCriticalPath(t *testing.T) {
	tests := []struct{ name, graph, weights, want string }{
		{"empty", "", "", ""},
		{"the heavier branch", "d:b,c b:a c:a", "a=1 b=1 c=5 d=1", "a c d"},
		{"a heavy end that nothing needs", "b:a x:", "a=1 b=1 x=9", "x"},
		{"equals: the smaller name", "d:b,c", "b=1 c=1 d=1", "b d"},
		{"nothing weighs anything", "b:a", "", "a"},
		{"a cycle does not count", "a:b b:a c:a", "a=1 b=3 c=3", "a c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			weights := map[string]time.Duration{}
			for _, w := range strings.Fields(tt.weights) {
				name, n, _ := strings.Cut(w, "=")
				var d int
				if _, err := fmt.Sscan(n, &d); err != nil {
					t.Fatal(err)
				}
				weights[name] = time.Duration(d) * time.Second
			}
			got := build(tt.graph).CriticalPath(func(v string) time.Duration { return weights[v] })
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %q", got, tt.want)
			}
		})
	}
}

// TestRandom holds the laws on random graphs, and that the order in which a
// graph was made does not show.
func TestRandom(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 1 + r.IntN(10)
		var edges [][2]int
		for range r.IntN(2 * n) {
			edges = append(edges, [2]int{r.IntN(n), r.IntN(n)})
		}
		make1 := func() *Graph[int] {
			g := New(func(a, b int) int { return a - b })
			for _, v := range r.Perm(n) {
				g.Add(v)
			}
			r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
			for _, e := range edges {
				g.Depend(e[0], e[1])
			}
			return g
		}
		g, again := make1(), make1()
		if diff := cmp.Diff(fmt.Sprint(g.Components(), g.Cycles(), g.Levels()), fmt.Sprint(again.Components(), again.Cycles(), again.Levels())); diff != "" {
			t.Fatalf("seed %d: not deterministic:\n%s", seed, diff)
		}
		holds(t, g, seed)
	}
}

func holds(t *testing.T, g *Graph[int], seed uint64) {
	t.Helper()
	order, err := g.Order()
	if cyclic := len(g.Cycles()) > 0; cyclic != (err != nil) {
		t.Fatalf("seed %d: cycles %v, and Order says %v", seed, g.Cycles(), err)
	}
	for i, v := range order {
		for _, d := range g.DependsOn(v) {
			if !slices.Contains(order[:i], d) {
				t.Errorf("seed %d: %d comes before %d, which it needs", seed, v, d)
			}
		}
	}
	for _, c := range g.Cycles() {
		for i, v := range c {
			if next := c[(i+1)%len(c)]; !slices.Contains(g.DependsOn(v), next) {
				t.Errorf("seed %d: cycle %v has no edge %d -> %d", seed, c, v, next)
			}
			if v < c[0] {
				t.Errorf("seed %d: cycle %v does not begin at its smallest", seed, c)
			}
		}
	}
	holdsLevels(t, g, seed, err == nil)
}

func holdsLevels(t *testing.T, g *Graph[int], seed uint64, acyclic bool) {
	t.Helper()
	level := map[int]int{}
	for i, l := range g.Levels() {
		for _, v := range l {
			level[v] = i
		}
	}
	for _, v := range g.Vertices() {
		for _, d := range g.DependsOn(v) {
			if level[d] > level[v] || acyclic && level[d] == level[v] {
				t.Errorf("seed %d: %d in level %d needs %d in level %d", seed, v, level[v], d, level[d])
			}
		}
	}
}
