package manifests_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestWhatAReleaseSaysOfItsChart(t *testing.T) {
	t.Parallel()
	sources := map[string]*unstructured.Unstructured{
		"OCIRepository/apps/o":       object(t, "{spec: {url: 'oci://ghcr.io:443/x/charts/podinfo'}}"),
		"OCIRepository/other/tagged": object(t, "{spec: {url: 'oci://h/x/gateway-helm:v1@sha256:ab/'}}"),
		"HelmChart/apps/h":           object(t, "{spec: {chart: ./charts/own/}}"),
		"HelmRepository/apps/repo":   object(t, "{spec: {url: 'https://charts.example.org'}}"),
	}
	source := func(kind, namespace, name string) *unstructured.Unstructured {
		return sources[kind+"/"+namespace+"/"+name]
	}
	for spec, want := range map[string]manifests.Release{
		"{chart: {spec: {chart: cert-manager}}}":                                                           {Chart: "cert-manager"},
		"{chart: {spec: {chart: ./charts/own/}}}":                                                          {Chart: "./charts/own/"},
		"{chart: {spec: {chart: x, sourceRef: {kind: HelmRepository, name: repo}}}}":                       {Chart: "x", Repository: "https://charts.example.org"},
		"{chart: {spec: {chart: x, sourceRef: {kind: HelmRepository, name: repo, namespace: elsewhere}}}}": {Chart: "x"},
		"{chartRef: {kind: OCIRepository, name: o}}":                                                       {Chart: "ghcr.io:443/x/charts/podinfo"},
		"{chartRef: {kind: OCIRepository, name: tagged, namespace: other}}":                                {Chart: "h/x/gateway-helm:v1@sha256:ab/"},
		"{chartRef: {kind: OCIRepository, name: tagged}}":                                                  {Chart: "tagged"}, // it is not there: its name has to do
		"{chartRef: {kind: HelmChart, name: h}}":                                                           {Chart: "./charts/own/"},
		"{chart: {spec: {chart: x}}, values: {a: 1}, valuesFrom: [{kind: Secret, name: s}]}":               {Chart: "x", Values: map[string]any{"a": float64(1)}, Partial: true},
		"{chart: {spec: {chart: x}}, install: {crds: Skip}}":                                               {Chart: "x", SkipCRDs: true},
		"{}": {},
	} {
		release := object(t, "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: apps}\nspec: "+spec)
		if diff := cmp.Diff(want, manifests.ReleaseOf(release, source)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spec, diff)
		}
	}
}

func TestKindsThatDecideMore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease}": true,
		"{apiVersion: example.org/v1, kind: HelmRelease}":            false,
		"{apiVersion: helm.toolkit.fluxcd.io/v2, kind: Other}":       false,
	} {
		if got := (manifests.Object{Unstructured: object(t, text)}).IsHelmRelease(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	crd := manifests.Object{Unstructured: object(t, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: g.io, scope: Cluster, names: {kind: K}, versions: [{name: v1, served: true}, {name: v0, served: false}]}}")}
	want := manifests.Definition{Group: "g.io", Kind: "K", Scope: "Cluster", Versions: []string{"v1"}}
	if got, ok := crd.Defines(); !ok || cmp.Diff(want, got) != "" {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func TestWhatTheControllerLeavesAlone(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]bool{
		"annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}": true,
		"labels: {kustomize.toolkit.fluxcd.io/reconcile: Disabled}":      true,
		"annotations: {kustomize.toolkit.fluxcd.io/ssa: ignore}":         true,
		"annotations: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}":   false,
		"annotations: {kustomize.toolkit.fluxcd.io/reconcile: enabled}":  false,
	} {
		o := manifests.Object{Unstructured: object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, "+metadata+"}}")}
		if got := o.LeftAlone(); got != want {
			t.Errorf("%s: %v, want %v", metadata, got, want)
		}
	}
}
