package manifests

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	helmGroup   = "helm.toolkit.fluxcd.io"
	sourceGroup = "source.toolkit.fluxcd.io"
)

// ChartOf gives the name of a HelmRelease's chart: the last element of
// spec.chart.spec.chart, or of what spec.chartRef refers to, if that object is
// in the set. The name of a chart says what the release brings; the source it is
// fetched from does not.
func ChartOf(release *unstructured.Unstructured, set []Object) (string, bool) {
	if release.GroupVersionKind().GroupKind() != (schema.GroupKind{Group: helmGroup, Kind: "HelmRelease"}) {
		return "", false
	}
	if chart, _, _ := unstructured.NestedString(release.Object, "spec", "chart", "spec", "chart"); chart != "" {
		return lastElement(chart)
	}
	ref, _, _ := unstructured.NestedStringMap(release.Object, "spec", "chartRef")
	namespace := ref["namespace"]
	if namespace == "" {
		namespace = release.GetNamespace()
	}
	for _, o := range set {
		gk := o.GroupVersionKind().GroupKind()
		if gk.Group != sourceGroup || gk.Kind != ref["kind"] || o.GetName() != ref["name"] || o.GetNamespace() != namespace {
			continue
		}
		switch gk.Kind {
		case "OCIRepository":
			url, _, _ := unstructured.NestedString(o.Object, "spec", "url")
			return lastElement(url)
		case "HelmChart":
			chart, _, _ := unstructured.NestedString(o.Object, "spec", "chart")
			return lastElement(chart)
		}
	}
	return "", false
}

// lastElement is the name of a chart in a path or an OCI address.
func lastElement(address string) (string, bool) {
	address = strings.TrimRight(address, "/")
	name := address[strings.LastIndex(address, "/")+1:]
	name, _, _ = strings.Cut(name, "@") // a digest
	name, _, _ = strings.Cut(name, ":") // a tag
	return name, name != "" && name != "." && name != ".."
}
