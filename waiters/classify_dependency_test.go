package waiters

import "testing"

func TestClassifyDependency(t *testing.T) {
	checkSayings(t, []saying{
		{
			"not ready", "DependencyNotReady",
			"dependency 'flux-system/platform' is not ready",
			DependencyNotReady, Passing, "flux-system/platform",
		},
		{
			"revision", "DependencyNotReady",
			"dependency 'flux-system/platform' revision is not up to date",
			DependencyNotReady, Passing, "flux-system/platform",
		},
		{
			"expression is false", "DependencyNotReady",
			"dependency 'flux-system/platform' is not ready according to readyExpr eval",
			DependencyNotReady, Passing, "flux-system/platform",
		},
		{
			"expression over a missing field", "DependencyNotReady",
			"failed to evaluate the CEL expression 'dep.status.x == 1': no such key: x",
			DependencyNotReady, Passing, "",
		},
		{
			"not found", "DependencyNotReady",
			`dependency 'flux-system/platfrm' not found: kustomizations.kustomize.toolkit.fluxcd.io "platfrm" not found`,
			DependencyNotFound, NeedsAction, "flux-system/platfrm",
		},
		{
			"not looked up", "DependencyNotReady",
			`dependency 'flux-system/platform' not found: Get "https://10.96.0.1:443/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux-system/kustomizations/platform": dial tcp 10.96.0.1:443: connect: connection refused`,
			APIUnavailable, Passing, "",
		},
		{
			"not looked up, overloaded", "DependencyNotReady",
			`dependency 'flux-system/platform' not found: the server has received too many requests and has asked us to try again later (get kustomizations.kustomize.toolkit.fluxcd.io platform)`,
			APIUnavailable, Passing, "",
		},
		{
			"Helm, not found", "DependencyNotReady",
			`unable to get 'apps/db' dependency: helmreleases.helm.toolkit.fluxcd.io "db" not found`,
			DependencyNotFound, NeedsAction, "apps/db",
		},
		{
			"Helm, not ready", "DependencyNotReady",
			"dependency 'apps/db' is not ready",
			DependencyNotReady, Passing, "apps/db",
		},
	})
}
