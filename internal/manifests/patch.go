package manifests

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Patched gives an object as patches leave it, which are a JSON list in the words
// of a kustomization file. One whose target is another object does nothing.
func Patched(u *unstructured.Unstructured, patches []byte) (*unstructured.Unstructured, error) {
	object, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	file, err := json.Marshal(map[string]any{"resources": []string{"object.json"}, "patches": raw(patches)})
	if err != nil {
		return nil, err
	}
	fsys := filesys.MakeFsInMemory()
	if err := errors.Join(fsys.WriteFile("/object.json", object), fsys.WriteFile("/kustomization.yaml", file)); err != nil {
		return nil, err
	}
	kustomizing.Lock()
	defer kustomizing.Unlock()
	resources, err := runKustomize(fsys, "/", false)
	if err != nil {
		return nil, err
	}
	if resources.Size() != 1 {
		return nil, errors.New("the patches delete the object")
	}
	text, err := asJSON(resources.Resources()[0])
	if err != nil {
		return nil, err
	}
	done := &unstructured.Unstructured{}
	return done, done.UnmarshalJSON(text)
}

// raw is JSON that is there already.
type raw []byte

func (r raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}
