package differential

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/internal/catalog"
)

func TestAScopeRenamesWhatTreesWouldShare(t *testing.T) {
	t.Parallel()
	const before = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: flux-system}
spec:
  interval: 10m
  path: ./app
  sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}
  healthChecks: [{apiVersion: apps/v1, kind: Deployment, name: web, namespace: default}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec: {group: example.org, names: {kind: Widget, plural: widgets}}
---
apiVersion: example.org/v1
kind: Widget
metadata: {name: web, namespace: media}
---
apiVersion: v1
kind: Namespace
metadata: {name: media}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [example.org, apps], resources: [widgets], verbs: [get]}]
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dns, namespace: kube-system}
spec: {chart: {spec: {chart: external-dns}}, targetNamespace: media}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: gateway, namespace: default}
spec: {url: "oci://registry.example.org/charts/gateway-helm"}
`
	const want = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: t1-flux-system}
spec:
    interval: 1h
    path: ./app
    sourceRef: {kind: GitRepository, name: flux-system, namespace: t1-flux-system}
    healthChecks: [{apiVersion: apps/v1, kind: Deployment, name: t1-web, namespace: t1-default}]
    retryInterval: 3s
    timeout: 6s
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.t1.example.org}
spec: {group: t1.example.org, names: {kind: Widget, plural: widgets}}
---
apiVersion: t1.example.org/v1
kind: Widget
metadata: {name: web, namespace: t1-media}
---
apiVersion: v1
kind: Namespace
metadata: {name: t1-media}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [t1.example.org, apps], resources: [widgets], verbs: [get]}]
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dns, namespace: t1-kube-system}
spec: {chart: {spec: {chart: t1-external-dns}}, targetNamespace: t1-media}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: gateway, namespace: t1-default}
spec: {url: "oci://registry.example.org/charts/t1-gateway-helm"}
`
	got, err := scope{"t1"}.file("all.yaml", []byte(before))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

func TestTheStandInsKnowTheChartsOfATreeAlone(t *testing.T) {
	t.Parallel()
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := parseTree("one", []byte("entry: a\n-- a/a.yaml --\nspec: {chart: {spec: {chart: cert-manager}}}\n---\nkind: ClusterIssuer\n"))
	if err != nil {
		t.Fatal(err)
	}
	var names, kinds []string
	for _, e := range (scope{"t1"}).entries(known, tr) {
		names = append(names, e.Name)
		for _, k := range e.Kinds() {
			kinds = append(kinds, k.GroupKind().String())
		}
	}
	if diff := cmp.Diff([]string{"t1-bitnami-cert-manager", "t1-cert-manager"}, names); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ClusterIssuer.t1.cert-manager.io", "ClusterIssuer.t1.cert-manager.io"}, kinds); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

func TestTheSameSeedGivesTheSameTree(t *testing.T) {
	t.Parallel()
	seen := map[string]uint64{}
	for seed := range uint64(count) {
		one, err := generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		two, err := generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one.text(), two.text()); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		if other, there := seen[one.text()]; there {
			t.Logf("seeds %d and %d give the same tree", other, seed)
		}
		seen[one.text()] = seed
	}
	if len(seen) < count*9/10 {
		t.Errorf("%d seeds give %d trees", count, len(seen))
	}
}

func TestAHeadThatCannotBePlayedIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := parseTree("x", []byte("entry: a\nsource: OCIRepository/a/b=c\n")); err == nil {
		t.Error("a source of its own was taken, and would not have been there")
	}
}
