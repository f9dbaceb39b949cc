package manifests

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Release is what a HelmRelease says of its chart, field by field what the
// catalogue is asked with.
type Release struct {
	// Chart is its name, a path, or an OCI address.
	Chart string
	// Repository is the address of the chart's repository, where Chart is but a
	// name. Empty if it is not known.
	Repository string
	Values     map[string]any
	// Partial says that there are more values, in what valuesFrom names.
	Partial bool
	// SkipCRDs is Skip in spec.install.crds.
	SkipCRDs bool
}

// ReleaseOf reads a HelmRelease (helm-controller/api/v2, HelmReleaseSpec). source
// finds the object of the source API that it refers to, or returns nil.
func ReleaseOf(release *unstructured.Unstructured, source func(kind, namespace, name string) *unstructured.Unstructured) Release {
	r := Release{SkipCRDs: textAt(release, "spec", "install", "crds") == "Skip"}
	r.Values, _, _ = unstructured.NestedMap(release.Object, "spec", "values") // absent: the chart's own
	from, _, _ := unstructured.NestedSlice(release.Object, "spec", "valuesFrom")
	r.Partial = len(from) > 0
	find := func(fields ...string) (kind, name string, found *unstructured.Unstructured) {
		ref, _, _ := unstructured.NestedMap(release.Object, fields...) // absent refers to nothing
		kind, _ = ref["kind"].(string)
		name, _ = ref["name"].(string)
		namespace, _ := ref["namespace"].(string)
		if kind != "" && name != "" {
			found = source(kind, cmp.Or(namespace, release.GetNamespace()), name)
		}
		return kind, name, found
	}
	if r.Chart = textAt(release, "spec", "chart", "spec", "chart"); r.Chart != "" {
		_, _, repository := find("spec", "chart", "spec", "sourceRef")
		r.Repository = textAt(repository, "spec", "url")
		return r
	}
	kind, name, found := find("spec", "chartRef")
	r.Chart = name // better than nothing: repositories are named after their charts
	switch kind {
	case "OCIRepository":
		r.Chart = cmp.Or(strings.TrimPrefix(textAt(found, "spec", "url"), "oci://"), r.Chart)
	case "HelmChart":
		r.Chart = cmp.Or(textAt(found, "spec", "chart"), r.Chart)
	}
	return r
}
