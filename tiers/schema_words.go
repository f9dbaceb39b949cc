package tiers

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// valueFault says what is wrong with one value, and what to write instead.
// definition is the name of the schema's definition that refused it.
func valueFault(where string, value any, refused jsonschema.ErrorKind, definition string) (wrong, hint string) {
	if hint := definitionHint(definition); hint != "" {
		return fmt.Sprintf("%s is %s, which is not %s", where, show(value), definitionNoun(definition)), hint
	}
	switch k := refused.(type) {
	case *kind.Const:
		return fmt.Sprintf("%s is %s", where, show(value)), fmt.Sprintf("this standup reads %s", show(k.Want))
	case *kind.Enum:
		words := make([]string, len(k.Want))
		for i, w := range k.Want {
			words[i] = fmt.Sprint(w)
		}
		return fmt.Sprintf("%s is %s", where, show(value)), "it is one of " + strings.Join(words, ", ")
	case *kind.Type:
		return fmt.Sprintf("%s is %s", where, show(value)), "it must be " + typeNoun(strings.Join(k.Want, " or "))
	case *kind.MinItems:
		return where + " is empty", "list at least one"
	case *kind.MinLength:
		return where + " is empty", "give it a value or leave it out"
	case *kind.Minimum:
		return fmt.Sprintf("%s is %s", where, show(value)), "the least is " + k.Want.RatString()
	case *kind.Maximum:
		return fmt.Sprintf("%s is %s", where, show(value)), "the most is " + k.Want.RatString()
	}
	return fmt.Sprintf("%s is %s, which the schema refuses (%s)", where, show(value), strings.Join(refused.KeywordPath(), ".")), "see docs/reference/tier-order.md"
}

// show quotes a value as it was meant, and names what is too long to quote.
func show(value any) string {
	switch v := value.(type) {
	case nil:
		return "empty"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		if r := []rune(v); len(r) > 60 {
			v = string(r[:60]) + "…"
		}
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(value)
}

func typeNoun(jsonType string) string {
	switch jsonType {
	case "object":
		return "a mapping"
	case "array":
		return "a list"
	case "boolean":
		return "true or false"
	case "integer":
		return "a whole number"
	}
	return "a " + jsonType
}

// definitionNoun and definitionHint are the words for the schema's $defs that
// are patterns; a pattern itself helps nobody.
func definitionNoun(definition string) string {
	switch definition {
	case "duration":
		return "a duration"
	case "member":
		return "a Kustomization"
	case "tierName":
		return "a tier's name"
	case "apiVersion":
		return "an API version"
	case "kind":
		return "a kind"
	case "provided":
		return "a group or group/Kind"
	case "cel":
		return "an expression"
	case "hostPort":
		return "a host:port"
	case "url":
		return "a URL"
	}
	return "a name"
}

func definitionHint(definition string) string {
	switch definition {
	case "duration":
		return "write it like 90s, 10m or 1h30m"
	case "member":
		return "write name or namespace/name"
	case "tierName":
		return "use letters, digits, spaces, '-', '.' and '_'; a namespace goes into kustomizations"
	case "name":
		return "use lower-case letters, digits, '-' and '.'"
	case "objectName":
		return "use the object's metadata.name"
	case "apiVersion":
		return "write it like apps/v1"
	case "kind":
		return "write it like StorageProfile"
	case "provided":
		return "write it like example.io/Widget"
	case "cel":
		return "write CEL over metadata, spec and status"
	case "hostPort":
		return "write it like registry.example.org:443"
	case "url":
		return "it begins with http:// or https://"
	}
	return ""
}
