package waiters

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// Every constant of type CauseKind is documented once, in full.
func TestCausesAreComplete(t *testing.T) {
	listed := map[CauseKind]bool{}
	for _, info := range Causes() {
		if listed[info.Kind] {
			t.Errorf("%s is listed twice", info.Kind)
		}
		listed[info.Kind] = true
		if info.Class == NoClass {
			t.Errorf("%s has no class", info.Kind)
		}
		for _, sentence := range []string{info.Meaning, info.remedy} {
			if !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s: %q is not a sentence", info.Kind, sentence)
			}
		}
		if strings.Contains(info.remedy, "{}") != (info.subject != "") {
			t.Errorf("%s: remedy and default subject do not fit", info.Kind)
		}
		checkRemedy(t, newCause(info.Kind, "").Remedy)
		checkRemedy(t, newCause(info.Kind, "X").Remedy)
	}
	for _, kind := range declaredKinds(t) {
		if !listed[kind] {
			t.Errorf("%s is not listed", kind)
		}
	}
	if n := len(declaredKinds(t)); n != len(listed) {
		t.Errorf("%d kinds are declared, %d listed", n, len(listed))
	}
}

// declaredKinds reads the constants from the source: forgetting one in a list
// is what the test above is there to find.
func declaredKinds(t *testing.T) []CauseKind {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "cause.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []CauseKind
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "CauseKind" && spec.Names[0].Name != "NoCause" {
			kinds = append(kinds, CauseKind(spec.Names[0].Name))
		}
		return true
	})
	return kinds
}

func TestCauseAbout(t *testing.T) {
	c := Cause{Kind: MissingKind, Class: Passing}.about("Widget.example.io")
	if c.Class != Passing || c.Subject != "Widget.example.io" || c.Remedy != "Install what brings Widget.example.io before this set is applied." {
		t.Errorf("got %+v", c)
	}
	if got := c.orAbout("other"); got != c {
		t.Errorf("orAbout replaced a subject: %+v", got)
	}
	if got := newCause(MissingKind, "").orAbout("other").Subject; got != "other" {
		t.Errorf("orAbout did not set a subject: %q", got)
	}
}

func TestNames(t *testing.T) {
	for want, got := range map[string]string{
		"": NoClass.String(), "passing": Passing.String(), "needs action": NeedsAction.String(),
		"terminal": Terminal.String(), "Class(9)": Class(9).String(),
		"Unknown": Unknown.String(), "Missing": Missing.String(), "Suspended": Suspended.String(),
		"Blocked": Blocked.String(), "Progressing": Progressing.String(), "Retrying": Retrying.String(),
		"Stalled": Stalled.String(), "Stale": Stale.String(), "Ready": Ready.String(), "State(99)": State(99).String(),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
