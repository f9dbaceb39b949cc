package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/standup-sh/standup/waiters"
)

// causesPage is docs/reference/causes.md: the names are in the JSON, so scripts
// may rely on them.
func causesPage() string {
	var b strings.Builder
	b.WriteString("# Causes\n\n" +
		"Why something is not ready, as `cause.kind` and `cause.class` in the\n[result](result.md) and in the [events](events.md) name it. A *passing* cause heals by\n" +
		"itself or by a retry, and is waited out; one that *needs action* ends a run when\nnothing else moves any more\n" +
		"([ADR 6](../adr/0006-needs-action-ends-a-run-only-when-nothing-moves.md)); a\n*terminal* one does not heal at this revision and ends the run at once. The class\nis the usual one of the kind; a message may lower or raise it.\n\n" +
		"| kind | class | what it is | ends with code |\n|---|---|---|---|\n")
	for _, c := range waiters.Causes() {
		code := ExitTierFailed
		if other, ok := causeCodes()[c.Kind]; ok {
			code = other
		}
		if c.Class == waiters.Passing {
			code = ExitOutOfTime
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d |\n", c.Kind, c.Class, c.Meaning, code)
	}
	return b.String()
}

func TestTheDocumentedCausesAreTheOnesThereAre(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "reference", "causes.md")
	want := causesPage()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != want {
		t.Errorf("%s is out of date; run UPDATE_GOLDEN=1 go test ./internal/cli", path)
	}
}
