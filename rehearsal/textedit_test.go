package rehearsal

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithItem(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		line int
		want string // "" where it is refused
	}{
		"behind the last": {"spec:\n  dependsOn:\n    - name: a\n  path: x\n", 1, "spec:\n  dependsOn:\n    - name: a\n    - name: n\n  path: x\n"},
		"not indented":    {"spec:\n  dependsOn:\n  - name: a\n    namespace: b\n  path: x\n", 1, "spec:\n  dependsOn:\n  - name: a\n    namespace: b\n  - name: n\n  path: x\n"},
		"no list yet":     {"kind: K\nspec:\n  path: x\n", 1, "kind: K\nspec:\n  dependsOn:\n    - name: n\n  path: x\n"},
		"second document": {"spec:\n  path: x\n---\nspec:\n  path: y\n", 4, "spec:\n  path: x\n---\nspec:\n  dependsOn:\n    - name: n\n  path: y\n"},
		"no end of line":  {"spec:\n  dependsOn:\n    - name: a", 1, "spec:\n  dependsOn:\n    - name: a\n    - name: n\n"},
		"one line":        {"spec: {path: x}\n", 1, ""},
		"list in a line":  {"spec:\n  dependsOn: [{name: a}]\n", 1, ""},
		"no parent":       {"kind: K\n", 1, ""},
	} {
		got, err := withItem(tc.text, tc.line, "name: n", "spec", "dependsOn")
		if diff := cmp.Diff(tc.want, got); diff != "" || (err != nil) != (tc.want == "") || err != nil && !errors.Is(err, errShape) {
			t.Errorf("%s: %v, want -, got +\n%s", name, err, diff)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	const text = "# first\na: 1\n---\n# second\nb: 2\n---\nc: 3\n"
	for name, tc := range map[string]struct {
		lines []int
		want  string
	}{
		"first":  {[]int{2}, "# second\nb: 2\n---\nc: 3\n"},
		"middle": {[]int{5}, "# first\na: 1\n---\nc: 3\n"},
		"last":   {[]int{7}, "# first\na: 1\n---\n# second\nb: 2\n"},
		"all":    {[]int{2, 5, 7}, ""},
	} {
		if diff := cmp.Diff(tc.want, without(text, tc.lines)); diff != "" {
			t.Errorf("%s: want -, got +\n%s", name, diff)
		}
	}
}
