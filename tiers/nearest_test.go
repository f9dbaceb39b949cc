package tiers

import "testing"

func TestNearest(t *testing.T) {
	fields := []string{"apiVersion", "kind", "timeout", "tcp", "tiers", "kustomizations"}
	tests := map[string]string{
		"timout": "timeout", "timeuot": "timeout", "TIMEOUT": "", "tier": "tiers", "tpc": "tcp", "apiversion": "apiVersion",
		"kustomization": "kustomizations", "colour": "", "": "", "kind": "", "x": "",
	}
	for name, want := range tests {
		if got := nearest(name, fields); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"kitten", "sitting", 3},
		{"wiat", "wait", 1},
		{"abcd", "badc", 2},
		{"größe", "grösse", 2},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance(tt.b, tt.a); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

func TestNearestRef(t *testing.T) {
	there := refs("platform", "rook/rook-ceph", "media/plex", "media/jellyfin")
	tests := map[string]string{
		"platfrm":                "platform",       // a slip of the pen
		"plex":                   "media/plex",     // the namespace was forgotten
		"media/jellyfn":          "media/jellyfin", // both in one namespace
		"rook/rook-ceph-cluster": "rook/rook-ceph", // the HelmRelease of that name
		"rook/rook":              "rook/rook-ceph",
		"media/platfrm":          "",
		"unheard-of":             "",
	}
	for name, want := range tests {
		if got := NearestRef(ref(name), there).NamespacedName(); got != want && "flux-system/"+want != got {
			t.Errorf("nearest to %s is %s, want %s", name, got, want)
		}
	}
}
