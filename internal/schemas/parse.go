package schemas

import (
	"errors"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// parseFaults lists why an object cannot be parsed by its schema. The parser
// leaves a map at the first field that it does not know, and which one that is
// hangs on chance: such fields are taken out and it is asked again.
func parseFaults(types managedfields.TypeConverter, object map[string]any) []string {
	var found []string
	copied := false
	for {
		_, err := types.ObjectToTyped(&unstructured.Unstructured{Object: object})
		if err == nil {
			return unique(found)
		}
		all, ok := errors.AsType[typed.ValidationErrors](err)
		if !ok {
			return unique(append(found, plain(err.Error())))
		}
		dropped := false
		for _, e := range all {
			found = append(found, plain(e.Error()))
			if e.ErrorMessage != undeclared {
				continue
			}
			if !copied {
				object, copied = runtime.DeepCopyJSON(object), true
			}
			dropped = drop(object, "", selector.ReplaceAllString(e.Path, "")) || dropped
		}
		if !dropped {
			return unique(found)
		}
	}
}

// undeclared is what the parser says of a field that the schema does not have
// (structured-merge-diff, typed/validate.go).
const undeclared = "field not declared in schema"

// selector is the part of a path that names an element of a list.
var selector = regexp.MustCompile(`\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]`)

// drop deletes the field at a path, in all elements of the lists on the way: they
// have one schema.
func drop(v any, at, path string) bool {
	dropped := false
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			dropped = drop(inner, at, path) || dropped
		}
	case map[string]any:
		for key, inner := range v {
			switch here := at + "." + key; {
			case here == path:
				delete(v, key)
				dropped = true
			case strings.HasPrefix(path, here+"."):
				dropped = drop(inner, here, path) || dropped
			}
		}
	}
	return dropped
}
