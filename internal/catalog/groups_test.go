package catalog

import "testing"

func TestMatchesGroup(t *testing.T) {
	for _, tt := range []struct {
		pattern, group string
		want           bool
	}{
		{"example.io", "example.io", true},
		{"example.io", "sub.example.io", false},
		{"example.io", "Example.io", false},
		{"*.example.io", "sub.example.io", true},
		{"*.example.io", "sub.sub.example.io", true},
		{"*.example.io", "example.io", false},
		{"*.example.io", ".example.io", false},
		{"*.example.io", "notexample.io", false},
		{"*.example.io", "sub.example.io.evil.org", false},
		{"example.io", "", false},
	} {
		if got := matchesGroup(tt.pattern, tt.group); got != tt.want {
			t.Errorf("%s matches %q: got %v, want %v", tt.pattern, tt.group, got, tt.want)
		}
	}
}

func TestNamesOfGroupsAndKinds(t *testing.T) {
	for group, want := range map[string]bool{
		"example.io": true, "a.b-c.example.io": true, "volsync.backube": true, "*.example.io": false,
		"": false, "example": false, "Example.io": false, ".example.io": false, "example.io.": false, "example.io/Widget": false, "-a.io": false,
	} {
		if got := validGroup(group); got != want {
			t.Errorf("%q is a group: got %v, want %v", group, got, want)
		}
	}
	for pattern, want := range map[string]bool{
		"example.io": true, "*.example.io": true, "*example.io": false, "*": false, "*.*.example.io": false, "a.*.example.io": false,
	} {
		if got := validPattern(pattern); got != want {
			t.Errorf("%q is a pattern: got %v, want %v", pattern, got, want)
		}
	}
	for kind, want := range map[string]bool{
		"Widget": true, "postgresql": true, "K8sRequiredLabels": true, "": false, "Wid-get": false, "1Widget": false, "Widget/v1": false,
	} {
		if got := validKind(kind); got != want {
			t.Errorf("%q is a kind: got %v, want %v", kind, got, want)
		}
	}
}
