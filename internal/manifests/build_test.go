package manifests_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/kustomize"
	"github.com/fluxcd/pkg/sourceignore"
	"github.com/fluxcd/pkg/ssa/normalize"
	ssautils "github.com/fluxcd/pkg/ssa/utils"
	"github.com/fluxcd/pkg/tar"
	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/internal/manifests"
)

func diff(t *testing.T, want, got any) {
	t.Helper()
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func cases(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/build/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return files
}

func TestBuild(t *testing.T) {
	t.Parallel()
	for _, file := range cases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := readCase(t, file)
			before := snapshot(t, c.dir)
			set, err := open(t, c.dir).Build(t.Context(), c.ks, c.values, manifests.Options{Strict: true})
			c.check(t, render(set, err))
			diff(t, before, snapshot(t, c.dir)) // nothing was written
			again, err := open(t, c.dir).Build(t.Context(), c.ks, c.values, manifests.Options{Strict: true})
			diff(t, render(set, nil), render(again, nil))
			_ = err
		})
	}
}

// The controller's own code, in its order, on the artifact that source-controller
// would make: the set must be the same, and fail where it fails.
func TestBuildsWhatTheControllerBuilds(t *testing.T) {
	t.Parallel()
	for _, file := range cases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := readCase(t, file)
			if _, ok, _ := unstructured.NestedMap(c.ks.Object, "spec", "decryption"); ok {
				t.Skip("the controller would need a key")
			}
			want, wantErr := controller(t, c)
			set, gotErr := open(t, c.dir).Build(t.Context(), c.ks, c.values, manifests.Options{Strict: true})
			if (wantErr != nil) != (gotErr != nil) {
				t.Fatalf("the controller says: %v\nwe say: %v", wantErr, gotErr)
			}
			if wantErr != nil {
				return
			}
			same(t, want, set.Objects)
		})
	}
}

func same(t *testing.T, want []*unstructured.Unstructured, got []manifests.Object) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("the controller has %d objects, we have %d", len(want), len(got))
	}
	for i, o := range got {
		if o.Encrypted { // left as they are, on purpose
			diff(t, want[i].GetName(), o.GetName())
			continue
		}
		diff(t, want[i].Object, o.Object)
	}
}

// Kustomize's own notion of where objects come from, which it can be asked for.
func TestFilesAreThoseThatKustomizeNames(t *testing.T) {
	t.Parallel()
	for _, file := range cases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := readCase(t, file)
			if err := unstructured.SetNestedStringSlice(c.ks.Object, []string{"originAnnotations"}, "spec", "buildMetadata"); err != nil {
				t.Fatal(err)
			}
			specPath, _, _ := unstructured.NestedString(c.ks.Object, "spec", "path")
			set, _ := open(t, c.dir).Build(t.Context(), c.ks, c.values, manifests.Options{})
			if set == nil {
				return
			}
			for _, o := range set.Objects {
				var origin struct{ Path, ConfiguredIn string }
				if err := yaml.Unmarshal([]byte(o.GetAnnotations()["config.kubernetes.io/origin"]), &origin); err != nil {
					t.Fatal(err)
				}
				want := path.Join(specPath, cmp.Or(origin.Path, origin.ConfiguredIn))
				if o.File != want {
					t.Errorf("%s %s: file %q, want %q", o.GetKind(), o.GetName(), o.File, want)
				}
			}
		})
	}
}

// controller is reconcile, generate, build and apply of kustomize-controller,
// without its cluster.
func controller(t *testing.T, c *testCase) ([]*unstructured.Unstructured, error) {
	t.Helper()
	root := artifact(t, c.dir)
	specPath, _, _ := unstructured.NestedString(c.ks.Object, "spec", "path")
	dir := filepath.Join(root, specPath)
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	if _, err := kustomize.NewGenerator(root, *c.ks).WriteFile(dir); err != nil {
		return nil, err
	}
	release := manifests.HoldKustomize()
	m, err := kustomize.SecureBuild(root, dir, false)
	release()
	if err != nil {
		return nil, err
	}
	_, hasPostBuild, _ := unstructured.NestedMap(c.ks.Object, "spec", "postBuild")
	strategy, _, _ := unstructured.NestedString(c.ks.Object, "spec", "postBuild", "substituteStrategy")
	for _, res := range m.Resources() {
		if res.GetName() == "" || res.GetKind() == "" || res.GetApiVersion() == "" {
			return nil, fmt.Errorf("failed to decode Kubernetes apiVersion, kind and name from: %v", res.String())
		}
		if !hasPostBuild {
			continue
		}
		out, err := kustomize.SubstituteVariables(t.Context(), valuesClient{values: c.values}, *c.ks, res,
			kustomize.SubstituteWithStrict(true), kustomize.SubstituteWithAlways(strategy == "Always"))
		if err != nil {
			return nil, err
		}
		if out != nil {
			if _, err := m.Replace(res); err != nil {
				return nil, err
			}
		}
	}
	text, err := m.AsYaml()
	if err != nil {
		return nil, err
	}
	objects, err := ssautils.ReadObjects(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := normalize.UnstructuredList(objects); err != nil {
		return nil, err
	}
	labels, _, _ := unstructured.NestedStringMap(c.ks.Object, "spec", "commonMetadata", "labels")
	annotations, _, _ := unstructured.NestedStringMap(c.ks.Object, "spec", "commonMetadata", "annotations")
	if labels != nil || annotations != nil {
		ssautils.SetCommonMetadata(objects, labels, annotations)
	}
	return objects, nil
}

// artifact packs and unpacks a checkout as the two controllers do.
func artifact(t *testing.T, dir string) string {
	t.Helper()
	domain := strings.Split(dir, string(filepath.Separator))
	patterns, err := sourceignore.LoadIgnorePatterns(dir, domain)
	if err != nil {
		t.Fatal(err)
	}
	matcher := sourceignore.NewDefaultMatcher(patterns, domain)
	if len(patterns) > 0 {
		matcher = sourceignore.NewMatcher(append(sourceignore.VCSPatterns(domain), patterns...))
	}
	var packed bytes.Buffer
	if _, err := tar.Tar(dir, &packed, tar.WithFilter(func(p string, fi os.FileInfo) bool {
		return matcher.Match(strings.Split(p, string(filepath.Separator)), fi.IsDir())
	})); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := tar.Untar(&packed, root, tar.WithSkipSymlinks()); err != nil {
		t.Fatal(err)
	}
	return root
}

type valuesClient struct {
	client.Client

	values manifests.Values
}

func (c valuesClient) Get(ctx context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) (err error) {
	switch o := into.(type) {
	case *corev1.ConfigMap:
		o.Data, err = c.values.ConfigMap(ctx, key.Namespace, key.Name)
	case *corev1.Secret:
		o.Data, err = c.values.Secret(ctx, key.Namespace, key.Name)
	}
	return err
}

// snapshot lists every file of a directory with its content.
func snapshot(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return cmp.Or(err, error(nil))
		}
		content, err := os.ReadFile(p)
		found = append(found, p+"\n"+string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
