package bootstrap

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/tiers"
)

// Early is an object that standup applied before its Kustomization could, and
// that Flux has not applied since.
type Early struct {
	Object, Owner tiers.Ref
	// Run is the one that applied it.
	Run string
}

// EarlyOf reads from an object that it is one; false for all others.
func EarlyOf(kind string, o metav1.Object) (Early, bool) {
	run, ours := o.GetAnnotations()[PreApplied]
	if !ours {
		return Early{}, false
	}
	labels := o.GetLabels()
	return Early{
		Object: tiers.Ref{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()},
		Owner:  tiers.KustomizationRef(labels[wedge.OwnerNamespace], labels[wedge.OwnerName]), Run: run,
	}, true
}

// EarlySelector finds what Kustomizations own, and so all that is applied early.
const EarlySelector = wedge.OwnerName

const rbacGroup = "rbac.authorization.k8s.io"

// EarlyKinds are the kinds of which objects are applied early: providers of the
// catalogue, Flux's own kinds, and what those refer to.
func EarlyKinds(known *catalog.Catalog) []schema.GroupKind {
	kinds := []schema.GroupKind{
		{Kind: "Namespace"},
		{Kind: "ConfigMap"},
		{Kind: "Secret"},
		{Kind: "ServiceAccount"},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
		{Group: rbacGroup, Kind: "Role"},
		{Group: rbacGroup, Kind: "RoleBinding"},
		{Group: rbacGroup, Kind: "ClusterRole"},
		{Group: rbacGroup, Kind: "ClusterRoleBinding"},
		{Group: "apps", Kind: "Deployment"},
		{Group: "apps", Kind: "StatefulSet"},
		{Group: "apps", Kind: "DaemonSet"},
		{Group: kustomizeGroup, Kind: tiers.KindKustomization},
		{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"},
	}
	for _, kind := range []string{tiers.KindGitRepository, tiers.KindOCIRepository, tiers.KindBucket, "HelmRepository", "HelmChart"} {
		kinds = append(kinds, schema.GroupKind{Group: sourceGroup, Kind: kind})
	}
	for _, e := range known.Entries() {
		if e.Provider != nil {
			kinds = append(kinds, schema.GroupKind(e.Provider.GroupKind()))
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(kinds)
}
