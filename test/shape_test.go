package test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const maxLines = 400

// A package is named after what it provides; these names say nothing.
var emptyNames = []string{"pkg", "util", "utils", "common", "helpers", "types", "models"}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, f := range sources(t) {
		if slices.Contains(emptyNames, f.syntax.Name.Name) || slices.Contains(emptyNames, path.Base(f.dir())) {
			t.Errorf("%s: a package named %s says nothing; name it after what it provides", f.path, f.syntax.Name.Name)
		}
		if f.isTest() || f.isTool() {
			continue
		}
		documented[f.dir()] = documented[f.dir()] || f.syntax.Doc != nil
	}
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			t.Errorf("%s: no file says what the package is for (a comment above the package clause)", dir)
		}
	}
}

func TestFilesStaySmall(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t) {
		if n := bytes.Count(f.text, []byte("\n")); n > maxLines && !ast.IsGenerated(f.syntax) {
			t.Errorf("%s has %d lines; %d is the most: one idea a file", f.path, n, maxLines)
		}
	}
}

func TestTheProductEndsInOnePlace(t *testing.T) {
	t.Parallel()
	// What the product may call, and where.
	limits := map[string]string{
		"os.Exit":            "main.go",
		"context.Background": "main.go",
		"context.TODO":       "",
		"time.Sleep":         "",
		"log.Fatal":          "",
		"log.Fatalf":         "",
	}
	calls := map[string]int{}
	for _, f := range sources(t) {
		if f.isTest() || f.isTool() || within(f.path, "lab") {
			continue
		}
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: func init: make it a call that its caller can see", f.path)
			}
		}
		for _, call := range f.calls() {
			where, limited := limits[call]
			if !limited {
				continue
			}
			calls[call]++
			if f.path != where {
				t.Errorf("%s calls %s", f.path, call)
			}
		}
	}
	for _, call := range slices.Sorted(maps.Keys(calls)) {
		if calls[call] > 1 {
			t.Errorf("%s is called %d times; once is the most", call, calls[call])
		}
	}
}

type source struct {
	path   string // slashed, from the repository's root
	text   []byte
	syntax *ast.File
}

func (f source) dir() string  { return path.Dir(f.path) }
func (f source) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// isTool reports whether the file exists only to name modules in go.mod.
func (f source) isTool() bool { return bytes.HasPrefix(f.text, []byte("//go:build tools")) }

// calls lists what the file calls of other packages, as pkg.Name.
func (f source) calls() []string {
	var found []string
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok {
					found = append(found, pkg.Name+"."+sel.Sel.Name)
				}
			}
		}
		return true
	})
	return found
}

// sources parses every Go file of the repository, the lab's included.
func sources(t *testing.T) []source {
	t.Helper()
	base := root(t)
	var files []source
	err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != base && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"bin", "dist", "testdata"}, d.Name())) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), p, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, p)
		if err != nil {
			return err
		}
		files = append(files, source{path: filepath.ToSlash(rel), text: text, syntax: syntax})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("found no source: is the test run inside the repository?")
	}
	return files
}

// root is the repository: go test runs in the package's own directory.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
