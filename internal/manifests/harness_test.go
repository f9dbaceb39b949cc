package manifests_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/internal/manifests"
)

var update = flag.Bool("update", false, "write the wanted results of testdata from what is got")

// fakeValues are ConfigMaps and Secrets by namespace/name.
type fakeValues struct {
	configMaps map[string]map[string]string
	secrets    map[string]map[string][]byte
	asked      []string
	err        error
}

func (v *fakeValues) ConfigMap(_ context.Context, namespace, name string) (map[string]string, error) {
	v.asked = append(v.asked, "ConfigMap "+namespace+"/"+name)
	if data, ok := v.configMaps[namespace+"/"+name]; ok {
		return data, v.err
	}
	return nil, errors.Join(v.err, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name))
}

func (v *fakeValues) Secret(_ context.Context, namespace, name string) (map[string][]byte, error) {
	v.asked = append(v.asked, "Secret "+namespace+"/"+name)
	if data, ok := v.secrets[namespace+"/"+name]; ok {
		return data, v.err
	}
	return nil, errors.Join(v.err, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name))
}

// testCase is a txtar file: the Flux Kustomization (ks.yaml), values (one
// ConfigMap or Secret a document), the wanted result (want), and below tree/ the
// checkout.
type testCase struct {
	file    string
	archive *txtar.Archive
	ks      *unstructured.Unstructured
	values  *fakeValues
	dir     string
	want    string
}

func readCase(t *testing.T, file string) *testCase {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &testCase{file: file, archive: archive, dir: t.TempDir()}
	c.values = &fakeValues{configMaps: map[string]map[string]string{}, secrets: map[string]map[string][]byte{}}
	for _, f := range archive.Files {
		switch f.Name {
		case "ks.yaml":
			c.ks = object(t, string(f.Data))
		case "values.yaml":
			for doc := range strings.SplitSeq(string(f.Data), "\n---\n") {
				c.values.add(t, object(t, doc))
			}
		case "want":
			c.want = string(f.Data)
		default:
			rel, ok := strings.CutPrefix(f.Name, "tree/")
			if !ok {
				t.Fatalf("%s: what is %s?", file, f.Name)
			}
			write(t, filepath.Join(c.dir, rel), string(f.Data))
		}
	}
	return c
}

func (v *fakeValues) add(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	key := u.GetNamespace() + "/" + u.GetName()
	data, _, err := unstructured.NestedStringMap(u.Object, "data")
	if err != nil {
		t.Fatal(err)
	}
	if u.GetKind() == "ConfigMap" {
		v.configMaps[key] = data
		return
	}
	v.secrets[key] = map[string][]byte{}
	for name, value := range data {
		v.secrets[key][name] = []byte(value)
	}
}

// check compares with the wanted result, or writes it.
func (c *testCase) check(t *testing.T, got string) {
	t.Helper()
	if *update {
		for i, f := range c.archive.Files {
			if f.Name == "want" {
				c.archive.Files[i].Data = []byte(got)
			}
		}
		if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	diff(t, c.want, got)
}

// render shows a set and an error as a person would note them.
func render(set *manifests.Set, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	if set == nil {
		return b.String()
	}
	for _, o := range set.Objects {
		fmt.Fprintf(&b, "--- %s:%d", o.File, o.Line)
		if o.Encrypted {
			b.WriteString(" encrypted")
		}
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&b, "\n%s", text)
	}
	return b.String()
}

func object(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		tb.Fatalf("%v\n%s", err, text)
	}
	return u
}

// kustomization is a Flux Kustomization with a spec.
func kustomization(tb testing.TB, spec string) *unstructured.Unstructured {
	tb.Helper()
	return object(tb, "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"+
		"metadata: {name: apps, namespace: flux-system}\nspec:\n  "+strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  ")+"\n")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tree writes a txtar archive into a new directory.
func tree(tb testing.TB, archive string) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func open(tb testing.TB, dir string, opts ...manifests.OpenOption) *manifests.Tree {
	tb.Helper()
	opened, err := manifests.Open(dir, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return opened
}
