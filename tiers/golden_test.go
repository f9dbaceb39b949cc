package tiers

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// golden is a case of testdata: a comment, then sections that begin with
// "-- name --", as in txtar. The last section is the expected text.
type golden struct {
	path     string
	comment  string
	names    []string
	sections map[string]string
}

// goldens runs every file of a testdata folder as a subtest. run returns the
// text for the section "want", which is compared whole.
func goldens(t *testing.T, folder string, run func(t *testing.T, g golden) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in testdata/%s: %v", folder, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			g := readGolden(t, path)
			got := run(t, g)
			if *update {
				g.sections["want"] = got
				g.write(t)
				return
			}
			if diff := cmp.Diff(g.sections["want"], got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

func readGolden(t *testing.T, path string) golden {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := golden{path: path, sections: map[string]string{}}
	var name string
	var body strings.Builder
	flush := func() {
		if name == "" {
			g.comment = body.String()
		} else {
			g.names = append(g.names, name)
			g.sections[name] = body.String()
		}
		body.Reset()
	}
	for line := range strings.Lines(string(data)) {
		if s := strings.TrimSuffix(line, "\n"); strings.HasPrefix(s, "-- ") && strings.HasSuffix(s, " --") {
			flush()
			name = strings.TrimSuffix(strings.TrimPrefix(s, "-- "), " --")
			continue
		}
		body.WriteString(line)
	}
	flush()
	return g
}

func (g golden) write(t *testing.T) {
	t.Helper()
	if !slices.Contains(g.names, "want") {
		g.names = append(g.names, "want")
	}
	var b bytes.Buffer
	b.WriteString(g.comment)
	for _, name := range g.names {
		fmt.Fprintf(&b, "-- %s --\n%s", name, g.sections[name])
	}
	if err := os.WriteFile(g.path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// order parses the section "order"; the two header lines may be left out. It
// is nil when there is no such section.
func (g golden) order(t *testing.T) *TierOrder {
	t.Helper()
	text, given := g.sections["order"]
	if !given {
		return nil
	}
	return mustParse(t, text)
}

func mustParse(t *testing.T, text string) *TierOrder {
	t.Helper()
	if !strings.Contains(text, "apiVersion: standup/") {
		text = "apiVersion: standup/v1\nkind: TierOrder\n" + text
	}
	order, err := Parse("TIER_ORDER.yaml", []byte(text))
	if err != nil {
		t.Fatalf("the order of the test case: %v", err)
	}
	return order
}

// snapshot reads the small language of the test cases, one object a line:
//
//	name needs:a,b by:parent from:source waits waits:a live git settled missing
//	source name live git settled
//
// A name is "name" in flux-system, or "namespace/name". "live" and "git" say
// who suspended the object.
func snapshot(t *testing.T, text string) Snapshot {
	t.Helper()
	var s Snapshot
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "source":
			src := Source{Ref: sourceRef(words[1])}
			for _, w := range words[2:] {
				src.Suspension = max(src.Suspension, suspension(w))
				src.Settled = src.Settled || w == "settled"
			}
			s.Sources = append(s.Sources, src)
		default:
			s.Kustomizations = append(s.Kustomizations, kustomization(t, words))
		}
	}
	return s
}

func kustomization(t *testing.T, words []string) Kustomization {
	t.Helper()
	k := Kustomization{Ref: ref(words[0])}
	for _, w := range words[1:] {
		verb, rest, _ := strings.Cut(w, ":")
		var refs []Ref
		for name := range strings.SplitSeq(rest, ",") {
			refs = append(refs, ref(name))
		}
		switch verb {
		case "needs":
			k.DependsOn = refs
		case "by":
			k.Parent = refs[0]
		case "from":
			k.Source = sourceRef(rest)
		case "waits":
			k.Waits = true
			if rest != "" {
				k.WaitsFor = refs
			}
		case "live", "git":
			k.Suspension = suspension(w)
		case "settled":
			k.Settled = true
		case "missing":
			k.Missing = true
		default:
			t.Fatalf("the test case has an unknown word %q", w)
		}
	}
	return k
}

func suspension(word string) Suspension {
	switch word {
	case "live":
		return SuspendedLive
	case "git":
		return SuspendedInGit
	}
	return NotSuspended
}

func ref(name string) Ref { return memberRef(DefaultNamespace, name) }

func refs(names ...string) []Ref {
	var found []Ref
	for _, n := range names {
		found = append(found, ref(n))
	}
	return found
}

func sourceRef(name string) Ref {
	return Ref{Kind: KindGitRepository, Namespace: DefaultNamespace, Name: name}
}

// render prints everything of a plan, or the error.
func render(p *Plan, err error) string {
	if err != nil {
		return fmt.Sprintf("%T\n%v\n", err, err)
	}
	var b strings.Builder
	b.WriteString(p.String())
	for _, t := range p.Tiers {
		fmt.Fprintf(&b, "tier %s listed=%t optional=%t parallel=%d", t.Name, t.Listed, t.Optional, t.Parallel)
		for _, m := range t.Members {
			b.WriteString(" " + m.NamespacedName())
		}
		b.WriteByte('\n')
	}
	for _, w := range p.Warnings {
		b.WriteString("warning: " + w + "\n")
	}
	return b.String()
}
