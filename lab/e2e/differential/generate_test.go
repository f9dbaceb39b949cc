package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/standup-sh/standup/lab"
)

// generate makes a tree from a seed: some Kustomizations with random edges, and
// some of the things that Flux decides by, spread over their sets. The same seed
// gives the same tree. All of it is cheap: the lab has to play a hundred.
func generate(seed uint64) (*tree, error) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), root: &unit{name: lab.FluxNamespace}}
	g.makeUnits()
	g.makeEdges()
	features := []func(){
		g.kind, g.kind, g.kind, g.home, g.home, g.values, g.values, g.release, g.release,
		g.storage, g.workload, g.check, g.gone, g.sleeper,
	}
	for range 1 + g.IntN(3) {
		features[g.IntN(len(features))]()
	}
	return parseTree(fmt.Sprintf("random-%d", seed), txtar.Format(g.archive()))
}

// generator is one tree in the making.
type generator struct {
	*rand.Rand
	root  *unit
	units []*unit
	// head is more of the head of the archive, and exists the baseline's objects.
	head, exists []string
	made         int // names that were given
}

// unit is one Kustomization and its set.
type unit struct {
	name      string
	parent    *unit
	dependsOn []string
	path      string // of its set, where that is not its own
	spec      []string
	objects   []string
}

// chance is true in so many of a hundred cases.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// anyUnit is a Kustomization, sometimes the root.
func (g *generator) anyUnit() *unit {
	if g.chance(12) {
		return g.root
	}
	return pick(g, g.units)
}

// name is a new name for an object.
func (g *generator) name() string {
	g.made++
	return fmt.Sprintf("thing-%d", g.made)
}

func (u *unit) add(format string, args ...any) {
	u.objects = append(u.objects, fmt.Sprintf(format, args...))
}

func (g *generator) makeUnits() {
	for _, name := range []string{"base", "network", "storage", "apps"}[:2+g.IntN(3)] {
		u := &unit{name: name, parent: g.root}
		if len(g.units) > 0 && g.chance(25) {
			u.parent = pick(g, g.units)
		}
		if g.chance(35) {
			u.spec = append(u.spec, "wait: true")
		}
		u.add("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\ndata: {of: %s}", name, name)
		g.units = append(g.units, u)
	}
}

// makeEdges lets most edges point back, so that few trees are nothing but a cycle.
func (g *generator) makeEdges() {
	for i, u := range g.units {
		if i > 0 && g.chance(55) {
			u.dependsOn = append(u.dependsOn, g.units[g.IntN(i)].name)
		}
		if g.chance(7) {
			if other := pick(g, g.units); other != u {
				u.dependsOn = append(u.dependsOn, other.name)
			}
		}
		if g.chance(3) {
			u.dependsOn = append(u.dependsOn, "gone")
		}
	}
}

// archive writes the tree down.
func (g *generator) archive() *txtar.Archive {
	head := append([]string{"entry: cluster"}, g.head...)
	if len(g.exists) > 0 {
		head = append(head, "baseline: objects: ["+strings.Join(g.exists, ", ")+"]")
	}
	a := &txtar.Archive{Comment: []byte(strings.Join(head, "\n") + "\n")}
	sets := map[*unit][]string{}
	for _, u := range g.units {
		sets[u.parent] = append(sets[u.parent], u.manifest())
	}
	file := func(name string, docs []string) {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(strings.Join(docs, "\n---\n") + "\n")})
	}
	file("cluster/all.yaml", append(sets[g.root], g.root.objects...))
	for _, u := range g.units {
		file("sets/"+u.name+"/all.yaml", append(u.objects, sets[u]...))
	}
	return a
}

func (u *unit) manifest() string {
	path := u.path
	if path == "" {
		path = "./sets/" + u.name
	}
	lines := []string{
		"apiVersion: kustomize.toolkit.fluxcd.io/v1", "kind: Kustomization",
		fmt.Sprintf("metadata: {name: %s, namespace: flux-system}", u.name), "spec:",
		"  interval: 10m", "  path: " + path, "  prune: true",
		"  sourceRef: {kind: GitRepository, name: flux-system}",
	}
	if len(u.dependsOn) > 0 {
		var deps []string
		for _, d := range u.dependsOn {
			deps = append(deps, "{name: "+d+"}")
		}
		lines = append(lines, "  dependsOn: ["+strings.Join(deps, ", ")+"]")
	}
	said := map[string]bool{}
	for _, s := range u.spec {
		// Of two features that want the same field, the first has it.
		if key, _, _ := strings.Cut(s, ":"); !said[key] {
			said[key] = true
			lines = append(lines, "  "+s)
		}
	}
	return strings.Join(lines, "\n")
}
