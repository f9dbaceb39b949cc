package catalog

import "testing"

// A word that every second name has says nothing.
func TestWordsThatTwoNamesShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		group, name string
		want        bool
	}{
		{"coroot.com", "coroot-operator", true},
		{"nfd.k8s-sigs.io", "node-feature-discovery", false},
		{"acid.zalan.do", "postgres-operator", false},
		{"kafka.strimzi.io", "Strimzi_Kafka", true},
		{"operator.example.org", "postgres-operator", false},
		{"apps.kubernetes.io", "kubernetes-apps", false},
		{"gateway.networking.k8s.io", "gateway-helm", true},
	} {
		if got := Related(c.group, c.name); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.group, c.name, got, c.want)
		}
	}
}
