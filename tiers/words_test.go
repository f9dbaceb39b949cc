package tiers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestDefinitionsHaveWords: a pattern helps nobody, so every definition of the
// schema that is one has words of its own.
func TestDefinitionsHaveWords(t *testing.T) {
	var doc struct {
		Defs map[string]struct {
			Type string `json:"type"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	for name, def := range doc.Defs {
		hint := definitionHint(name)
		if (def.Type == "string") != (hint != "") {
			t.Errorf("definition %s is a %s, and its hint is %q", name, def.Type, hint)
		}
		if noun := definitionNoun(name); !strings.HasPrefix(noun, "a") {
			t.Errorf("definition %s is called %q", name, noun)
		}
	}
}

func TestShow(t *testing.T) {
	tests := []struct {
		value any
		want  string
	}{
		{nil, "empty"},
		{"", `""`},
		{"a\nb", `"a\nb"`},
		{strings.Repeat("ä", 61), `"` + strings.Repeat("ä", 60) + `…"`},
		{int64(7), "7"},
		{1.5, "1.5"},
		{true, "true"},
		{[]any{1}, "a list"},
		{map[string]any{}, "a mapping"},
	}
	for _, tt := range tests {
		if got := show(tt.value); got != tt.want {
			t.Errorf("show(%v) is %s, want %s", tt.value, got, tt.want)
		}
	}
}

func TestPaths(t *testing.T) {
	tests := []struct {
		steps         []string
		path, pointer string
	}{
		{nil, "", ""},
		{[]string{"tiers"}, "tiers", "/tiers"},
		{[]string{"tiers", "1", "probes", "0", "timeout"}, "tiers[1].probes[0].timeout", "/tiers/1/probes/0/timeout"},
		{[]string{"a/b", "c~d"}, "a/b.c~d", "/a~1b/c~0d"},
	}
	for _, tt := range tests {
		if got := pathOf(tt.steps); got != tt.path {
			t.Errorf("path of %v is %q, want %q", tt.steps, got, tt.path)
		}
		if got := pointerOf(tt.steps); got != tt.pointer {
			t.Errorf("pointer of %v is %q, want %q", tt.steps, got, tt.pointer)
		}
	}
}

func TestGet(t *testing.T) {
	doc := map[string]any{"a": []any{"x", map[string]any{"b": int64(1)}}}
	tests := []struct {
		steps string
		want  any
	}{
		{"a 0", "x"}, {"a 1 b", int64(1)}, {"a 2", nil}, {"a -1", nil}, {"a x", nil}, {"b", nil}, {"a 0 b", nil},
	}
	for _, tt := range tests {
		if got := get(doc, strings.Fields(tt.steps)...); got != tt.want {
			t.Errorf("get %s: %v, want %v", tt.steps, got, tt.want)
		}
	}
}

// TestMessagesReadAsSentences holds all expected texts of testdata to one form:
// a place, what is wrong, and what to do.
func TestMessagesReadAsSentences(t *testing.T) {
	place := regexp.MustCompile(`^TIER_ORDER\.yaml:\d+:\d+: (.*)$`)
	paths, err := filepath.Glob("testdata/parse/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	for _, path := range paths {
		for line := range strings.Lines(readGolden(t, path).sections["want"]) {
			line = strings.TrimSuffix(line, "\n")
			if line == "no error" {
				continue
			}
			m := place.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s: no place: %s", path, line)
				continue
			}
			first, _ := utf8.DecodeRuneInString(m[1])
			named := strings.HasPrefix(m[1], "Kustomization ")
			if unicode.IsUpper(first) && !named || strings.HasSuffix(line, ".") {
				t.Errorf("%s: not in the house style: %s", path, line)
			}
			if !strings.Contains(m[1], "; ") && !strings.HasPrefix(m[1], "this is not YAML: ") {
				t.Errorf("%s: nothing to do: %s", path, line)
			}
		}
	}
}

// TestPlacesAreRight: each fault of a value stands where the value is written.
func TestPlacesAreRight(t *testing.T) {
	for _, path := range []string{"values", "types", "probes", "unknown-fields", "durations", "windows"} {
		g := readGolden(t, filepath.Join("testdata/parse", path+".txt"))
		lines := strings.Split(g.sections["file"], "\n")
		for fault := range strings.Lines(g.sections["want"]) {
			m := regexp.MustCompile(`:(\d+):(\d+): (?:unknown field )?.*?"(.*?)"`).FindStringSubmatch(fault)
			if m == nil {
				continue
			}
			line, _ := strconv.Atoi(m[1])
			column, _ := strconv.Atoi(m[2])
			at := lines[line-1][column-1:]
			if !strings.HasPrefix(strings.TrimPrefix(at, `"`), m[3]) {
				t.Errorf("%s: %s  stands at %q", path, fault, at)
			}
		}
	}
}

// TestNoGoldenIsForgotten: every file of testdata belongs to a test that runs it.
func TestNoGoldenIsForgotten(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		switch f.Name() {
		case "plan", "check", "parse", "fuzz":
		default:
			t.Errorf("nobody reads testdata/%s", f.Name())
		}
	}
}
