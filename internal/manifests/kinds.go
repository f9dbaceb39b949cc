package manifests

import (
	ssautils "github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// LeftAlone recognises what kustomize-controller skips before its dry-run
// (kustomization_controller.go, apply, ExclusionSelector).
func (o Object) LeftAlone() bool {
	return ssautils.AnyInMetadata(o.Unstructured, map[string]string{
		"kustomize.toolkit.fluxcd.io/reconcile": "disabled",
		"kustomize.toolkit.fluxcd.io/ssa":       "Ignore",
	})
}

// IsNamespace recognises a Namespace.
func (o Object) IsNamespace() bool { return ssautils.IsNamespace(o.Unstructured) }

// IsHelmRelease recognises a HelmRelease of Flux.
func (o Object) IsHelmRelease() bool {
	return o.GroupVersionKind().GroupKind() == schema.GroupKind{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}
}

// Definition is the kind that a CustomResourceDefinition defines.
type Definition struct {
	Group, Kind string
	Scope       string
	Versions    []string // those that are served
}

// Defines reads the kind that the object defines; false for what is no
// CustomResourceDefinition.
func (o Object) Defines() (Definition, bool) {
	if o.GroupVersionKind().GroupKind() != (schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}) {
		return Definition{}, false
	}
	d := Definition{
		Group: textAt(o.Unstructured, "spec", "group"), Kind: textAt(o.Unstructured, "spec", "names", "kind"),
		Scope: textAt(o.Unstructured, "spec", "scope"),
	}
	versions, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions") // absent: none is served
	for _, v := range versions {
		fields, _ := v.(map[string]any)
		if served, _ := fields["served"].(bool); served {
			name, _ := fields["name"].(string)
			d.Versions = append(d.Versions, name)
		}
	}
	return d, d.Kind != ""
}

// textAt reads a field of an object, which may be nil; empty when it is absent.
func textAt(o *unstructured.Unstructured, fields ...string) string {
	if o == nil {
		return ""
	}
	s, _, _ := unstructured.NestedString(o.Object, fields...) // absent is empty
	return s
}
