package lab

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"testing/fstest"
)

// syncFile is where `flux bootstrap` writes the GitRepository that the root
// Kustomization is read from, and that the root applies once more.
const syncFile = "gotk-sync.yaml"

// Rehome returns the tree with the URL of its own GitRepository replaced by the
// lab's. A tree of a real cluster names the server that it lives on; in the lab
// the root would otherwise re-apply that URL and lose its source.
func (c *Cluster) Rehome(tree fs.FS, repo string) (fs.FS, error) {
	url := regexp.MustCompile(`(?m)^(\s*url:\s*)\S+$`)
	out := fstest.MapFS{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		if path.Base(name) == syncFile {
			data = url.ReplaceAll(data, []byte("${1}"+c.RepoURL(repo)))
		}
		out[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the tree: %w", err)
	}
	return out, nil
}
