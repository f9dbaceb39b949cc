package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// When is a condition on the values of a chart, or on the fields of a provider.
// All that is given must hold. Each field has the value that counts where it is
// not given: the chart's, or the operator's, default.
type When struct {
	// Any holds if one of the fields is true.
	Any map[string]bool `yaml:"any,omitempty"`
	// All holds if every field is true.
	All map[string]bool `yaml:"all,omitempty"`
	// None holds if no field is true: for values that switch CRDs off.
	None map[string]bool `yaml:"none,omitempty"`
	// Given holds if every field is there, even an empty one.
	Given []string `yaml:"given,omitempty"`
	// Contains holds if a list has an item.
	Contains *Contains `yaml:"contains,omitempty"`
}

// Contains is the condition that a list has an item.
type Contains struct {
	Field string `yaml:"field"`
	Item  string `yaml:"item"`
	// Default is whether the list has the item where it is not given.
	Default bool `yaml:"default"`
}

// String says the condition in the words of the file, for messages.
func (w *When) String() string {
	if w == nil {
		return "always"
	}
	var parts []string
	add := func(fields map[string]bool, format, between string) {
		if len(fields) > 0 {
			parts = append(parts, fmt.Sprintf(format, strings.Join(slices.Sorted(maps.Keys(fields)), between)))
		}
	}
	add(w.Any, "%s is true", " or ")
	add(w.All, "%s is true", " and ")
	add(w.None, "%s is not true", " and ")
	if len(w.Given) > 0 {
		parts = append(parts, strings.Join(w.Given, " and ")+" is given")
	}
	if w.Contains != nil {
		parts = append(parts, fmt.Sprintf("%s has %s", w.Contains.Field, w.Contains.Item))
	}
	return strings.Join(parts, " and ")
}

// Holds says whether the condition holds for the fields. With partial, there
// are more fields than can be seen, so that a default says nothing.
func (w *When) Holds(fields map[string]any, partial bool) Answer {
	result := Yes
	if w == nil {
		return result
	}
	if len(w.Any) > 0 {
		one := No
		for path, otherwise := range w.Any {
			one = one.or(isTrue(fields, path, otherwise, partial))
		}
		result = result.and(one)
	}
	for path, otherwise := range w.All {
		result = result.and(isTrue(fields, path, otherwise, partial))
	}
	for path, otherwise := range w.None {
		result = result.and(isTrue(fields, path, otherwise, partial).not())
	}
	for _, path := range w.Given {
		if v, given := lookup(fields, path); !given || v == nil {
			result = result.and(absent(false, partial))
		}
	}
	if w.Contains != nil {
		result = result.and(w.Contains.holds(fields, partial))
	}
	return result
}

func (c Contains) holds(fields map[string]any, partial bool) Answer {
	v, given := lookup(fields, c.Field)
	if !given {
		return absent(c.Default, partial)
	}
	list, ok := v.([]any)
	if !ok {
		if text, isText := v.(string); isText && variable(text) {
			return Unknown
		}
		return No
	}
	result := No
	for _, item := range list {
		text, _ := item.(string)
		if text == c.Item {
			return Yes
		}
		if variable(text) {
			result = Unknown
		}
	}
	return result
}

// isTrue judges one field as a Helm template's "if" does: a text that is not
// empty is true, even if it reads "false".
func isTrue(fields map[string]any, path string, otherwise, partial bool) Answer {
	v, given := lookup(fields, path)
	if !given {
		return absent(otherwise, partial)
	}
	switch v := v.(type) {
	case nil: // null takes the default away
		return No
	case bool:
		return answer(v)
	case string:
		if variable(v) {
			return Unknown
		}
		return answer(v != "")
	case []any:
		return answer(len(v) > 0)
	case map[string]any:
		return answer(len(v) > 0)
	}
	return answer(fmt.Sprint(v) != "0")
}

func absent(otherwise, partial bool) Answer {
	if partial {
		return Unknown
	}
	return answer(otherwise)
}

// variable says that a text is only known after Flux has substituted it.
func variable(text string) bool { return strings.Contains(text, "${") }

// lookup finds a field by its dotted path. A text with a variable, or null, on
// the way there is what is found.
func lookup(fields map[string]any, path string) (any, bool) {
	var v any = fields
	for step := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return opaque(v)
		}
		if v, ok = m[step]; !ok {
			return nil, false
		}
	}
	return v, true
}

func opaque(v any) (any, bool) {
	if text, ok := v.(string); ok && variable(text) {
		return text, true
	}
	return nil, v == nil
}
