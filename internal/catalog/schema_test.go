package catalog

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const (
	schemaFile = "../../docs/reference/catalogue-entry.schema.json"
	pageFile   = "../../docs/reference/catalogue.md"
)

func schema(t *testing.T) (*jsonschema.Schema, any) {
	t.Helper()
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("entry.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("entry.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled, doc
}

func plain(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	v, err = jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEveryEntryMeetsTheSchema(t *testing.T) {
	compiled, _ := schema(t)
	names, err := fs.Glob(files, "entries/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(plain(t, raw)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaAndParserAgree: what an editor marks is what the program refuses.
// The program knows a little more: it compares values with each other.
func TestSchemaAndParserAgree(t *testing.T) {
	compiled, _ := schema(t)
	for _, text := range []string{good, goodChart, "name: a\nchart: {names: [a]}\ncreated: chart\ngroups: [example.io]\n"} {
		if err := compiled.Validate(plain(t, []byte(text))); err != nil {
			t.Errorf("the schema refuses what the parser takes: %v\n%s", err, text)
		}
		if _, err := parse("a.yaml", []byte(text)); err != nil {
			t.Errorf("the parser refuses it: %v\n%s", err, text)
		}
	}
	for from, to := range map[string]string{
		"created:":                  "creatd:",
		"source: https":             "source: http",
		"names: [a, b]":             "names: []",
		"names: [a, b], ":           "",
		"[charts.example.org/a]":    `["https://charts.example.org"]`,
		"crds: templates":           "crds: elsewhere",
		"created: chart":            "created: magic",
		"any: {crds.enabled: true}": "any: {crds.enabled: 1}",
		"when: {any: {crds.enabled: true}, none: {skip: false}}": "when: {}",
		"plural: bs":                          "plural: Bs",
		"scope: Cluster":                      "scope: cluster",
		"versions: [v1]":                      "versions: []",
		"versions: [v1], ":                    "",
		`Ready: "True"`:                       `Ready: "yes"`,
		"- example.org/C":                     "- C",
		"[example.com, ":                      "[Example, ",
		`"*.example.com"`:                     `"*"`,
		"maybe: [old.example.org]":            "maybe: [old]",
		"field: list, item: x":                "field: list",
		"    provides: [sub.example.org/D]\n": "",
		"chart: {names: [a, b], repositories: [charts.example.org/a], crds: templates}\n": "",
	} {
		text := change(t, goodChart, from, to)
		if err := compiled.Validate(plain(t, []byte(text))); err == nil {
			t.Errorf("the schema takes it with %q for %q", to, from)
		}
		if _, err := parse("a.yaml", []byte(text)); err == nil {
			t.Errorf("the parser takes it with %q for %q", to, from)
		}
	}
}

func TestSchemaMeetsItsOwnSchema(t *testing.T) {
	_, doc := schema(t)
	meta, err := jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	if err := meta.Validate(doc); err != nil {
		t.Error(err)
	}
}

// TestSchemaIsDescribed: an editor shows the description of every field, and
// the page names every field.
func TestSchemaIsDescribed(t *testing.T) {
	_, doc := schema(t)
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	eachField(doc, func(name string, field map[string]any) {
		described, _ := field["description"].(string)
		if ref, ok := field["$ref"].(string); ok && described == "" {
			described, _ = at(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/"))["description"].(string)
		}
		if described == "" {
			t.Errorf("%s has no description", name)
		}
		if !bytes.Contains(page, []byte("`"+name+"`")) {
			t.Errorf("%s does not mention `%s`", pageFile, name)
		}
	})
}

func at(doc any, steps []string) map[string]any {
	m, _ := doc.(map[string]any)
	for _, step := range steps {
		m, _ = m[step].(map[string]any)
	}
	return m
}

// eachField calls f for every property of a schema.
func eachField(part any, f func(name string, field map[string]any)) {
	switch part := part.(type) {
	case []any:
		for _, inner := range part {
			eachField(inner, f)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(part)) {
			fields, ok := part[key].(map[string]any)
			if key == "properties" && ok {
				for _, name := range slices.Sorted(maps.Keys(fields)) {
					if field, ok := fields[name].(map[string]any); ok {
						f(name, field)
					}
				}
			}
			eachField(part[key], f)
		}
	}
}
