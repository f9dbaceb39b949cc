package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/standup-sh/standup/tiers"
)

// drawing gives the nodes short ids: any name may stand in a label, and not any
// name may be an id.
type drawing struct {
	*tiers.Picture
	ids     map[tiers.Ref]string
	missing map[tiers.Ref]bool
}

func newDrawing(p *tiers.Picture) *drawing {
	d := &drawing{Picture: p, ids: map[tiers.Ref]string{}, missing: map[tiers.Ref]bool{}}
	for i, n := range p.Nodes {
		d.ids[n.Ref], d.missing[n.Ref] = fmt.Sprintf("n%d", i), n.Missing
	}
	return d
}

// label is what stands in a box, one string a line.
func (d *drawing) label(n tiers.PictureNode) []string {
	lines := []string{n.Ref.NamespacedName()}
	if n.Ref.Kind != tiers.KindKustomization {
		lines = []string{n.Ref.Kind, n.Ref.NamespacedName()}
	}
	switch {
	case n.Missing:
		lines = append(lines, "(missing)")
	case n.Suspended:
		lines = append(lines, "(suspended)")
	}
	return lines
}

// edges leaves out the waits that close no cycle: each says no more than the
// createdBy beside it.
func (d *drawing) edges() []tiers.PictureEdge {
	var found []tiers.PictureEdge
	for _, e := range d.Edges {
		if e.Kind != tiers.EdgeWaitsFor || e.Cycle {
			found = append(found, e)
		}
	}
	return found
}

// GraphDOT is the picture for Graphviz. Arrows go from what needs to what is
// needed, and what is needed stands above.
func GraphDOT(p *tiers.Picture) string {
	d := newDrawing(p)
	var b strings.Builder
	b.WriteString("digraph standup {\n  rankdir=BT;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n")
	for i, g := range groups(p) {
		indent := "  "
		if g.tier {
			fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n", i, quoteDOT(g.title))
			indent = "    "
		}
		for _, n := range g.nodes {
			attributes := "label=" + quoteDOT(d.label(n)...)
			if n.Ref.Kind != tiers.KindKustomization {
				attributes += ", shape=cylinder"
			}
			switch {
			case n.Missing:
				attributes += `, style=dashed, color="#cc0000", fontcolor="#cc0000"`
			case n.Ref.Kind != tiers.KindKustomization:
				attributes += ", style=solid"
			}
			fmt.Fprintf(&b, "%s%s [%s];\n", indent, d.ids[n.Ref], attributes)
		}
		if g.tier {
			b.WriteString("  }\n")
		}
	}
	for _, e := range d.edges() {
		fmt.Fprintf(&b, "  %s -> %s [%s];\n", d.ids[e.From], d.ids[e.To], d.styleDOT(e))
	}
	b.WriteString("}\n")
	return b.String()
}

func (d *drawing) styleDOT(e tiers.PictureEdge) string {
	style := map[tiers.EdgeKind]string{
		tiers.EdgeDependsOn: "style=solid",
		tiers.EdgeWaitsFor:  `style=solid, label="waits for"`,
		tiers.EdgeCreatedBy: `style=dashed, label="created by"`,
		tiers.EdgeSource:    "style=dotted",
	}[e.Kind]
	if e.Cycle || d.missing[e.To] {
		style += `, color="#cc0000"`
	}
	return style
}

// quoteDOT makes one quoted string of the lines. A backslash begins an escape in
// a label, and a quote ends it; all else stands for itself.
func quoteDOT(lines ...string) string {
	for i, line := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(printable(line))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}

// GraphMermaid is the picture for Mermaid, which many renderers of Markdown know.
func GraphMermaid(p *tiers.Picture) string {
	d := newDrawing(p)
	var b strings.Builder
	b.WriteString("flowchart BT\n")
	var missing []string
	for i, g := range groups(p) {
		indent := "  "
		if g.tier && len(g.nodes) > 0 { // an empty subgraph is a box of its own to Mermaid
			fmt.Fprintf(&b, "  subgraph t%d[%s]\n", i, quoteMermaid(g.title))
			indent = "    "
		}
		for _, n := range g.nodes {
			shape := "[%s]"
			if n.Ref.Kind != tiers.KindKustomization {
				shape = "[(%s)]"
			}
			fmt.Fprintf(&b, "%s%s"+shape+"\n", indent, d.ids[n.Ref], quoteMermaid(d.label(n)...))
			if n.Missing {
				missing = append(missing, d.ids[n.Ref])
			}
		}
		if g.tier && len(g.nodes) > 0 {
			b.WriteString("  end\n")
		}
	}
	var bad []string
	for i, e := range d.edges() {
		arrow := map[tiers.EdgeKind]string{
			tiers.EdgeDependsOn: "-->",
			tiers.EdgeWaitsFor:  "-->|waits for|",
			tiers.EdgeCreatedBy: "-.->|created by|",
			tiers.EdgeSource:    "-.->",
		}[e.Kind]
		fmt.Fprintf(&b, "  %s %s %s\n", d.ids[e.From], arrow, d.ids[e.To])
		if e.Cycle || d.missing[e.To] {
			bad = append(bad, fmt.Sprint(i))
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "  classDef missing stroke:#c00,color:#c00,stroke-dasharray:4\n  class %s missing\n", strings.Join(missing, ","))
	}
	if len(bad) > 0 {
		fmt.Fprintf(&b, "  linkStyle %s stroke:#c00\n", strings.Join(bad, ","))
	}
	return b.String()
}

// quoteMermaid makes one quoted label of the lines. Mermaid reads HTML and
// Markdown in labels and has no escapes but character codes: all that is not
// plain becomes one.
func quoteMermaid(lines ...string) string {
	for i, line := range lines {
		var b strings.Builder
		for _, r := range printable(line) {
			switch {
			case r >= unicode.MaxASCII, r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" ./-:()", r):
				b.WriteRune(r)
			default:
				fmt.Fprintf(&b, "#%d;", r)
			}
		}
		lines[i] = b.String()
	}
	return `"` + strings.Join(lines, "<br/>") + `"`
}

// printable puts a mark in the place of what is no text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar { // which not every reader takes
			return '?'
		}
		return r
	}, s)
}
