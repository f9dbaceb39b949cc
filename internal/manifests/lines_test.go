package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	const cm = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	for name, tc := range map[string]struct{ text, want string }{
		"one":                    {cm, "1-6 v1 ConfigMap /a"},
		"two":                    {cm + "---\n" + cm, "1-5 v1 ConfigMap /a\n6-11 v1 ConfigMap /a"},
		"leading marker":         {"---\n" + cm, "2-7 v1 ConfigMap /a"},
		"marker with a comment":  {"--- # x\n" + cm, "2-7 v1 ConfigMap /a"},
		"marker with a document": {"--- {kind: A, metadata: {name: b}}\n", "1-3  A /b"},
		"end marker":             {cm + "...\n---\n" + cm, "1-5 v1 ConfigMap /a\n7-12 v1 ConfigMap /a"},
		"comments and blanks":    {"# x\n\n# y: z\n" + cm, "4-9 v1 ConfigMap /a"},
		"windows":                {strings.ReplaceAll(cm, "\n", "\r\n"), "1-6 v1 ConfigMap /a"},
		"byte order mark":        {"\ufeff" + cm, "1-6 v1 ConfigMap /a"},
		"quotes":                 {"kind: \"A\" # x\nmetadata: {}\n", ""},
		"quoted":                 {"kind: \"A\" # x\nmetadata:\n  name: 'b'\n", "1-5  A /b"},
		"comment":                {"kind: A # x\nmetadata: # y\n  name: b # z\n", "1-5  A /b"},
		"escapes":                {"kind: \"\\x41\"\nmetadata:\n  name: 'it''s'\n", "1-5  A /it's"},
		"flow":                   {"kind: A\nmetadata: {name: b, namespace: c}\n", "1-4  A c/b"},
		"indented":               {"  kind: A\n  metadata:\n    name: b\n", "1-5  A /b"},
		"deeper names":           {"kind: A\nspec:\n  name: x\nmetadata:\n  labels:\n    name: y\n  namespace: c\n  name: b\n", "1-10  A c/b"},
		"anchor":                 {"kind: A\nmetadata:\n  name: &x b\n  namespace: *x\n", "1-6  A b/b"},
		"anchor defined twice":   {"kind: A\nmetadata:\n  name: &x b\nx: &x c\n", "1-6  A /b"},
		"alias to nothing":       {"kind: A\nmetadata:\n  name: *x\n", ""},
		"merge":                  {"x: &x {name: b}\nkind: A\nmetadata:\n  <<: *x\n", "1-6  A /b"},
		"block scalar":           {"kind: A\nmetadata:\n  name: >-\n    b\n", "1-6  A /b"},
		"a token":                {"kind: A\nmetadata:\n  name: ${b}-x\n", "1-5  A /${b}-x"},
		"text that looks so":     {"kind: A\ndata: |\n  kind: B\n  metadata:\n    name: c\nmetadata:\n  name: b\n", "1-9  A /b"},
		"list below its key":     {"kind: A\nfinalizers:\n- kind: B\nmetadata:\n  name: b\n", "1-7  A /b"},
		"twice the same key":     {"kind: A\nkind: B\nmetadata:\n  name: b\n", "1-6  A /b"},
		"json":                   {"{\"kind\": \"A\",\n \"metadata\": {\"name\": \"b\"}}", "1-3  A /b"},
		"list": {
			"kind: List\nitems:\n- kind: A\n  metadata: {name: b}\n- kind: C\n  metadata: {name: d}\n",
			"3-5  A /b\n5-8  C /d",
		},
		"list of lists":    {"kind: XList\nitems:\n- kind: List\n  items:\n  - {kind: A, metadata: {name: b}}\n", "5-7  A /b"},
		"endless list":     {"kind: List\nitems: &x\n- kind: List\n  items: *x\n", ""},
		"items of its own": {"kind: A\nitems: []\nmetadata: {name: b}\n", "1-5  A /b"},
		"no object":        {"a: b\n", ""},
		"no name":          {"kind: A\n", ""},
		"not YAML":         {"a: [\n", ""},
		"empty":            {"", ""},
		"ciphertext": {
			"apiVersion: ENC[AES256_GCM,data:x/y,type:str]\nkind: ENC[AES256_GCM,data:k]\nmetadata:\n    name: ENC[n]\n",
			"1-6 ENC[AES256_GCM,data:x/y,type:str] ENC[AES256_GCM,data:k] /ENC[n]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, show(documents([]byte(tc.text)))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func show(docs []document) string {
	lines := make([]string, len(docs))
	for i, d := range docs {
		lines[i] = fmt.Sprintf("%d-%d %s %s %s/%s", d.line, d.end, d.apiVersion, d.kind, d.namespace, d.name)
	}
	return strings.Join(lines, "\n")
}

// The quick way of reading must not see what the parser does not.
func FuzzDocuments(f *testing.F) {
	seeds, err := filepath.Glob("testdata/build/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range seeds {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("kind: A\nmetadata:\n  name: b\n")
	f.Add("kind: A\nmetadata:\n  name: &x b\n  namespace: *x\n---\nkind: List\nitems: [{kind: B}]\n")
	f.Add("kind: A\nx: \"\n y\"\nmetadata:\n  name: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, d := range documents([]byte(text)) {
			if d.line < 1 || d.line > lines || d.end <= d.line || d.end > lines+1 || d.kind == "" || d.name == "" {
				t.Errorf("%+v of %d lines", d, lines)
			}
		}
		for _, c := range chunks([]byte(text)) {
			quick, ok := c.plain()
			var root yaml.Node
			if !ok || yaml.Unmarshal([]byte(strings.Join(c.lines, "\n")), &root) != nil {
				continue // what is not YAML has no right answer
			}
			if slow := c.parse(); len(slow) != 1 || slow[0] != quick {
				t.Errorf("quick:  %+v\nparser: %+v", quick, slow)
			}
		}
	})
}

func TestUsesVariable(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"${a}": true, "x ${a:=b}": true, "${#a}": true, "${a^^}": true, "${ab} ${a}": true,
		"$${a}": false, "${ab}": false, "$a": false, "": false, "${": false, "${b:=${a}}": true,
	} {
		if got := usesVariable(line, "a"); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
