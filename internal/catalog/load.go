package catalog

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

//go:embed entries/*.yaml
var files embed.FS

// Load gives the catalogue of the built-in entries, which is read once.
func Load() (*Catalog, error) { return embedded() }

//nolint:gochecknoglobals // constant: what is embedded does not change
var embedded = sync.OnceValues(func() (*Catalog, error) {
	sub, err := fs.Sub(files, "entries")
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	return LoadFS(sub)
})

// LoadFS makes a catalogue of the entries of a directory: every file that ends
// in .yaml.
func LoadFS(dir fs.FS) (*Catalog, error) {
	entries, err := readAll(dir, "")
	if err != nil {
		return nil, err
	}
	return New(entries)
}

// LoadDir reads the entries of a person's own directory, for With. Faults are
// FileErrors, all of them at once.
func LoadDir(dir string) ([]Entry, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, &FileError{File: dir, Message: "the catalogue's directory cannot be read: " + reason(err)}
	} else if !info.IsDir() {
		return nil, &FileError{File: dir, Message: "the catalogue is not a directory"}
	}
	entries, err := readAll(os.DirFS(dir), dir)
	if err != nil {
		return nil, err
	}
	// Only to find two entries that claim the same thing.
	if _, err := New(entries); err != nil {
		return nil, &FileError{File: dir, Message: strings.TrimPrefix(err.Error(), "catalogue: ")}
	}
	return entries, nil
}

// readAll parses the files of a directory; at is its name in errors. The files
// are shared out: there are hundreds, and every command waits for them.
func readAll(dir fs.FS, at string) ([]Entry, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	entries, faults := make([]Entry, len(names)), make([]error, len(names))
	var workers sync.WaitGroup
	step := runtime.GOMAXPROCS(0)
	for first := range step {
		workers.Go(func() {
			for i := first; i < len(names); i += step {
				entries[i], faults[i] = readFile(dir, names[i], at)
			}
		})
	}
	workers.Wait()
	return entries, errors.Join(faults...)
}

func readFile(dir fs.FS, name, at string) (Entry, error) {
	file := filepath.Join(at, name)
	raw, err := fs.ReadFile(dir, name)
	if err != nil {
		return Entry{}, &FileError{File: file, Message: reason(err)}
	}
	return parse(file, raw)
}

// nameOf is the name that the entry of a file must have.
func nameOf(file string) string {
	return strings.TrimSuffix(path.Base(filepath.ToSlash(file)), ".yaml")
}

// reason is an error of the file system without the path, which is said before.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
