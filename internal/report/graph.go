package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/tiers"
)

// GraphSchema names the JSON of a graph and its version.
const GraphSchema = "standup.graph/v1"

// Graph is the public form of a picture.
type Graph struct {
	Schema  string       `json:"schema"`
	Tiers   []string     `json:"tiers"`
	Ordered bool         `json:"ordered"`
	Nodes   []GraphNode  `json:"nodes"`
	Edges   []GraphEdge  `json:"edges"`
	Cycles  []GraphCycle `json:"cycles"`
}

// GraphNode is a Kustomization or a source.
type GraphNode struct {
	ID        string  `json:"id"`
	Kind      string  `json:"kind"`
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Tier      *string `json:"tier"`
	Missing   bool    `json:"missing"`
	Suspended bool    `json:"suspended"`
	File      string  `json:"file,omitempty"`
	Line      int     `json:"line,omitempty"`
	Unseen    string  `json:"unseen,omitempty"`
}

// GraphEdge is from the one that needs to the one that is needed.
type GraphEdge struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Kind    string `json:"kind"`
	Missing bool   `json:"missing"`
	Cycle   bool   `json:"cycle"`
}

// GraphCycle lists the members, each of which needs the next one.
type GraphCycle []string

// GraphOf makes the public form.
func GraphOf(p *tiers.Picture) Graph {
	g := Graph{Schema: GraphSchema, Tiers: append([]string{}, p.Tiers...), Ordered: p.Ordered, Nodes: []GraphNode{}, Edges: []GraphEdge{}, Cycles: []GraphCycle{}}
	missing := map[tiers.Ref]bool{}
	for _, n := range p.Nodes {
		node := GraphNode{
			ID: n.Ref.String(), Kind: n.Ref.Kind, Namespace: n.Ref.Namespace, Name: n.Ref.Name,
			Missing: n.Missing, Suspended: n.Suspended, File: n.File, Line: n.Line, Unseen: n.Unseen,
		}
		if n.Tier != "" {
			node.Tier = &n.Tier
		}
		missing[n.Ref] = n.Missing
		g.Nodes = append(g.Nodes, node)
	}
	for _, e := range p.Edges {
		g.Edges = append(g.Edges, GraphEdge{From: e.From.String(), To: e.To.String(), Kind: string(e.Kind), Missing: missing[e.To], Cycle: e.Cycle})
	}
	for _, c := range p.Cycles {
		var members GraphCycle
		for _, ref := range c.Path {
			members = append(members, ref.String())
		}
		g.Cycles = append(g.Cycles, members)
	}
	return g
}

// GraphText is the picture for a person: by tier, each Kustomization with what
// it needs.
func GraphText(p *tiers.Picture) string {
	var b strings.Builder
	missing := map[tiers.Ref]bool{}
	for _, n := range p.Nodes {
		missing[n.Ref] = n.Missing
	}
	name := func(ref tiers.Ref) string {
		if missing[ref] {
			return ref.NamespacedName() + " (missing)"
		}
		return ref.NamespacedName()
	}
	for _, group := range groups(p) {
		var lines [][]string
		for _, n := range group.nodes {
			lines = append(lines, []string{"  " + view.Line(name(n.Ref)), view.Line(strings.Join(needs(p, n, name), "; "))})
		}
		fmt.Fprintf(&b, "%s\n%s\n", view.Line(group.title), columns(lines, "  "))
	}
	for i, c := range p.Cycles {
		if i == 0 {
			b.WriteString("cycles\n")
		}
		fmt.Fprintf(&b, "  %s\n", view.Line(c.String()))
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n"
}

// needs lists in words what a node needs, and what else there is to say of it.
func needs(p *tiers.Picture, n tiers.PictureNode, name func(tiers.Ref) string) []string {
	by := map[tiers.EdgeKind][]string{}
	cycle := false
	users := 0
	for _, e := range p.Edges {
		switch {
		case e.To == n.Ref && e.Kind == tiers.EdgeSource:
			users++
		case e.From != n.Ref:
		case e.Kind == tiers.EdgeSource:
			by[e.Kind] = append(by[e.Kind], e.To.Kind+" "+name(e.To))
		case e.Kind != tiers.EdgeWaitsFor || e.Cycle: // else it says no more than createdBy
			by[e.Kind] = append(by[e.Kind], name(e.To))
		}
		cycle = cycle || e.From == n.Ref && e.Cycle
	}
	var words []string
	for _, part := range []struct {
		kind tiers.EdgeKind
		word string
	}{{tiers.EdgeDependsOn, "after"}, {tiers.EdgeWaitsFor, "waits for"}, {tiers.EdgeCreatedBy, "created by"}, {tiers.EdgeSource, "from"}} {
		if len(by[part.kind]) > 0 {
			words = append(words, part.word+" "+strings.Join(by[part.kind], ", "))
		}
	}
	if n.Ref.Kind != tiers.KindKustomization {
		words = append(words, "of "+view.Count(users, "Kustomization"))
	}
	if n.Suspended {
		words = append(words, "suspended")
	}
	if cycle {
		words = append(words, "in a cycle")
	}
	if n.Unseen != "" {
		words = append(words, "what it creates cannot be seen: "+n.Unseen)
	}
	return words
}

// group is the nodes of one tier.
type group struct {
	title string
	tier  bool
	nodes []tiers.PictureNode
}

// groups has the tiers in order, then what is in none, then the sources; none of
// them is empty, but for tiers that are.
func groups(p *tiers.Picture) []group {
	word := "level "
	if p.Ordered {
		word = "tier "
	}
	var found []group
	for _, t := range p.Tiers {
		found = append(found, group{title: word + t, tier: true})
	}
	loose := group{title: "in no tier"}
	sources := map[string]*group{}
	for _, n := range p.Nodes {
		at := slices.Index(p.Tiers, n.Tier)
		switch {
		case n.Ref.Kind != tiers.KindKustomization:
			g := sources[n.Ref.Kind]
			if g == nil {
				g = &group{title: n.Ref.Kind}
				sources[n.Ref.Kind] = g
			}
			g.nodes = append(g.nodes, n)
		case n.Tier == "" || at < 0:
			loose.nodes = append(loose.nodes, n)
		default:
			found[at].nodes = append(found[at].nodes, n)
		}
	}
	if len(loose.nodes) > 0 {
		found = append(found, loose)
	}
	for _, n := range p.Nodes { // in order of kind
		if g := sources[n.Ref.Kind]; g != nil {
			found = append(found, *g)
			delete(sources, n.Ref.Kind)
		}
	}
	return found
}
