package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
)

// odd is a graph with all that is worth marking, and with names that no API
// server would take and a file may have all the same.
func odd(t *testing.T) *tiers.Picture {
	t.Helper()
	k := func(name string) tiers.Ref { return tiers.KustomizationRef("flux-system", name) }
	src := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}
	gone := tiers.Ref{Kind: tiers.KindOCIRepository, Namespace: "flux-system", Name: "gone"}
	order, err := tiers.Parse("TIER_ORDER.yaml", []byte(`apiVersion: standup/v1
kind: TierOrder
tiers:
  - name: root
  - {name: late ones, kustomizations: [end, absent]}
`))
	if err != nil {
		t.Fatal(err)
	}
	p := tiers.NewPicture(order, tiers.Snapshot{
		Kustomizations: []tiers.Kustomization{
			{Ref: k("root"), Source: src, Waits: true},
			{Ref: k("end"), Source: src, Parent: k("root"), DependsOn: []tiers.Ref{k("root"), k(`q"uote\n`)}, Suspension: tiers.SuspendedInGit},
			{Ref: k("<b>a & b</b>"), Source: gone, Parent: k("root")},
			{Ref: k("line\nbreak\x1b[31m\xff`ü`"), Source: src},
		},
		Sources: []tiers.Source{{Ref: src}},
	})
	p.CreatedBy(k("end"), k("<b>a & b</b>"))
	for i := range p.Nodes {
		if p.Nodes[i].Ref == k("root") {
			p.Nodes[i].File, p.Nodes[i].Line = "clusters/prod/root.yaml", 3
		}
		if p.Nodes[i].Ref == k("<b>a & b</b>") {
			p.Nodes[i].Unseen = "its source is not in the tree"
		}
	}
	return p
}

func TestGraphWhole(t *testing.T) {
	for name, p := range map[string]*tiers.Picture{"graph-odd": odd(t), "graph-empty": tiers.NewPicture(nil, tiers.Snapshot{})} {
		uitest.Golden(t, name+".txt", GraphText(p))
		uitest.Golden(t, name+".dot", GraphDOT(p))
		uitest.Golden(t, name+".mmd", GraphMermaid(p))
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		if err := enc.Encode(GraphOf(p)); err != nil {
			t.Fatal(err)
		}
		uitest.Golden(t, name+".json", b.String())
	}
}

func TestQuotes(t *testing.T) {
	for _, tt := range []struct{ name, dot, mermaid string }{
		{"flux-system/apps", `"flux-system/apps"`, `"flux-system/apps"`},
		{`a"b`, `"a\"b"`, `"a#34;b"`},
		{`a\n`, `"a\\n"`, `"a#92;n"`},
		{`a\`, `"a\\"`, `"a#92;"`},
		{"a\nb\x00", `"a?b?"`, `"a#63;b#63;"`},
		{"<i>&#1;`x`", "\"<i>&#1;`x`\"", `"#60;i#62;#38;#35;1#59;#96;x#96;"`},
		{"ü 日", `"ü 日"`, `"ü 日"`},
	} {
		if got := quoteDOT(tt.name); got != tt.dot {
			t.Errorf("DOT of %q: %s, want %s", tt.name, got, tt.dot)
		}
		if got := quoteMermaid(tt.name); got != tt.mermaid {
			t.Errorf("Mermaid of %q: %s, want %s", tt.name, got, tt.mermaid)
		}
	}
}
