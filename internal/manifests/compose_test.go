package manifests_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	swapi "github.com/fluxcd/source-watcher/api/v2/v1beta1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/manifests"
)

func treeOf(t *testing.T, files map[string]string) *manifests.Tree {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	return open(t, dir)
}

// The layout that each rule gives is that of the tables of source-watcher's own
// documentation (docs/spec/v1beta1/artifactgenerators.md, copy operations).
func TestCompose(t *testing.T) {
	sources := map[string]*manifests.Tree{
		"git": treeOf(t, map[string]string{
			"README.md":               "read me",
			"apps/base/a.yaml":        "a: 1",
			"apps/base/notes.md":      "notes",
			"apps/base/deep/b.yaml":   "b: 1",
			"apps/prod/c.yaml":        "c: 1",
			"values/common.yaml":      "image: {tag: v1, pull: Always}\nports: [1, 2]\n",
			"values/nested/more.yaml": "x: 1",
		}),
		"oci": treeOf(t, map[string]string{
			"values.yaml": "image: {tag: v2}\nports: [3]\n",
		}),
	}
	type rule = swapi.CopyOperation
	for name, test := range map[string]struct {
		rules   []rule
		want    []string
		content map[string]string
		err     string
	}{
		"a directory goes in as a directory": {
			rules: []rule{{From: "@git/apps/base", To: "@artifact/"}},
			want:  []string{"base/a.yaml", "base/deep/b.yaml", "base/notes.md"},
		},
		"the contents of a directory": {
			rules: []rule{{From: "@git/apps/base/**", To: "@artifact/x/"}},
			want:  []string{"x/a.yaml", "x/deep/b.yaml", "x/notes.md"},
		},
		"the whole source": {
			rules: []rule{{From: "@git/apps/", To: "@artifact/"}, {From: "@oci/", To: "@artifact/chart"}},
			want:  []string{"apps/base/a.yaml", "apps/base/deep/b.yaml", "apps/base/notes.md", "apps/prod/c.yaml", "chart/values.yaml"},
		},
		"another pattern keeps the path": {
			rules: []rule{{From: "@git/apps/*/*.yaml", To: "@artifact/x"}},
			want:  []string{"x/apps/base/a.yaml", "x/apps/prod/c.yaml"},
		},
		"two stars are no more than one": {
			rules: []rule{{From: "@git/**/*.yaml", To: "@artifact/"}},
			want:  []string{"values/common.yaml"},
		},
		"a file to a name, into what is a directory, and into what ends in a slash": {
			rules: []rule{
				{From: "@git/README.md", To: "@artifact/docs/about.md"},
				{From: "@git/README.md", To: "@artifact/docs"},
				{From: "@git/README.md", To: "@artifact/more/"},
			},
			want: []string{"docs/README.md", "docs/about.md", "more/README.md"},
		},
		"excluded by name, by path from the root, and by path from the base": {
			rules: []rule{
				{From: "@git/apps/base/**", To: "@artifact/a/", Exclude: []string{"*.md"}},
				{From: "@git/apps/base/**", To: "@artifact/b/", Exclude: []string{"apps/base/deep/**"}},
				{From: "@git/apps/base", To: "@artifact/c/", Exclude: []string{"deep/*"}},
			},
			want: []string{"a/a.yaml", "a/deep/b.yaml", "b/a.yaml", "b/notes.md", "c/base/a.yaml", "c/base/notes.md"},
		},
		"a later rule wins": {
			rules: []rule{
				{From: "@git/values/common.yaml", To: "@artifact/values.yaml"},
				{From: "@oci/values.yaml", To: "@artifact/values.yaml"},
			},
			want:    []string{"values.yaml"},
			content: map[string]string{"values.yaml": "image: {tag: v2}\nports: [3]\n"},
		},
		"merged as values": {
			rules: []rule{
				{From: "@git/values/common.yaml", To: "@artifact/values.yaml"},
				{From: "@oci/values.yaml", To: "@artifact/values.yaml", Strategy: swapi.MergeStrategy},
			},
			want:    []string{"values.yaml"},
			content: map[string]string{"values.yaml": "image:\n    pull: Always\n    tag: v2\nports:\n    - 3\n"},
		},
		"nothing there":   {rules: []rule{{From: "@git/app", To: "@artifact/"}}, err: "nothing in the source matches"},
		"nothing matches": {rules: []rule{{From: "@git/app/**", To: "@artifact/"}}, err: "nothing in the source matches"},
		"all is excluded": {rules: []rule{{From: "@git/*.md", To: "@artifact/", Exclude: []string{"*.md"}}}, err: "all that matches is excluded"},
		"no such alias":   {rules: []rule{{From: "@repo/x", To: "@artifact/"}}, err: `no source with the alias "repo"`},
		"a bad exclude":   {rules: []rule{{From: "@git/apps", To: "@artifact/", Exclude: []string{"[a"}}}, err: "exclude is not valid"},
		"a folder on a file": {rules: []rule{
			{From: "@git/README.md", To: "@artifact/x/deep"},
			{From: "@git/apps/base/**", To: "@artifact/x/"},
		}, err: "is a file already"},
		"an archive": {rules: []rule{{From: "@git/x.tgz", To: "@artifact/", Strategy: swapi.ExtractStrategy}}, err: manifests.ErrArchive.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := manifests.Compose(sources, test.rules)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, tree.Files("")); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			for file, want := range test.content {
				if got, err := tree.Read(file); err != nil || string(got) != want {
					t.Errorf("%s is %q (%v), want %q", file, got, err, want)
				}
			}
		})
	}
}

// What is built from a composed tree is where it was written.
func TestComposedTreeNamesTheFilesOfItsSources(t *testing.T) {
	source := treeOf(t, map[string]string{
		"apps/web/cm.yaml":                "\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: default}\n",
		"apps/web/kustomization.yaml":     "resources: [cm.yaml, ../base]\n",
		"lib/base/kustomization.yaml":     "resources: [other.yaml]\n",
		"lib/base/other.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: default}\ndata: {a: '${undefined}'}\n",
		"apps/not-of-it/broken/file.yaml": "{",
	})
	once, err := manifests.Compose(map[string]*manifests.Tree{"repo": source}, []swapi.CopyOperation{
		{From: "@repo/apps/web", To: "@artifact/"}, {From: "@repo/lib/base", To: "@artifact/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := manifests.Compose(map[string]*manifests.Tree{"once": once}, []swapi.CopyOperation{{From: "@once/**", To: "@artifact/here/"}})
	if err != nil {
		t.Fatal(err)
	}
	ks := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
		"metadata": map[string]any{"name": "web", "namespace": "flux-system"},
		"spec": map[string]any{
			"path": "./here/web", "postBuild": map[string]any{"substitute": map[string]any{"some": "thing"}},
		},
	}}
	set, err := twice.Build(t.Context(), ks, &fakeValues{}, manifests.Options{Strict: true})
	undefined, ok := errors.AsType[*manifests.SubstituteError](err)
	if !ok || undefined.Undefined[0].File != "lib/base/other.yaml" || undefined.Undefined[0].Line != 4 {
		t.Errorf("error %v, want one of line 4 of lib/base/other.yaml", err)
	}
	var files []string
	for _, o := range set.Objects {
		files = append(files, o.File)
	}
	if diff := cmp.Diff([]string{"apps/web/cm.yaml", "lib/base/other.yaml"}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
