package tiers

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestPublishedSchemaIsTheSame(t *testing.T) {
	published, err := os.ReadFile("../docs/reference/tier-order.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(published, Schema()) {
		t.Error("docs/reference/tier-order.schema.json is not tiers/schema/tier-order.schema.json; copy it")
	}
}

// TestSchemaIsDescribed: an editor shows the description of every field.
func TestSchemaIsDescribed(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	eachField(doc, "", func(path string, field map[string]any) {
		if d, _ := field["description"].(string); d == "" && !strings.HasPrefix(path, "webhook.object.") {
			t.Errorf("%s has no description", path)
		}
	})
}

// TestReferencePageIsComplete: the page names every field of the schema.
func TestReferencePageIsComplete(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/tier-order.md")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	eachField(doc, "", func(path string, _ map[string]any) {
		name := path[strings.LastIndex(path, ".")+1:]
		if !bytes.Contains(page, []byte("`"+name+"`")) && !strings.HasPrefix(path, "webhook.object.") {
			t.Errorf("docs/reference/tier-order.md does not mention `%s` (%s)", name, path)
		}
	})
}

// TestReferencePageExample: what the page shows is a valid file.
func TestReferencePageExample(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/tier-order.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```yaml\n")
	example, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("the page has no example")
	}
	if _, err := Parse("tier-order.md", []byte(example)); err != nil {
		t.Error(err)
	}
}

func TestSchemaMeetsItsOwnSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	meta, err := jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	if err := meta.Validate(doc); err != nil {
		t.Error(err)
	}
}

// eachField calls f for every property of a schema, with a path of their names.
func eachField(schema map[string]any, path string, f func(path string, field map[string]any)) {
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		inner, ok := schema[key].(map[string]any)
		if !ok {
			continue
		}
		if key != "properties" {
			eachField(inner, path, f)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			field, ok := inner[name].(map[string]any)
			if !ok {
				continue
			}
			at := strings.TrimPrefix(path+"."+name, ".")
			f(at, field)
			eachField(field, at, f)
		}
	}
}
