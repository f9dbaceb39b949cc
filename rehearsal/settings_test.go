package rehearsal

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestSettingsOfAFluxInstance(t *testing.T) {
	t.Parallel()
	const files = `
-- clusters/x/instance.yaml --
apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata: {name: flux, namespace: flux-system}
spec:
  distribution: {version: 2.x, registry: example.org/fluxcd}
  kustomize:
    patches:
      - target: {kind: Deployment, name: "(kustomize-controller|helm-controller)"}
        patch: |
          - {op: add, path: /spec/template/spec/containers/0/args/-, value: --concurrent=12}
      - target: {kind: Deployment, name: helm-controller}
        patch: |
          - {op: add, path: /spec/template/spec/containers/0/args/-, value: "--feature-gates=OOMWatch=true,DefaultToRetryOnFailure=true"}
`
	w := walked(t, files)
	if w.settings.concurrent["kustomize-controller"] != 12 || w.settings.concurrent["helm-controller"] != 12 {
		t.Errorf("got %v", w.settings.concurrent)
	}
	if !w.settings.retry || w.settings.additive {
		t.Errorf("gates: %+v", w.settings)
	}
}

// walked is what is found in a tree whose entry is clusters/x.
func walked(t *testing.T, files string) *walk {
	t.Helper()
	o := options(t, written(t, files), "entry: clusters/x")
	tree, err := manifests.Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWalk(t.Context(), o, tree)
	if err == nil {
		err = w.all(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// written puts the files of an archive into a directory.
func written(t *testing.T, files string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(files)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
