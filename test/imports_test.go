package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/standup-sh/standup"

// row says which of our packages one part of the tree may import. Its own
// subpackages are always allowed.
type row struct {
	part    string   // path inside the module; the longest that matches counts
	imports []string // parts; "..." means everything
}

// table is the column "ours" of the architecture: what a part may know of. A
// new part needs a row here, and a reason.
var table = []row{
	{part: "tiers"},
	{part: "waiters"},
	{part: "internal/manifests", imports: []string{"tiers"}},
	{part: "internal/catalog"},
	// A file format that runs and rehearsals both write.
	{part: "internal/junit"},
	{part: "internal/schemas"},
	{part: "rehearsal", imports: []string{"tiers", "waiters", "internal/manifests", "internal/catalog", "internal/junit", "internal/schemas"}},
	{part: "bootstrap", imports: []string{"tiers", "waiters", "internal/manifests", "internal/catalog"}},
	{part: "bootstrap/event", imports: []string{"tiers", "waiters"}},
	{part: "internal/ui", imports: []string{"bootstrap/event", "tiers", "waiters"}},
	// A record is written in the wire format; the screens are none of its business.
	{part: "internal/report", imports: []string{
		"bootstrap/event", "tiers", "waiters", "internal/junit",
		"internal/ui/jsonl", "internal/ui/spool", "internal/ui/view", "internal/ui/wire",
	}},
	{part: "internal/kube", imports: []string{"tiers", "waiters", "bootstrap"}},
	// A server that knows its clients would be theirs to please.
	{part: "internal/kube/kubetest"},
	{part: "internal/buildinfo"},
	{part: "internal/logging"},
	{part: "internal/cli", imports: []string{"..."}},
	{part: "test"},
	{part: "", imports: []string{"internal/cli"}}, // main
}

// onlyExactly are parts whose subpackages do not come with them: internal/kube
// implements the interfaces of bootstrap and has no business with its events.
var onlyExactly = []string{"bootstrap", ""}

type goPackage struct {
	ImportPath string
	Imports    []string
	// TestImports and XTestImports may go anywhere but into the lab.
	TestImports, XTestImports []string
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		part := partOf(p.ImportPath)
		r, ok := rowOf(part)
		if !ok {
			t.Errorf("%s has no row in the import table: add one, with what it may import and why", part)
			continue
		}
		for _, imp := range p.Imports {
			if ours(imp) && !r.allows(partOf(imp)) {
				t.Errorf("%s imports %s; the import table allows it %v", name(part), name(partOf(imp)), r.imports)
			}
		}
	}
}

func TestNothingImportsTheLab(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if within(partOf(imp), "lab") {
				t.Errorf("%s imports %s: the lab tests the product, never the other way round", name(partOf(p.ImportPath)), imp)
			}
		}
	}
}

// A package whose name ends in test is a support for tests and no part of the
// product.
func TestTheProductImportsNoTestSupport(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		for _, imp := range p.Imports {
			if ours(imp) && strings.HasSuffix(imp, "test") && !strings.HasSuffix(p.ImportPath, "test") {
				t.Errorf("%s imports %s, which is for tests", name(partOf(p.ImportPath)), name(partOf(imp)))
			}
		}
	}
}

func TestTableAllows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, to string
		want     bool
	}{
		{"tiers", "waiters", false},
		{"tiers", "tiers/schema", true},
		{"waiters", "bootstrap", false},
		{"bootstrap", "bootstrap/event", true},
		{"bootstrap", "internal/kube", false},
		{"bootstrap/event", "bootstrap", false},
		{"internal/ui/table", "bootstrap/event", true},
		{"internal/ui/table", "bootstrap", false},
		{"internal/ui/table", "internal/ui/style", true},
		{"internal/report", "internal/ui/jsonl", true},
		{"internal/report", "internal/ui/table", false},
		{"internal/kube", "bootstrap", true},
		{"internal/kube", "bootstrap/event", false},
		{"internal/kube", "internal/kube/kubetest", true},
		{"internal/kube/kubetest", "internal/kube", false},
		{"internal/kube/kubetest", "bootstrap", false},
		{"internal/cli", "internal/kube", true},
		{"", "internal/cli", true},
		{"", "tiers", false},
	} {
		r, ok := rowOf(tc.from)
		if !ok || r.allows(tc.to) != tc.want {
			t.Errorf("%s imports %s: got %v, want %v", name(tc.from), name(tc.to), !tc.want, tc.want)
		}
	}
	if r, ok := rowOf("somewhere/new"); ok {
		t.Errorf("an unknown part found the row %+v", r)
	}
}

// listPackages asks the go command, which knows build tags and generated code.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = root(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []goPackage
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		pkgs = append(pkgs, p)
	}
}

// rowOf finds the row of the longest part that holds the package.
func rowOf(part string) (row, bool) {
	best, found := row{}, false
	for _, r := range table {
		if (r.part == part || (r.part != "" && within(part, r.part))) && (!found || len(r.part) > len(best.part)) {
			best, found = r, true
		}
	}
	return best, found
}

func (r row) allows(part string) bool {
	if r.part != "" && within(part, r.part) {
		return true
	}
	return slices.ContainsFunc(r.imports, func(allowed string) bool {
		if allowed == "..." || allowed == part {
			return true
		}
		return !slices.Contains(onlyExactly, allowed) && within(part, allowed)
	})
}

func ours(importPath string) bool { return within(importPath, module) }

func partOf(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

func name(part string) string {
	if part == "" {
		return "main"
	}
	return part
}
