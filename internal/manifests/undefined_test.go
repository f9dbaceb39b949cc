package manifests

import (
	"strings"
	"testing"

	"github.com/fluxcd/pkg/envsubst"
)

func TestUndefinedIn(t *testing.T) {
	t.Parallel()
	defined := map[string]string{"a": "x", "empty": ""}
	for text, want := range map[string]string{
		"":                     "",
		"none":                 "",
		"${a} ${empty}":        "",
		"${z} ${y} ${z}":       "y z",
		"$${y} $y":             "",
		"${y:=1} ${y=1}":       "",
		"${y:-1} ${y-1}":       "",
		"${y:+1} ${y+1}":       "",
		"${y:?1} ${y?1}":       "",
		"${#y}":                "y",
		"${y^^}":               "y",
		"${y:0:1}":             "y",
		"${y/b/c}":             "y",
		"${y#b}":               "y",
		"${y%b}":               "y",
		"${a:=${y}}":           "y",
		"${y:=${a}}":           "",
		"${y:=${z:=${w}}}":     "w",
		"${":                   "",
		"${}":                  "",
		"a: ${y}\nb: |\n ${z}": "y z",
	} {
		got := strings.Join(undefinedIn(text, defined), " ")
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		agrees(t, text, defined, got)
	}
}

// agrees holds the list against the library's own judgement: it fails if and
// only if something is undefined.
func agrees(t *testing.T, text string, defined map[string]string, undefined string) {
	t.Helper()
	_, err := envsubst.Eval(text, func(name string) (string, bool) {
		value, ok := defined[name]
		return value, ok
	})
	if strict := err != nil && strings.Contains(err.Error(), "strict mode"); strict != (undefined != "") {
		t.Errorf("%q: the library says %v, we say %q", text, err, undefined)
	}
}

func FuzzUndefinedIn(f *testing.F) {
	f.Add("${a:=${b}} ${c^^}")
	f.Add("x ${a/${b}/${c}} $${d}")
	f.Fuzz(func(t *testing.T, text string) {
		defined := map[string]string{"a": "x", "b": ""}
		defer func() {
			if r := recover(); r != nil {
				t.Skipf("the library panics by itself: %v", r)
			}
		}()
		agrees(t, text, defined, strings.Join(undefinedIn(text, defined), " "))
	})
}
