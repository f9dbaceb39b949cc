package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The definitions of Flux's kinds are generated from API modules, and are those
// of the versions that the program is built with.
func TestTheDefinitionsOfFluxAreThoseOfTheModules(t *testing.T) {
	t.Parallel()
	made, err := os.ReadFile(filepath.Join(root(t), "internal", "schemas", "flux", "MODULES"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(made)), "\n")
	if len(lines) < 4 {
		t.Fatalf("MODULES has %d lines, want one for each API module of Flux", len(lines))
	}
	for _, line := range lines {
		if !strings.Contains(string(mod), "\t"+line+"\n") {
			t.Errorf("the definitions were made of %s, which go.mod does not require; run make update", line)
		}
	}
}
