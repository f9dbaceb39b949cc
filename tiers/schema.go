package tiers

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

//go:embed schema/tier-order.schema.json
var schemaJSON []byte

const schemaURL = "https://standup.sh/schemas/tier-order.schema.json"

// Schema returns the JSON Schema of a TIER_ORDER file. The published copy is
// docs/reference/tier-order.schema.json.
func Schema() []byte { return bytes.Clone(schemaJSON) }

// validate lists what the schema has against the document.
func (d *document) validate() error {
	schemaDoc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaJSON))
	if err != nil {
		return fmt.Errorf("the embedded schema cannot be read: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaURL, schemaDoc); err != nil {
		return fmt.Errorf("the embedded schema cannot be added: %w", err)
	}
	schema, err := compiler.Compile(schemaURL)
	if err != nil {
		return fmt.Errorf("the embedded schema cannot be compiled: %w", err)
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(d.value); errors.As(err, &invalid) {
		d.explain(invalid, schemaDoc)
	} else if err != nil {
		return fmt.Errorf("the schema cannot be applied: %w", err)
	}
	return joinFaults(d.faults)
}

// explain turns the leaves of a validation error into faults with a place.
func (d *document) explain(e *jsonschema.ValidationError, schemaDoc any) {
	if _, choice := e.ErrorKind.(*kind.OneOf); !choice && len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			d.explain(cause, schemaDoc)
		}
		return
	}
	at := d.at[pointerOf(e.InstanceLocation)]
	where := pathOf(e.InstanceLocation)
	if where == "" {
		where = "the file"
	}
	part := schemaPart(e.SchemaURL)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		d.unknownFields(k.Properties, e.InstanceLocation, fieldsOf(get(schemaDoc, part...), schemaDoc))
	case *kind.Required:
		for _, field := range k.Missing {
			d.fault(at, fmt.Sprintf("%s has no %s", where, field), "add it")
		}
	case *kind.OneOf:
		d.oneOf(at, where, len(k.Subschemas) == 0, part)
	case *kind.DependentRequired:
		d.fault(d.keyAt[pointerOf(append(slices.Clone(e.InstanceLocation), k.Prop))],
			fmt.Sprintf("%s has %s without %s", where, k.Prop, strings.Join(k.Missing, " and ")), "only an object is judged by CEL")
	default:
		message, hint := valueFault(where, get(d.value, e.InstanceLocation...), e.ErrorKind, definitionOf(part))
		d.fault(at, message, hint)
	}
}

// unknownFields puts each fault on the field itself.
func (d *document) unknownFields(fields, parent, known []string) {
	for _, field := range fields {
		steps := append(slices.Clone(parent), field)
		message := fmt.Sprintf("unknown field %q", field)
		if len(parent) > 0 {
			message += " in " + pathOf(parent)
		}
		hint := "the fields are " + strings.Join(known, ", ")
		if near := nearest(field, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		d.fault(d.keyAt[pointerOf(steps)], message, hint)
	}
}

// oneOf words the schema's two choices: what a probe looks at, and how a kind
// is named.
func (d *document) oneOf(at Position, where string, none bool, part []string) {
	choice := "object, kindServed, workload, webhook, tcp and http"
	if slices.Contains(part, "kindServed") {
		choice = "apiVersion and group"
	}
	if none {
		d.fault(at, where+" has none of "+choice, "add one of them")
		return
	}
	d.fault(at, where+" has more than one of "+choice, "keep one of them")
}

// schemaPart splits the pointer of a schema's URL; the root has no steps.
func schemaPart(url string) []string {
	_, fragment, _ := strings.Cut(url, "#")
	return strings.FieldsFunc(fragment, func(r rune) bool { return r == '/' })
}

// definitionOf names the definition that a part of the schema is, if it is one.
func definitionOf(part []string) string {
	if len(part) == 2 && part[0] == "$defs" {
		return part[1]
	}
	return ""
}

// fieldsOf lists the fields that a part of the schema knows, in order.
func fieldsOf(part, schemaDoc any) []string {
	if properties, ok := get(part, "properties").(map[string]any); ok {
		return slices.Sorted(maps.Keys(properties))
	}
	if ref, ok := get(part, "$ref").(string); ok {
		return fieldsOf(get(schemaDoc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), schemaDoc)
	}
	return nil
}
