package manifests_test

import (
	"errors"
	"testing"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestWithoutRemoteBases(t *testing.T) {
	t.Parallel()
	const url = "https://example.org/crds.yaml"
	for name, c := range map[string]struct {
		files string
		want  []string
	}{
		"beside others":  {"-- kustomization.yaml --\nresources: [" + url + ", a.yaml]\n-- a.yaml --\n" + named("a"), []string{"a"}},
		"in a base":      {"-- kustomization.yaml --\nresources: [b, a.yaml]\n-- a.yaml --\n" + named("a") + "-- b/kustomization.yaml --\nresources: [b.yaml]\ncomponents: ['" + url + "']\n-- b/b.yaml --\n" + named("b"), []string{"b", "a"}},
		"a base of such": {"-- kustomization.yaml --\nresources: [b, a.yaml]\n-- a.yaml --\n" + named("a") + "-- b/kustomization.yaml --\nresources: ['" + url + "']\n", []string{"a"}},
		"used twice": {"-- kustomization.yaml --\nresources: [x, z]\n-- x/kustomization.yaml --\nnamePrefix: x-\nresources: [../b]\n" +
			"-- z/kustomization.yaml --\nnamePrefix: z-\nresources: [../b]\n-- b/kustomization.yaml --\nresources: [a.yaml, '" + url + "']\n-- b/a.yaml --\n" + named("a"), []string{"x-a", "z-a"}},
		"nothing else": {"-- kustomization.yaml --\nresources: ['" + url + "']\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := open(t, tree(t, c.files)).Build(t.Context(), kustomization(t, "path: ."), nil, manifests.Options{WithoutRemoteBases: true})
			if remote, ok := errors.AsType[*manifests.RemoteBaseError](err); !ok || remote.URL != url || remote.Line == 0 || set == nil {
				t.Fatalf("got %v, want the remote base", err)
			}
			var got []string
			for _, o := range set.Objects {
				got = append(got, o.GetName())
			}
			diff(t, c.want, got)
			diff(t, []string{url}, set.Remote)
		})
	}
}

// What a remote patch would do, and what a patch would find in what is remote, is
// not known: there is no set then.
func TestWithoutRemoteBasesThereMayBeNoSet(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]string{
		"a remote patch": "-- kustomization.yaml --\nresources: [a.yaml]\npatches: [{path: 'https://example.org/patch.yaml'}]\n-- a.yaml --\n" + named("a"),
		"a patch of it": "-- kustomization.yaml --\nresources: [a.yaml, 'https://example.org/crds.yaml']\npatches:\n- patch: |\n" +
			"    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: b}\n-- a.yaml --\n" + named("a"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := open(t, tree(t, files)).Build(t.Context(), kustomization(t, "path: ."), nil, manifests.Options{WithoutRemoteBases: true})
			if _, ok := errors.AsType[*manifests.RemoteBaseError](err); !ok || set != nil {
				t.Fatalf("got %v and %v, want only the remote base", set, err)
			}
		})
	}
}
