package standin

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/catalog"
)

// managedBy labels what the operator of an entry makes.
func managedBy(entry catalog.Entry) map[string]string {
	name := entry.Name
	if entry.Operator != nil {
		name = entry.Operator.Name
	}
	return map[string]string{"app.kubernetes.io/managed-by": name}
}

// released are the kinds that a HelmRelease brings with its values.
func (r *Runner) released(release *unstructured.Unstructured, entry catalog.Entry) []catalog.Kind {
	crds, _, _ := unstructured.NestedString(release.Object, "spec", "install", "crds")
	brings, _ := r.opts.Catalog.Installed(catalog.Release{
		Chart: entry.Chart.Names[0], Values: mapOf(release, "spec", "values"), SkipCRDs: crds == "Skip",
	})
	return complete(brings)
}

// provided are the kinds that the operator makes for one custom resource.
func (r *Runner) provided(object *unstructured.Unstructured, entry catalog.Entry) []catalog.Kind {
	brings, _ := r.opts.Catalog.Provided(entry.Provider.GroupKind(), object.Object)
	return complete(brings)
}

// complete lists the kinds that come, with what the API server has to know of
// them. Where the catalogue says no more than a name, the rest is made up; whole
// groups without names bring nothing.
func complete(b catalog.Brings) []catalog.Kind {
	var kinds []catalog.Kind
	for _, share := range b.Shares {
		if share.Come == catalog.No {
			continue
		}
		kinds = append(kinds, share.Kinds...)
		for _, gk := range share.Named {
			kinds = append(kinds, catalog.Kind{Group: gk.Group, Kind: gk.Kind})
		}
	}
	for i := range kinds {
		k := &kinds[i]
		k.Plural = cmp.Or(k.Plural, strings.ToLower(k.Kind)+"s")
		k.Scope = cmp.Or(k.Scope, catalog.Cluster)
		if len(k.Versions) == 0 {
			k.Versions = []string{"v1", "v1beta1", "v1alpha1"}
		}
	}
	return kinds
}
