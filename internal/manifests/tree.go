package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/konfig"
)

// Tree is a read-only directory as Flux would see it: what the artifact of its
// source contains, and nothing else. Its names are those of the moment when it
// was opened, and each file is read once, so that all who build from it see the
// same tree. It is safe for concurrent use.
type Tree struct {
	root string
	// dirs lists the children of each directory and files has each file; both
	// are keyed by slash separated path relative to the root, which is ".".
	dirs  map[string][]string
	files map[string]bool
	// contents has what was read, also by path: bases are read again and again.
	contents sync.Map
	// origins has where the files of a composed tree come from; see Compose.
	origins map[string]origin
}

type openConfig struct {
	checkout bool
	ignore   string
}

// OpenOption changes how a directory is read.
type OpenOption func(*openConfig)

// WithIgnore adds the rules of the source's spec.ignore, in the words of
// .gitignore. They come after those of the tree's own .sourceignore files.
func WithIgnore(rules string) OpenOption {
	return func(c *openConfig) { c.ignore = rules }
}

// AsArtifact says that the directory is an unpacked artifact: source-controller
// has applied the ignore rules already.
func AsArtifact() OpenOption {
	return func(c *openConfig) { c.checkout = false }
}

// Open reads the names in a checkout. What source-controller would leave out of
// the artifact (see ignored) is not there for those who build from the tree.
func Open(dir string, opts ...OpenOption) (*Tree, error) {
	config := openConfig{checkout: true}
	for _, o := range opts {
		o(&config)
	}
	root, err := filepath.Abs(dir)
	if err == nil {
		// The root itself may be reached by a link (as /tmp is on some systems);
		// kustomize compares resolved paths.
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, plainPath(err))
	}
	if info, err := os.Stat(root); err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, plainPath(err))
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	t := &Tree{root: root, dirs: map[string][]string{".": nil}, files: map[string]bool{}}
	if err := t.list(config); err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, err)
	}
	return t, nil
}

// Root is the absolute path of the directory, with links resolved.
func (t *Tree) Root() string { return t.root }

// list walks the directory once. Like source-controller it judges each file by
// itself, so that a file may be there although its directory is ignored.
func (t *Tree) list(config openConfig) error {
	hidden := func(string, bool) bool { return false }
	if config.checkout {
		var err error
		if hidden, err = ignored(t.root, config.ignore); err != nil {
			return err
		}
	}
	return filepath.WalkDir(t.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return plainPath(err)
		}
		rel, err := filepath.Rel(t.root, p)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir // large, and never part of an artifact
		}
		rel = filepath.ToSlash(rel)
		// An artifact holds directories and regular files. A symbolic link is
		// not packed, and so a tree that leans on one fails in the cluster.
		if d.IsDir() || d.Type().IsRegular() {
			if !hidden(rel, d.IsDir()) {
				t.add(rel, d.IsDir())
			}
		}
		return nil
	})
}

func (t *Tree) add(rel string, isDir bool) {
	if t.files[rel] || t.isDir(rel) {
		return
	}
	if isDir {
		t.dirs[rel] = nil
	} else {
		t.files[rel] = true
	}
	parent := path.Dir(rel)
	t.add(parent, true)
	t.dirs[parent] = append(t.dirs[parent], path.Base(rel))
}

func (t *Tree) isFile(rel string) bool { return t.files[rel] }

func (t *Tree) isDir(rel string) bool {
	_, ok := t.dirs[rel]
	return ok
}

func (t *Tree) onDisk(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

// read gives the content of a file of the tree, which the caller must not change.
func (t *Tree) read(rel string) ([]byte, error) {
	if !t.isFile(rel) {
		return nil, &fs.PathError{Op: "open", Path: rel, Err: fs.ErrNotExist}
	}
	if content, ok := t.contents.Load(rel); ok {
		return content.([]byte), nil //nolint:forcetypeassert // stored below
	}
	if at, ok := t.origins[rel]; ok {
		return at.tree.read(at.file)
	}
	// A root refuses what has become a link out of the tree since it was opened.
	root, err := os.OpenRoot(t.root)
	if err != nil {
		return nil, plainPath(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	info, err := root.Stat(rel)
	if err != nil {
		return nil, plainPath(err)
	}
	if err := checkSize(rel, info); err != nil {
		return nil, err
	}
	content, err := root.ReadFile(rel)
	if err != nil {
		return nil, plainPath(err)
	}
	if err := checkAliases(rel, content); err != nil {
		return nil, err
	}
	t.contents.Store(rel, content)
	return content, nil
}

// kustomizationFile finds the kustomization file of a directory, by the names
// and in the order of kustomize.
func (t *Tree) kustomizationFile(dir string) (string, bool) {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if file := path.Join(dir, name); t.isFile(file) {
			return file, true
		}
	}
	return "", false
}

// directory finds spec.path as the controller does: relative to the root, which
// ".." cannot leave.
func (t *Tree) directory(specPath string) (string, error) {
	rel := path.Join("/", filepath.ToSlash(specPath))
	rel = strings.TrimPrefix(rel, "/")
	if rel == "" {
		rel = "."
	}
	if !t.isFile(rel) && !t.isDir(rel) {
		return "", &PathError{Path: specPath, Root: t.root}
	}
	return rel, nil
}

// plainPath takes the system call out of an error: its caller names the path.
func plainPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// HasDir reports whether a directory, as spec.path names it, is in the tree.
func (t *Tree) HasDir(specPath string) bool {
	rel, err := t.directory(specPath)
	return err == nil && t.isDir(rel)
}

// HasFile reports whether a file, relative to the root, is in the tree.
func (t *Tree) HasFile(rel string) bool { return t.isFile(rel) }

// KustomizationFile finds the kustomization file of a directory, which is
// relative to the root; "." is the root itself.
func (t *Tree) KustomizationFile(dir string) (file string, ok bool) { return t.kustomizationFile(dir) }

// Dirs lists the directories of the tree but its root, sorted.
func (t *Tree) Dirs() []string {
	dirs := slices.Sorted(maps.Keys(t.dirs))
	return slices.DeleteFunc(dirs, func(d string) bool { return d == "." })
}

// Files lists the files of the tree that end in one of the suffixes, sorted.
func (t *Tree) Files(suffixes ...string) []string {
	var found []string
	for file := range t.files {
		if slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(file, s) }) {
			found = append(found, file)
		}
	}
	slices.Sort(found)
	return found
}

// Read gives the content of a file of the tree, which must not be changed.
func (t *Tree) Read(rel string) ([]byte, error) { return t.read(rel) }
