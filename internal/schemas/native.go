package schemas

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// newNative reads the schema of the native kinds, by which the API server parses
// what is applied (apimachinery, managedfields/internal/structuredmerge.go).
func newNative() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(scheme.Scheme)
}

// nativeFaults judges an object of a native kind; of others nothing is known.
func nativeFaults(types managedfields.TypeConverter, o *unstructured.Unstructured) []string {
	if !scheme.Scheme.Recognizes(o.GroupVersionKind()) {
		return nil
	}
	if faults := parseFaults(types, o.Object); len(faults) > 0 {
		return faults
	}
	return selectorFaults(o)
}

// selectorFaults: the selector of a workload has to match its own pods
// (kubernetes, pkg/apis/apps/validation), which a transformer that adds labels
// in one place only breaks.
func selectorFaults(o *unstructured.Unstructured) []string {
	if o.GroupVersionKind().Group != "apps" {
		return nil
	}
	want, found, err := unstructured.NestedStringMap(o.Object, "spec", "selector", "matchLabels")
	if err != nil || !found {
		return nil
	}
	has, _, err := unstructured.NestedStringMap(o.Object, "spec", "template", "metadata", "labels")
	if err != nil || labels.SelectorFromSet(want).Matches(labels.Set(has)) {
		return nil
	}
	return []string{"spec.template.metadata.labels: the selector " + labels.Set(want).String() + " does not match them"}
}
