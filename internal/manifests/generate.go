package manifests

import (
	"os"
	"path"
	"path/filepath"

	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// generate gives the kustomization file that the controller would write into
// the directory, and its path: the file of the tree, or a list of all YAML
// below, completed from the spec.
//
// The library reads the disk and knows nothing of ignored files, so it works on
// a copy of the few files that it looks at.
func (t *Tree) generate(dir string, spec *unstructured.Unstructured) (manifest []byte, file string, err error) {
	scratch, err := os.MkdirTemp("", "standup-manifests-")
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }() // the system cleans up what is left
	c := copier{tree: t, root: scratch}
	if err := c.stage(dir, spec); err != nil {
		return nil, "", err
	}
	manifest, onDisk, _, err := kustomize.NewGenerator(scratch, *spec).
		GenerateManifest(filepath.Join(scratch, filepath.FromSlash(dir)))
	if err != nil {
		return nil, "", scrub(err, scratch)
	}
	return manifest, path.Join(dir, filepath.Base(onDisk)), nil
}

// copier copies parts of a tree to the same place below another root.
type copier struct {
	tree *Tree
	root string
}

func (c copier) stage(dir string, spec *unstructured.Unstructured) error {
	if err := c.mkdir(dir); err != nil {
		return err
	}
	if file, ok := c.tree.kustomizationFile(dir); ok {
		if err := c.copy(file); err != nil {
			return err
		}
	} else if err := c.sweep(dir); err != nil {
		return err
	}
	components, _, err := unstructured.NestedStringSlice(spec.Object, "spec", "components")
	if err != nil {
		return err
	}
	// With ignoreMissingComponents the generator asks which of them exist.
	for _, component := range components {
		if rel := path.Join(dir, component); c.tree.isDir(rel) {
			if err := c.mkdir(rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweep copies what the generator looks at where it has to list the files: YAML,
// and which directories are kustomizations.
func (c copier) sweep(dir string) error {
	for _, name := range c.tree.dirs[dir] {
		rel := path.Join(dir, name)
		if c.tree.isFile(rel) {
			if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" {
				if err := c.copy(rel); err != nil {
					return err
				}
			}
			continue
		}
		if err := c.mkdir(rel); err != nil {
			return err
		}
		if file, ok := c.tree.kustomizationFile(rel); ok {
			if err := c.copy(file); err != nil {
				return err
			}
			continue // a base is not looked into
		}
		if err := c.sweep(rel); err != nil {
			return err
		}
	}
	return nil
}

func (c copier) mkdir(rel string) error {
	return os.MkdirAll(filepath.Join(c.root, filepath.FromSlash(rel)), 0o700)
}

func (c copier) copy(rel string) error {
	content, err := c.tree.read(rel)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.root, filepath.FromSlash(rel)), content, 0o600)
}
