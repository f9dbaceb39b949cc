package manifests_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/manifests"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"

// names lists the names of the objects of a swept directory.
func names(t *testing.T, tree *manifests.Tree, dir string) string {
	t.Helper()
	set, err := tree.Build(t.Context(), kustomization(t, "path: "+dir), nil, manifests.Options{})
	if err != nil {
		return "error: " + err.Error()
	}
	var found []string
	for _, o := range set.Objects {
		found = append(found, o.GetName())
	}
	return strings.Join(found, " ")
}

func named(name string) string { return strings.ReplaceAll(configMap, "x", name) }

func TestOpenErrorsNameTheDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "")
	for path, want := range map[string]string{
		filepath.Join(dir, "absent"): "directory " + filepath.Join(dir, "absent") + ": no such file or directory",
		filepath.Join(dir, "file"):   filepath.Join(dir, "file") + " is not a directory",
	} {
		_, err := manifests.Open(path)
		if err == nil {
			t.Fatalf("%s opens", path)
		}
		diff(t, want, err.Error())
	}
}

func TestRootIsResolved(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "real", "a.yaml"), named("a"))
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	tree := open(t, filepath.Join(dir, "link"))
	diff(t, filepath.Join(dir, "real"), tree.Root())
	diff(t, "a", names(t, tree, "."))
}

// What source-controller leaves out of an artifact is not there in a checkout.
func TestIgnoredFiles(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files  []string
		ignore string
		opts   []manifests.OpenOption
		want   string
	}{
		"default rules":                 {files: []string{"a.yaml", ".github/b.yaml", ".flux.yaml"}, want: "a"},
		"own rules replace the default": {files: []string{"a.yaml", ".github/b.yaml"}, ignore: "c.yaml", want: "b a"},
		"by name at any depth":          {files: []string{"a.yaml", "sub/b.yaml", "b.yaml"}, ignore: "b.yaml", want: "a"},
		"anchored":                      {files: []string{"a.yaml", "sub/b.yaml", "b.yaml"}, ignore: "/b.yaml", want: "a b"},
		"a directory":                   {files: []string{"a.yaml", "sub/b.yaml"}, ignore: "sub/", want: "a"},
		"all but one":                   {files: []string{"a.yaml", "sub/b.yaml", "c/d.yaml"}, ignore: "/*\n!/sub", want: "b"},
		"one of an ignored directory":   {files: []string{"a.yaml", "sub/b.yaml", "sub/c.yaml"}, ignore: "sub\n!sub/c.yaml", want: "a c"},
		"comments are not rules":        {files: []string{"a.yaml"}, ignore: "# a.yaml\n\n", want: "a"},
		"spec.ignore": {
			files: []string{"a.yaml", "b.yaml"}, opts: []manifests.OpenOption{manifests.WithIgnore("b.yaml\n")}, want: "a",
		},
		"spec.ignore comes last": {
			files: []string{"a.yaml", "b.yaml"}, ignore: "b.yaml", opts: []manifests.OpenOption{manifests.WithIgnore("!b.yaml")}, want: "a b",
		},
		"an artifact has been through it": {
			files: []string{"a.yaml", "b.yaml", ".github/c.yaml"}, ignore: "b.yaml",
			opts: []manifests.OpenOption{manifests.AsArtifact()}, want: "c a b",
		},
		"git is never there": {files: []string{"a.yaml", ".git/b.yaml"}, opts: []manifests.OpenOption{manifests.AsArtifact()}, want: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, f := range tc.files {
				write(t, filepath.Join(dir, f), named(strings.TrimSuffix(filepath.Base(f), ".yaml")))
			}
			if tc.ignore != "" {
				write(t, filepath.Join(dir, ".sourceignore"), tc.ignore)
			}
			diff(t, tc.want, names(t, open(t, dir, tc.opts...), "."))
		})
	}
}

func TestIgnoredInSubdirectory(t *testing.T) {
	t.Parallel()
	dir := tree(t, "-- sub/.sourceignore --\nb.yaml\n-- sub/b.yaml --\n"+named("in")+"-- b.yaml --\n"+named("out"))
	diff(t, "out", names(t, open(t, dir), "."))
}

// A component or a kustomization file that is ignored is not there either.
func TestIgnoredKustomizationFile(t *testing.T) {
	t.Parallel()
	dir := tree(t, "-- .sourceignore --\nkustomization.yaml\ncomponent/\n-- apps/kustomization.yaml --\nresources: [nowhere]\n"+
		"-- apps/a.yaml --\n"+named("a")+"-- component/kustomization.yaml --\nkind: Component\n")
	set, err := open(t, dir).Build(t.Context(), kustomization(t,
		"path: apps\ncomponents: [../component]\nignoreMissingComponents: true"), nil, manifests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "a", set.Objects[0].GetName())
}

func TestPath(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	write(t, filepath.Join(outer, "secret", "a.yaml"), named("outside"))
	dir := filepath.Join(outer, "tree")
	write(t, filepath.Join(dir, "apps", "a.yaml"), named("a"))
	for link, target := range map[string]string{"out": "../secret", "in": "apps", "apps/link.yaml": "../../secret/a.yaml"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	tree := open(t, dir)
	for path, want := range map[string]string{
		`""`: "a", ".": "a", "./": "a", "./apps": "a", "apps/": "a", "/apps": "a", "apps/../apps": "a",
		// The root is as far as ".." goes, in the controller as well.
		"../apps":                      "a",
		"../secret":                    "missing",
		"../../../../../etc":           "missing",
		"absent":                       "missing",
		"out":                          "missing", // a link is not in the artifact
		"in":                           "missing",
		"apps/a.yaml":                  "error: build of apps/a.yaml: it is a file, not a directory",
		filepath.Join(outer, "secret"): "missing",
	} {
		got := names(t, tree, path)
		if _, err := tree.Build(t.Context(), kustomization(t, "path: "+path), nil, manifests.Options{}); err != nil {
			if _, ok := errors.AsType[*manifests.PathError](err); ok {
				got = "missing"
				diff(t, `path "`+path+`" does not exist in the source`, err.Error())
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// Nothing outside the tree is read, by whatever field of a kustomization file.
func TestEscapes(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	write(t, filepath.Join(outer, "secret.yaml"), named("outside"))
	write(t, filepath.Join(outer, "base", "kustomization.yaml"), "resources: [../secret.yaml]\n")
	dir := filepath.Join(outer, "tree")
	for name, text := range map[string]string{
		"resource":  "resources: [../../secret.yaml]\n",
		"absolute":  "resources: [" + outer + "/secret.yaml]\n",
		"base":      "resources: [../../base]\n",
		"link":      "resources: [link.yaml]\n",
		"generator": "configMapGenerator: [{name: a, files: [../../secret.yaml]}]\n",
		"env":       "configMapGenerator: [{name: a, envs: [/etc/passwd]}]\n",
		"patch":     "resources: [in.yaml]\npatches: [{path: ../../secret.yaml}]\n",
		"component": "components: [../../base]\n",
		"crds":      "crds: [../../secret.yaml]\n",
		"plugin":    "generators: [../../base]\n",
	} {
		write(t, filepath.Join(dir, name, "kustomization.yaml"), text)
		write(t, filepath.Join(dir, name, "in.yaml"), named("outside"))
	}
	if err := os.Symlink("../../secret.yaml", filepath.Join(dir, "link", "link.yaml")); err != nil {
		t.Fatal(err)
	}
	tree := open(t, dir)
	for _, name := range []string{"resource", "absolute", "base", "link", "generator", "env", "patch", "component", "crds", "plugin"} {
		_, err := tree.Build(t.Context(), kustomization(t, "path: "+name), nil, manifests.Options{AllowRemoteBases: name == "base"})
		if e, ok := errors.AsType[*manifests.BuildError](err); !ok || e.Path != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The tree may be on a file system that nobody can write to.
func TestBuildNeedsNoWriteAccess(t *testing.T) {
	t.Parallel()
	dir := tree(t, "-- a.yaml --\n"+named("a"))
	if err := os.Chmod(dir, 0o500); err != nil { //nolint:gosec // a directory must be entered
		t.Fatal(err)
	}
	diff(t, "a", names(t, open(t, dir), "."))
}

// All who build from a tree see the same tree, whatever happens to the files.
func TestTreeDoesNotChange(t *testing.T) {
	t.Parallel()
	dir := tree(t, "-- a.yaml --\n"+named("a"))
	tree := open(t, dir)
	diff(t, "a", names(t, tree, "."))
	write(t, filepath.Join(dir, "a.yaml"), named("changed"))
	write(t, filepath.Join(dir, "b.yaml"), named("new"))
	diff(t, "a", names(t, tree, "."))
}

// A file that has become a link since then is not followed out of the tree.
func TestTreeIsNotLeftLater(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	write(t, filepath.Join(outer, "secret.yaml"), named("outside"))
	dir := filepath.Join(outer, "tree")
	write(t, filepath.Join(dir, "a.yaml"), named("a"))
	tree := open(t, dir)
	file := filepath.Join(dir, "a.yaml")
	if err := errors.Join(os.Remove(file), os.Symlink("../secret.yaml", file)); err != nil {
		t.Fatal(err)
	}
	if got := names(t, tree, "."); !strings.HasPrefix(got, "error: build of .: ") {
		t.Errorf("got %s", got)
	}
}
