package wedge

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

const sourceGroup = "source.toolkit.fluxcd.io"

// releaseOf reads what a HelmRelease says of its chart. The source of the chart
// is looked for in the set, and then in the cluster.
func (x *exam) releaseOf(ctx context.Context, release manifests.Object, set *manifests.Set) catalog.Release {
	return catalog.Release(manifests.ReleaseOf(release.Unstructured, func(kind, namespace, name string) *unstructured.Unstructured {
		for _, o := range set.Objects {
			if o.GetKind() == kind && o.GetName() == name && o.GetNamespace() == namespace && o.GroupVersionKind().Group == sourceGroup {
				return o.Unstructured
			}
		}
		live, err := x.doctor.Cluster.Get(ctx, schema.GroupVersionKind{Group: sourceGroup, Version: "v1", Kind: kind}, namespace, name)
		if err != nil {
			return nil // the chart's own name has to do
		}
		return live
	}))
}
