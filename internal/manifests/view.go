package manifests

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	securefs "github.com/fluxcd/pkg/kustomize/filesys"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

var errReadOnly = errors.New("the tree is read-only")

// view is the file system that kustomize sees: the tree without what is
// ignored, and over it the files that the controller would have written. The
// library's in-memory layer does the latter as well, but keeps the removal of
// cloned bases in memory too, so that they would stay on the disk.
type view struct {
	tree *Tree
	// outside judges every path that is not in the tree: all are refused, or
	// all but those of cloned bases.
	outside filesys.FileSystem
	written map[string][]byte // by path relative to the tree's root
}

func (t *Tree) view(written map[string][]byte, remote bool) (*view, error) {
	secure := securefs.MakeFsOnDiskSecureBuild
	if !remote {
		secure = securefs.MakeFsOnDiskSecure
	}
	outside, err := secure(t.root)
	if err != nil {
		return nil, err
	}
	return &view{tree: t, outside: outside, written: written}, nil
}

// within gives the path relative to the tree, if it is in the tree.
func (v *view) within(name string) (string, bool) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(v.tree.root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

func (v *view) isFile(rel string) bool { return v.written[rel] != nil || v.tree.isFile(rel) }

// Exists implements filesys.FileSystem, as do all that follow.
func (v *view) Exists(name string) bool {
	if rel, ok := v.within(name); ok {
		return v.isFile(rel) || v.tree.isDir(rel)
	}
	return v.outside.Exists(name)
}

// IsDir reports whether a directory is there.
func (v *view) IsDir(name string) bool {
	if rel, ok := v.within(name); ok {
		return v.tree.isDir(rel)
	}
	return v.outside.IsDir(name)
}

// ReadFile prefers what was written.
func (v *view) ReadFile(name string) ([]byte, error) {
	rel, ok := v.within(name)
	switch {
	case !ok:
		return v.outside.ReadFile(name)
	case v.written[rel] != nil:
		return slices.Clone(v.written[rel]), nil
	default:
		content, err := v.tree.read(rel)
		return slices.Clone(content), err
	}
}

// Open opens a file for reading. Kustomize reads whole files.
func (v *view) Open(name string) (filesys.File, error) {
	if _, ok := v.within(name); ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
	}
	return v.outside.Open(name)
}

// ReadDir lists the names in a directory.
func (v *view) ReadDir(name string) ([]string, error) {
	rel, ok := v.within(name)
	if !ok {
		return v.outside.ReadDir(name)
	}
	if !v.tree.isDir(rel) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(v.tree.dirs[rel]), nil
}

// CleanedAbs splits a path into its directory and its file. There are no links
// to resolve: the tree has none.
func (v *view) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	rel, ok := v.within(name)
	switch {
	case !ok:
		return v.outside.CleanedAbs(name)
	case v.tree.isDir(rel):
		return filesys.ConfirmedDir(v.tree.onDisk(rel)), "", nil
	case v.isFile(rel):
		return filesys.ConfirmedDir(v.tree.onDisk(path.Dir(rel))), path.Base(rel), nil
	default:
		return "", "", &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
	}
}

// Glob and Walk are not needed by a build; the generator that walks has its own
// copy (see generate).
func (v *view) Glob(pattern string) ([]string, error) {
	return nil, &fs.PathError{Op: "glob", Path: pattern, Err: errors.ErrUnsupported}
}

// Walk is not needed by a build.
func (v *view) Walk(name string, _ filepath.WalkFunc) error {
	return &fs.PathError{Op: "walk", Path: name, Err: errors.ErrUnsupported}
}

// Create refuses: nothing is written.
func (v *view) Create(name string) (filesys.File, error) {
	return nil, &fs.PathError{Op: "create", Path: name, Err: errReadOnly}
}

// Mkdir refuses.
func (v *view) Mkdir(name string) error {
	return &fs.PathError{Op: "mkdir", Path: name, Err: errReadOnly}
}

// MkdirAll refuses.
func (v *view) MkdirAll(name string) error { return v.Mkdir(name) }

// WriteFile refuses.
func (v *view) WriteFile(name string, _ []byte) error {
	return &fs.PathError{Op: "write", Path: name, Err: errReadOnly}
}

// RemoveAll removes what kustomize has cloned, and nothing else.
func (v *view) RemoveAll(name string) error {
	if _, ok := v.within(name); ok || !strings.HasPrefix(name, os.TempDir()) {
		return &fs.PathError{Op: "remove", Path: name, Err: errReadOnly}
	}
	return v.outside.RemoveAll(name)
}
