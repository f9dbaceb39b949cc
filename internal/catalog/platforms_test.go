package catalog

import "testing"

func TestPlatform(t *testing.T) {
	t.Parallel()
	c := load(t)
	for kind, want := range map[string]string{
		"talos.dev/ServiceAccount":                 "Talos, with kubernetesTalosAPIAccess on",
		"helm.cattle.io/HelmChart":                 "k3s and RKE2",
		"route.openshift.io/Route":                 "OpenShift",
		"networking.gke.io/ManagedCertificate":     "Google Kubernetes Engine",
		"fleet.cattle.io/Bundle":                   "",
		"csiaddons.openshift.io/NetworkFenceClass": "",
		"widgets.example.org/Widget":               "",
	} {
		got, ok := c.Platform(gk(kind))
		if got.Name != want || ok != (want != "") {
			t.Errorf("%s: got %q, want %q", kind, got.Name, want)
		}
	}
}

// TestNoPlatformHasAKindThatSomethingBrings: what a chart brings is not there by
// itself.
func TestNoPlatformHasAKindThatSomethingBrings(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, e := range c.Entries() {
		for _, k := range e.Kinds() {
			if p, ok := c.Platform(k.GroupKind()); ok {
				t.Errorf("%s is listed for %s and by %s", k.GroupKind(), p.Name, e.Name)
			}
		}
	}
}
