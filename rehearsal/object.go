package rehearsal

import (
	"strings"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// objectKey names an object in all versions.
type objectKey struct{ group, kind, namespace, name string }

func (k objectKey) String() string {
	if k.namespace == "" {
		return k.kind + "/" + k.name
	}
	return k.kind + "/" + k.namespace + "/" + k.name
}

func keyOf(o manifests.Object) objectKey {
	gk := o.GroupVersionKind().GroupKind()
	return objectKey{gk.Group, gk.Kind, o.GetNamespace(), o.GetName()}
}

func kindOf(o manifests.Object) catalog.GroupKind {
	return catalog.GroupKind(o.GroupVersionKind().GroupKind())
}

// leftAlone recognises what kustomize-controller skips before its dry-run
// (kustomization_controller.go, apply, ExclusionSelector).
func leftAlone(o manifests.Object) bool {
	for key, value := range map[string]string{
		kustomizev1.GroupVersion.Group + "/reconcile": kustomizev1.DisabledValue,
		kustomizev1.GroupVersion.Group + "/ssa":       kustomizev1.IgnoreValue,
	} {
		if strings.EqualFold(o.GetAnnotations()[key], value) || strings.EqualFold(o.GetLabels()[key], value) {
			return true
		}
	}
	return false
}

// stageOf is the stage in which an object is applied (fluxcd/pkg/ssa,
// manager_apply.go, ApplyAllStaged, since kustomize-controller 1.7; before that
// a ClusterRole was in the last).
func stageOf(gk schema.GroupKind) int {
	switch {
	case gk.Kind == "CustomResourceDefinition", gk.Kind == "Namespace" && gk.Group == "", gk.Kind == "ClusterRole":
		return 1
	case strings.HasSuffix(gk.Kind, "Class"):
		return 2
	}
	return 4
}

func isNamespace(o manifests.Object) bool { return kindOf(o) == catalog.GroupKind{Kind: "Namespace"} }

func isRelease(o manifests.Object) bool {
	return kindOf(o) == catalog.GroupKind{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}
}

// isWorkload recognises what kstatus waits for.
func isWorkload(o manifests.Object) bool {
	switch kindOf(o) {
	case catalog.GroupKind{Group: "apps", Kind: "Deployment"}, catalog.GroupKind{Group: "apps", Kind: "StatefulSet"},
		catalog.GroupKind{Group: "apps", Kind: "DaemonSet"}, catalog.GroupKind{Group: "batch", Kind: "Job"}, catalog.GroupKind{Kind: "Pod"}:
		return true
	}
	return false
}

// defines reads the kind that a CustomResourceDefinition defines, and its
// served versions.
func defines(o manifests.Object) (kind catalog.Kind, ok bool) {
	if kindOf(o) != (catalog.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}) {
		return kind, false
	}
	kind = catalog.Kind{Group: text(o.Unstructured, "spec", "group"), Kind: text(o.Unstructured, "spec", "names", "kind"), Scope: catalog.Scope(text(o.Unstructured, "spec", "scope"))}
	for _, v := range listAt(o.Unstructured, "spec", "versions") {
		name, _ := v["name"].(string)
		if served, _ := v["served"].(bool); served {
			kind.Versions = append(kind.Versions, name)
		}
	}
	return kind, kind.Kind != ""
}
