package manifests_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestPatched(t *testing.T) {
	t.Parallel()
	object := func(spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
			"metadata": map[string]any{"namespace": "flux-system", "name": "flux-system"}, "spec": spec,
		}}
	}
	for name, c := range map[string]struct{ patches, want string }{
		"none":           {`null`, "10m"},
		"merge":          {`[{"patch": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: _}\nspec: {interval: 1h}", "target": {"kind": "Kustomization"}}]`, "1h"},
		"in turn":        {`[{"patch": "- {op: replace, path: /spec/interval, value: 1h}", "target": {"kind": "Kustomization"}}, {"patch": "- {op: replace, path: /spec/interval, value: 2h}", "target": {"name": "flux-.*"}}]`, "2h"},
		"another object": {`[{"patch": "- {op: replace, path: /spec/interval, value: 1h}", "target": {"name": "apps"}}]`, "10m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := manifests.Patched(object(map[string]any{"interval": "10m"}), []byte(c.patches))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(object(map[string]any{"interval": c.want}).Object, got.Object); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}
}

func TestPatchedRefuses(t *testing.T) {
	t.Parallel()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}}}
	for _, patches := range []string{
		`[{"patch": "- {op: replace, path: /data/a/b, value: 1}", "target": {"kind": "ConfigMap"}}]`,
		`[{"patch": "$patch: delete\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"}]`,
		`{`,
	} {
		if got, err := manifests.Patched(o, []byte(patches)); err == nil {
			t.Errorf("%s: got %v, want an error", patches, got)
		}
	}
}
