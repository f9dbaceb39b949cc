package catalog

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/reference/catalogue.md")

// TestPageListsTheCatalogue holds the tables of the reference page.
func TestPageListsTheCatalogue(t *testing.T) {
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- tables: go test ./internal/catalog -update -->\n", "<!-- end of tables -->\n"
	head, rest, found := strings.Cut(string(page), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has not the lines around its tables", pageFile)
	}
	want := head + begin + tables(load(t)) + end + tail
	if *update {
		if err := os.WriteFile(pageFile, []byte(want), 0o644); err != nil { //nolint:gosec // a page of the documentation
			t.Fatal(err)
		}
		return
	}
	if want != string(page) {
		t.Errorf("the tables of %s are out of date; run go test ./internal/catalog -update", pageFile)
	}
}

// TestPageExample: what the page shows is a valid entry.
func TestPageExample(t *testing.T) {
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for part := range bytes.SplitSeq(page, []byte("```yaml\n")) {
		example, _, closed := bytes.Cut(part, []byte("```\n"))
		if !closed || !bytes.HasPrefix(example, []byte("# ")) {
			continue
		}
		examples++
		file, _, _ := strings.Cut(strings.TrimPrefix(string(example), "# "), "\n")
		if _, err := parse(file, example); err != nil {
			t.Errorf("%s: %v", pageFile, err)
		}
	}
	if examples < 3 {
		t.Errorf("got %d examples", examples)
	}
}

func tables(c *Catalog) string {
	var providers, charts, none, tools, platforms strings.Builder
	for _, e := range c.Entries() {
		switch {
		case e.Provider != nil:
			fmt.Fprintf(&providers, "| [%s](%s) | `%s` | %s |\n", e.Name, e.Source, e.Provider.GroupKind(), brought(e))
		case e.bringsNothing() && len(e.Maybe) == 0:
			fmt.Fprintf(&none, "| [%s](%s) | %s | %s |\n", e.Name, e.Source, listed(e.Chart.Names), listed(e.Chart.Repositories))
		default:
			fmt.Fprintf(&charts, "| [%s](%s) | %s | %s | %s | %s |\n", e.Name, e.Source, listed(e.Chart.Names), brought(e), e.Created, e.Chart.CRDs)
		}
	}
	for _, tool := range c.Tools() {
		var kinds []string
		for _, k := range tool.Kinds {
			kinds = append(kinds, k.Kind)
		}
		fmt.Fprintf(&tools, "| [%s](%s) | %s | %s |\n", tool.Name, tool.Source, listed(tool.Groups), listed(kinds))
	}
	for _, p := range c.platforms {
		fmt.Fprintf(&platforms, "| [%s](%s) | %s |\n", p.Name, p.Source, listed(p.Groups))
	}
	return "\n### Providers\n\n| entry | kind | brings |\n|---|---|---|\n" + providers.String() +
		"\n### Charts that bring kinds\n\n| entry | charts | brings | created by | CRDs in |\n|---|---|---|---|---|\n" + charts.String() +
		"\n### Charts that are known to bring none\n\n| entry | charts | only from |\n|---|---|---|\n" + none.String() +
		"\n### Tools\n\n| tool | groups | kinds |\n|---|---|---|\n" + tools.String() +
		"\n### Distributions that serve kinds by themselves\n\n| distribution | groups |\n|---|---|\n" + platforms.String() + "\n"
}

// brought says how much an entry brings, and under which conditions.
func brought(e Entry) string {
	var parts []string
	switch n := len(e.Kinds()); n {
	case 0:
	case 1:
		parts = append(parts, "1 kind")
	default:
		parts = append(parts, fmt.Sprintf("%d kinds", n))
	}
	if groups := e.AllGroups(); len(groups) > 0 {
		parts = append(parts, listed(groups))
	}
	if len(e.Maybe) > 0 {
		parts = append(parts, "perhaps "+listed(e.Maybe))
	}
	for _, d := range e.Dynamic {
		parts = append(parts, "the kind in `"+d.KindFrom+"`")
	}
	if e.Unknown {
		parts = append(parts, "what nobody can list")
	}
	if e.When != nil {
		parts = append(parts, "if "+e.When.String())
	}
	if len(e.Parts) > 0 {
		parts = append(parts, "more under conditions")
	}
	return strings.Join(parts, "; ")
}

func listed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "`" + strings.Join(items, "`, `") + "`"
}
