package manifests_test

import (
	"testing"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestChartOf(t *testing.T) {
	t.Parallel()
	set := []manifests.Object{
		{Unstructured: object(t, "{apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, metadata: {name: o, namespace: apps}, spec: {url: 'oci://ghcr.io:443/x/charts/podinfo'}}")},
		{Unstructured: object(t, "{apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, metadata: {name: tagged, namespace: other}, spec: {url: 'oci://h/x/gateway-helm:v1@sha256:ab/'}}")},
		{Unstructured: object(t, "{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmChart, metadata: {name: h, namespace: apps}, spec: {chart: ./charts/own/}}")},
		{Unstructured: object(t, "{apiVersion: example.org/v1, kind: HelmChart, metadata: {name: not-flux, namespace: apps}, spec: {chart: x}}")},
	}
	const release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: apps}\nspec: "
	for spec, want := range map[string]string{
		release + "{chart: {spec: {chart: cert-manager}}}":                            "cert-manager",
		release + "{chart: {spec: {chart: ./charts/own/}}}":                           "own",
		release + "{chart: {spec: {chart: ..}}}":                                      "",
		release + "{chartRef: {kind: OCIRepository, name: o}}":                        "podinfo",
		release + "{chartRef: {kind: OCIRepository, name: tagged, namespace: other}}": "gateway-helm",
		release + "{chartRef: {kind: OCIRepository, name: tagged}}":                   "",
		release + "{chartRef: {kind: HelmChart, name: h}}":                            "own",
		release + "{chartRef: {kind: HelmChart, name: not-flux}}":                     "",
		release + "{}": "",
		"{apiVersion: example.org/v1, kind: HelmRelease, spec: {chart: {spec: {chart: x}}}}":      "",
		"{apiVersion: helm.toolkit.fluxcd.io/v2, kind: Other, spec: {chart: {spec: {chart: x}}}}": "",
	} {
		got, ok := manifests.ChartOf(object(t, spec), set)
		if got != want && ok || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", spec, got, ok, want)
		}
	}
}
