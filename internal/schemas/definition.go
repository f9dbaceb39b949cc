package schemas

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// define reads a CustomResourceDefinition: the schema of each version that is
// served, and what the API server refuses about it (apiextensions-apiserver,
// pkg/apis/apiextensions/validation, whose dependencies are half an API server;
// this is the part of it that people run into).
func define(crd *unstructured.Unstructured) (map[schema.GroupVersionKind]*definition, []string) {
	var d apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(crd.Object, &d); err != nil {
		return nil, []string{err.Error()}
	}
	faults := texts(identity(&d))
	defined := map[schema.GroupVersionKind]*definition{}
	for i, v := range d.Spec.Versions {
		path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		s, errs := structureOf(v.Schema, path)
		faults = append(faults, texts(errs)...)
		if len(errs) == 0 && v.Served {
			gvk := schema.GroupVersionKind{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind}
			defined[gvk] = newDefinition(gvk, s)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return defined, nil
}

// identity judges the names of a definition and its versions.
func identity(d *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	for path, value := range map[string]string{"group": d.Spec.Group, "scope": string(d.Spec.Scope)} {
		if value == "" {
			errs = append(errs, field.Required(spec.Child(path), ""))
		}
	}
	if d.Spec.Names.Plural == "" || d.Spec.Names.Kind == "" {
		errs = append(errs, field.Required(spec.Child("names"), "plural and kind"))
	}
	if want := d.Spec.Names.Plural + "." + d.Spec.Group; d.Name != want {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), d.Name, "must be spec.names.plural+\".\"+spec.group, "+want))
	}
	if apihelpers.IsProtectedCommunityGroup(d.Spec.Group) {
		switch state, reason := apihelpers.GetAPIApprovalState(d.Annotations); state {
		case apihelpers.APIApprovalInvalid, apihelpers.APIApprovalMissing:
			errs = append(errs, field.Required(field.NewPath("metadata", "annotations"), reason))
		case apihelpers.APIApproved, apihelpers.APIApprovalBypassed:
		}
	}
	stored := 0
	for _, v := range d.Spec.Versions {
		if v.Storage {
			stored++
		}
	}
	if stored != 1 {
		errs = append(errs, field.Invalid(spec.Child("versions"), fmt.Sprintf("%d with storage: true", stored), "must have exactly one version marked as storage version"))
	}
	slices.SortFunc(errs, func(a, b *field.Error) int { return cmp.Compare(a.Field, b.Field) })
	return errs
}

// structureOf is the schema of a version.
func structureOf(v *apiextensionsv1.CustomResourceValidation, path *field.Path) (*structural.Structural, field.ErrorList) {
	if v == nil || v.OpenAPIV3Schema == nil {
		return nil, field.ErrorList{field.Required(path, "schemas are required")}
	}
	var props apiextensions.JSONSchemaProps
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.OpenAPIV3Schema, &props, nil)
	if err != nil {
		return nil, field.ErrorList{field.InternalError(path, err)}
	}
	s, err := structural.NewStructural(&props)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(path, "", err.Error())}
	}
	return s, structural.ValidateStructural(path, s)
}
