package test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEachDependencyIsExplained(t *testing.T) {
	t.Parallel()
	explained, err := os.ReadFile(filepath.Join(root(t), "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", "lab", "lab/binaries/*", "tools/*"} {
		mods, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(dir), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for _, mod := range mods {
			for _, dep := range directDependencies(t, mod) {
				if !strings.Contains(string(explained), "`"+dep+"`") {
					t.Errorf("docs/dependencies.md does not say what %s is for (%s)", dep, mod)
				}
			}
		}
	}
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
