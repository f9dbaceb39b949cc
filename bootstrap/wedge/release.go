package wedge

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

const sourceGroup = "source.toolkit.fluxcd.io"

// releaseOf reads what a HelmRelease says of its chart
// (helm-controller/api/v2, HelmReleaseSpec). The source of the chart is looked
// for in the set, and then in the cluster.
func (x *exam) releaseOf(ctx context.Context, o *unstructured.Unstructured, set *manifests.Set) catalog.Release {
	var r catalog.Release
	r.Values, _, _ = unstructured.NestedMap(o.Object, "spec", "values") // absent: the chart's own
	from, _, _ := unstructured.NestedSlice(o.Object, "spec", "valuesFrom")
	r.Partial = len(from) > 0
	crds, _, _ := unstructured.NestedString(o.Object, "spec", "install", "crds")
	r.SkipCRDs = crds == "Skip"

	if chart, ok, _ := unstructured.NestedString(o.Object, "spec", "chart", "spec", "chart"); ok {
		r.Chart = chart
		ref, _, _ := unstructured.NestedMap(o.Object, "spec", "chart", "spec", "sourceRef")
		r.Repository = text(x.source(ctx, o, ref, set), "spec", "url")
		return r
	}
	ref, _, _ := unstructured.NestedMap(o.Object, "spec", "chartRef")
	r.Chart, _ = ref["name"].(string) // better than nothing: repositories are named after their charts
	source := x.source(ctx, o, ref, set)
	switch ref["kind"] {
	case "OCIRepository":
		if url := text(source, "spec", "url"); url != "" {
			r.Chart = strings.TrimPrefix(url, "oci://")
		}
	case "HelmChart":
		if chart := text(source, "spec", "chart"); chart != "" {
			r.Chart = chart
		}
	}
	return r
}

// source finds the source object that a HelmRelease refers to; nil when it is
// nowhere.
func (x *exam) source(ctx context.Context, release *unstructured.Unstructured, ref map[string]any, set *manifests.Set) *unstructured.Unstructured {
	kind, _ := ref["kind"].(string)
	name, _ := ref["name"].(string)
	namespace, _ := ref["namespace"].(string)
	if namespace == "" {
		namespace = release.GetNamespace()
	}
	for _, o := range set.Objects {
		if o.GetKind() == kind && o.GetName() == name && o.GetNamespace() == namespace && o.GroupVersionKind().Group == sourceGroup {
			return o.Unstructured
		}
	}
	gvk := schema.GroupVersionKind{Group: sourceGroup, Version: "v1", Kind: kind}
	if kind == "" || name == "" {
		return nil
	}
	live, err := x.doctor.Cluster.Get(ctx, gvk, namespace, name)
	if err != nil {
		return nil // the chart's own name has to do
	}
	return live
}

func text(o *unstructured.Unstructured, fields ...string) string {
	if o == nil {
		return ""
	}
	s, _, _ := unstructured.NestedString(o.Object, fields...) // absent is empty
	return s
}
