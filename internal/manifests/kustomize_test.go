package manifests

import (
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func TestPanicsOfKustomizeAreErrors(t *testing.T) {
	t.Parallel()
	kustomizing.Lock()
	defer kustomizing.Unlock()
	_, err := runKustomize(panicking{}, "/", false)
	if err == nil || !strings.HasPrefix(err.Error(), "kustomize panicked: ") {
		t.Errorf("got %v", err)
	}
}

type panicking struct{ filesys.FileSystem }

func TestScrub(t *testing.T) {
	t.Parallel()
	inner := errors.New("open /tmp/x/a/b.yaml in /tmp/x: no")
	got := scrub(inner, "/tmp/x")
	if got.Error() != "open a/b.yaml in .: no" || !errors.Is(got, inner) {
		t.Errorf("got %v", got)
	}
	if other := errors.New("no"); scrub(other, "/tmp/x") != other { //nolint:errorlint // the very same
		t.Error("an error without the directory stays as it is")
	}
}

// The tree cannot be written to through what kustomize is given.
func TestViewIsReadOnly(t *testing.T) {
	t.Parallel()
	tree, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v, err := tree.view(map[string][]byte{"kustomization.yaml": []byte("x")}, true)
	if err != nil {
		t.Fatal(err)
	}
	name := tree.onDisk("a")
	_, create := v.Create(name)
	for what, err := range map[string]error{
		"create": create, "mkdir": v.Mkdir(name), "mkdir all": v.MkdirAll(name), "remove": v.RemoveAll(tree.root),
		"remove elsewhere": v.RemoveAll("/nonexistent"), "write": v.WriteFile(name, nil),
	} {
		if !errors.Is(err, errReadOnly) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// What a build does not need is refused and not half done.
	_, open := v.Open(name)
	_, glob := v.Glob("*")
	for what, err := range map[string]error{"open": open, "glob": glob, "walk": v.Walk(name, nil)} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := v.ReadDir(name); err == nil {
		t.Error("an absent directory was listed")
	}
	if names, err := v.ReadDir(tree.root); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	if text, err := v.ReadFile(tree.onDisk("kustomization.yaml")); err != nil || string(text) != "x" {
		t.Errorf("%s, %v", text, err)
	}
	if dir, file, err := v.CleanedAbs(tree.onDisk("kustomization.yaml")); err != nil || dir.String() != tree.root || file != "kustomization.yaml" {
		t.Errorf("%s, %s, %v", dir, file, err)
	}
}
