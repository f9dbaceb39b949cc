package tiers

import (
	"strings"
	"testing"
)

// TestCheck compares all findings; the cases are in testdata/check.
func TestCheck(t *testing.T) {
	goldens(t, "check", func(t *testing.T, g golden) string {
		t.Helper()
		var b strings.Builder
		for _, d := range Check(g.order(t), snapshot(t, g.sections["snapshot"])) {
			b.WriteString(string(d.Kind) + " " + d.String() + "\n")
		}
		return b.String()
	})
}
