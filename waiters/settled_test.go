package waiters

import (
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
)

func TestSettled(t *testing.T) {
	for _, tc := range []struct {
		name string
		k    ks
		want bool
	}{
		{"ready", newKS().ready(rev1), true},
		{"ready at another revision", newKS().ready(rev2), false},
		{"ready and reconciling", newKS().ready(rev1).with("Reconciling", "True", 2, "Progressing", "x"), false},
		{"ready and asked again", newKS().ready(rev1).requested("t2"), false},
		{"ready and answered", newKS().ready(rev1).requested("t2").handled("t2"), true},
		{"ready before the spec changed", newKS().ready(rev1).change(func(k *kustomizev1.Kustomization) { k.Generation = 3 }), false},
		{"suspended", newKS().ready(rev1).change(func(k *kustomizev1.Kustomization) { k.Spec.Suspend = true }), false},
		{"in the middle of a pass", newKS().working(running(rev1)), false},
		{"absent", ks{}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Settled(tc.k.Kustomization, rev1); got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAppliedAt(t *testing.T) {
	health := "health check failed after 30s: timeout waiting for: [Deployment/apps/web status: 'InProgress']"
	for _, tc := range []struct {
		name   string
		k      ks
		wanted string
		want   bool
	}{
		{"ready", newKS().ready(rev1), rev1, true},
		{"ready and asked again: it is applied all the same", newKS().ready(rev1).requested("t2"), rev1, true},
		{"ready at another revision", newKS().ready(rev2), rev1, false},
		{"ready, revision not known", newKS().ready(rev2), "", true},
		{"ready before the spec changed", newKS().ready(rev1).change(func(k *kustomizev1.Kustomization) { k.Generation = 3 }), rev1, false},
		{"health is checked", newKS().working(running(rev1)), rev1, true},
		{"health is checked, revision not known", newKS().working(running(rev1)), "", true},
		{"health is checked at another revision", newKS().working(running(rev2)), rev1, false},
		{"fetching", newKS().working(fetching(rev1)), rev1, false},
		{"health failed", newKS().failed(rev1, "HealthCheckFailed", health, running(rev1)), rev1, true},
		{"health failed at another revision", newKS().failed(rev2, "HealthCheckFailed", health, running(rev2)), rev1, false},
		{
			// finalizeStatus renews the old message to the new generation.
			"an old health check message under a new failure",
			newKS().failed(rev1, "DependencyNotReady", "dependency 'a/b' is not ready", running(rev1)), rev1, false,
		},
		{"apply failed", newKS().failed(rev1, "ReconciliationFailed", noKind, fetching(rev1)), rev1, false},
		{"reconciling has not begun", newKS().with("Ready", "Unknown", 2, "Progressing", "x"), rev1, false},
		{"suspended", newKS().ready(rev1).change(func(k *kustomizev1.Kustomization) { k.Spec.Suspend = true }), rev1, false},
		{"not observed", newKS(), rev1, false},
		{"absent", ks{}, rev1, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := AppliedAt(tc.k.Kustomization, tc.wanted); got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
