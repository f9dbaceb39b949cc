package rehearsal

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/standup-sh/standup/tiers"
)

// seededTree needs three kinds that it does not bring.
const seededTree = `
-- clusters/x/all.yaml --
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: a, namespace: default}
spec: {}
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: a}
spec: {}
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: g, namespace: home}
-- bootstrap/crds/gadget.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.org}
spec:
  group: example.org
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
-- bootstrap/helmfile.yaml --
repositories:
  - {name: jetstack, url: https://charts.example.org/jetstack}
releases:
  - {name: external-secrets, namespace: external-secrets, chart: oci://registry.example.org/charts/external-secrets}
  - name: cert-manager
    namespace: cert-manager
    chart: jetstack/cert-manager
    set: [{name: crds.enabled, value: true}]
-- bootstrap/talos.yaml --
cluster:
  inlineManifests:
    - name: home
      contents: |
        apiVersion: v1
        kind: Namespace
        metadata: {name: home}
-- bootstrap/templated.yaml --
releases:
{{ range .Values }}
  - name: {{ . }}
{{ end }}
`

func TestWhatARepositorySeeds(t *testing.T) {
	t.Parallel()
	dir := written(t, seededTree)
	seeds := func(names ...string) []string {
		var paths []string
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, "bootstrap", name))
		}
		return paths
	}
	for _, tc := range []struct {
		seeds []string
		left  int
	}{
		{nil, 4},
		{seeds("crds"), 3},
		{seeds("crds", "helmfile.yaml"), 1},
		{seeds("crds", "helmfile.yaml", "talos.yaml"), 0},
	} {
		o := options(t, dir, "entry: clusters/x")
		o.Seeds = tc.seeds
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != tc.left {
			t.Errorf("with %v: %s", tc.seeds, summary(r, false))
		}
	}
	for _, bad := range []string{"nowhere", "templated.yaml"} {
		o := options(t, dir, "entry: clusters/x")
		o.Seeds = seeds(bad)
		_, err := Run(t.Context(), o)
		if _, ok := errors.AsType[*tiers.FileError](err); !ok {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
