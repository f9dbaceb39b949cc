package test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/dependencies.md says what each direct dependency is for, in tables whose
// first column names modules; nothing is missing there and nothing is left over.
func TestEachDependencyIsExplained(t *testing.T) {
	t.Parallel()
	explained := explainedDependencies(t)
	required := map[string]bool{}
	for _, dir := range []string{".", "lab", "lab/binaries/*", "tools/*"} {
		mods, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(dir), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for _, mod := range mods {
			for _, dep := range directDependencies(t, mod) {
				required[dep] = true
				if !explained[dep] {
					t.Errorf("docs/dependencies.md does not say what %s is for (%s)", dep, mod)
				}
			}
		}
	}
	for _, dep := range slices.Sorted(maps.Keys(explained)) {
		if !required[dep] {
			t.Errorf("docs/dependencies.md explains %s, which no go.mod requires directly", dep)
		}
	}
}

func explainedDependencies(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	quoted := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(string(text)) {
		column, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(column, -1) {
			explained[m[1]] = true
		}
	}
	return explained
}

// directDependencies are the modules that a go.mod requires by itself, and the
// modules of its tools.
func directDependencies(t *testing.T, mod string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	cmd.Dir = filepath.Dir(mod)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", mod, err)
	}
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Tool []struct{ Path string }
	}
	if err := json.Unmarshal(out, &file); err != nil {
		t.Fatalf("%s: %v", mod, err)
	}
	var direct []string
	for _, r := range file.Require {
		isTool := false
		for _, tool := range file.Tool {
			isTool = isTool || within(tool.Path, r.Path)
		}
		// go get -tool leaves the module of the tool marked as indirect.
		if !r.Indirect || isTool {
			direct = append(direct, r.Path)
		}
	}
	return direct
}
