package schemas

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	rules "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
)

// metadata judges the names in an object: its own, its labels, annotations and
// finalizers, and the keys of what becomes files. Whether it needs a namespace is
// not its business.
func metadata(o *unstructured.Unstructured) []string {
	fields, _, _ := unstructured.NestedMap(o.Object, "metadata")
	var meta metav1.ObjectMeta
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &meta); err != nil {
		if scheme.Scheme.Recognizes(o.GroupVersionKind()) {
			return nil // the parse by the schema says it, and better
		}
		if found := notText(fields); len(found) > 0 {
			return found
		}
		return []string{"metadata: " + err.Error()}
	}
	errs := validation.ValidateObjectMeta(&meta, meta.Namespace != "", nameRule(o), field.NewPath("metadata"))
	return texts(append(errs, dataKeys(o)...))
}

// notText lists the labels and annotations that are no text.
func notText(metadata map[string]any) []string {
	var found []string
	for _, name := range []string{"labels", "annotations"} {
		values, _, _ := unstructured.NestedMap(metadata, name)
		for key, value := range values {
			if _, ok := value.(string); !ok {
				found = append(found, fmt.Sprintf("metadata.%s.%s: expected string, got %s", name, key, kindOfValue(fmt.Sprint(value))))
			}
		}
	}
	return unique(found)
}

// nameRule is how an object of a kind may be called. That of most kinds and of
// all custom ones is a DNS subdomain (kubernetes, pkg/apis/*/validation).
func nameRule(o *unstructured.Unstructured) validation.ValidateNameFunc {
	switch gk := o.GroupVersionKind().GroupKind(); {
	case strings.HasSuffix(gk.Group, "rbac.authorization.k8s.io"):
		return func(name string, _ bool) []string { return content.IsPathSegmentName(name) }
	case gk.Group == "" && gk.Kind == "Namespace":
		return validation.ValidateNamespaceName
	case gk.Group == "" && gk.Kind == "Service":
		return validation.NameIsDNSLabel
	}
	return validation.NameIsDNSSubdomain
}

// dataKeys judges the keys of a ConfigMap or Secret (kubernetes,
// pkg/apis/core/validation).
func dataKeys(o *unstructured.Unstructured) field.ErrorList {
	gvk := o.GroupVersionKind()
	if gvk.Group != "" || gvk.Kind != "ConfigMap" && gvk.Kind != "Secret" {
		return nil
	}
	var errs field.ErrorList
	for _, name := range []string{"data", "binaryData"} {
		data, _, _ := unstructured.NestedMap(o.Object, name)
		for _, key := range slices.Sorted(maps.Keys(data)) {
			for _, message := range rules.IsConfigMapKey(key) {
				errs = append(errs, field.Invalid(field.NewPath(name), key, message))
			}
		}
	}
	return errs
}
