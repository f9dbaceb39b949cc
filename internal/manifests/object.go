package manifests

import (
	"bytes"

	"github.com/fluxcd/pkg/ssa/normalize"
	ssautils "github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/api/resource"
)

// Object is one object of a set, as kustomize-controller would apply it:
// substituted, normalised, with the common metadata. Only the owner labels,
// which the controller adds as it applies, are not there.
type Object struct {
	*unstructured.Unstructured

	// File is where the object was written or, for a generated one, the
	// kustomization file that generates it; relative to the tree's root and
	// slash separated, "" where unknown (a remote base).
	File string
	// Line is that of the object's first key in File, 1-based; 0 where unknown.
	Line int
	// Encrypted says that the object carries SOPS ciphertext. Such an object is
	// neither substituted nor normalised, must not be applied, and has its sops
	// field still: its recipients can be read there.
	Encrypted bool
	// Substituted says that the object had tokens and was substituted: it is no
	// better known than the values.
	Substituted bool
}

// decode makes objects of a resource, as the controller does of the whole set.
// It is one, unless the resource is a list; and none for a kustomization file
// that was taken for a resource.
func decode(r *resource.Resource, encrypted bool) ([]*unstructured.Unstructured, error) {
	text, err := asJSON(r)
	if err != nil {
		return nil, err
	}
	objects, err := ssautils.ReadObjects(bytes.NewReader(text))
	if err == nil || !encrypted {
		return objects, err
	}
	// The decoder wants to understand apiVersion, which may be ciphertext.
	u := &unstructured.Unstructured{}
	return []*unstructured.Unstructured{u}, json.Unmarshal(text, &u.Object)
}

// asJSON gives what Resource.MarshalJSON does, without the two ways through YAML
// text that it takes there, which cost more than all else of a build.
func asJSON(r *resource.Resource) ([]byte, error) {
	var fields map[string]any
	if err := r.YNode().Decode(&fields); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// finish does what the controller does between the build and the apply.
func finish(objects []Object, spec *unstructured.Unstructured) error {
	var all, plain []*unstructured.Unstructured
	for _, o := range objects {
		all = append(all, o.Unstructured)
		if !o.Encrypted {
			// Normalising would go through the typed Secret and lose the sops
			// field, by which one sees that this is ciphertext.
			plain = append(plain, o.Unstructured)
		}
	}
	if err := normalize.UnstructuredList(plain); err != nil {
		return err
	}
	labels, _, err := unstructured.NestedStringMap(spec.Object, "spec", "commonMetadata", "labels")
	if err != nil {
		return err
	}
	annotations, _, err := unstructured.NestedStringMap(spec.Object, "spec", "commonMetadata", "annotations")
	if err != nil {
		return err
	}
	if len(labels)+len(annotations) > 0 {
		ssautils.SetCommonMetadata(all, labels, annotations)
	}
	return nil
}
