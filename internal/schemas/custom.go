package schemas

import (
	"slices"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// definition judges the objects of one version of a custom kind.
type definition struct {
	types  managedfields.TypeConverter
	values *validate.SchemaValidator
	broken error // of the schema; its objects are not judged then
}

// newDefinition makes of a schema what the API server makes of it: the types by
// which what is applied is parsed, and the rules for its values
// (apiextensions-apiserver, pkg/apiserver/customresource_handler.go).
func newDefinition(gvk schema.GroupVersionKind, s *structural.Structural) *definition {
	s = s.DeepCopy()
	(&structural.Visitor{Structural: requireNoDefaults}).Visit(s)
	open := s.ToKubeOpenAPI()
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(open.Properties, name) // judged for all kinds alike
		open.Required = slices.DeleteFunc(open.Required, func(r string) bool { return r == name })
	}
	d := &definition{values: validate.NewSchemaValidator(open, nil, "", strfmt.Default)}
	typed := *open
	typed.Properties = map[string]spec.Schema{
		"apiVersion": *spec.StringProperty(), "kind": *spec.StringProperty(), "metadata": *spec.MapProperty(nil),
	}
	for name, p := range open.Properties {
		typed.Properties[name] = p
	}
	typed.Extensions = spec.Extensions{"x-kubernetes-group-version-kind": []any{
		map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind},
	}}
	for key, value := range open.Extensions {
		typed.Extensions[key] = value
	}
	d.types, d.broken = managedfields.NewTypeConverter(map[string]*spec.Schema{"object": &typed}, false)
	return d
}

// requireNoDefaults takes what has a default out of what is required: defaults
// are filled in before the values are judged.
func requireNoDefaults(s *structural.Structural) bool {
	if s.ValueValidation == nil {
		return false
	}
	before := len(s.ValueValidation.Required)
	s.ValueValidation.Required = slices.DeleteFunc(s.ValueValidation.Required, func(name string) bool {
		return s.Properties[name].Default.Object != nil
	})
	return len(s.ValueValidation.Required) != before
}

func (d *definition) check(o *unstructured.Unstructured) []string {
	if d.broken != nil {
		return nil
	}
	fields, _ := withoutNulls(o.Object).(map[string]any)
	if faults := parseFaults(d.types, fields); len(faults) > 0 {
		return faults
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(fields, name)
	}
	return listed(d.values.Validate(fields).Errors)
}

// withoutNulls copies a value without the fields that are null, as the API
// server drops them unless a schema says that a field may be null.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			if inner != nil {
				out[key] = withoutNulls(inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = withoutNulls(inner)
		}
		return out
	}
	return v
}
