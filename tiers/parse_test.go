package tiers

import "testing"

// TestParseErrors compares every fault of a file; the cases are in
// testdata/parse.
func TestParseErrors(t *testing.T) {
	goldens(t, "parse", func(_ *testing.T, g golden) string {
		_, err := Parse("TIER_ORDER.yaml", []byte(g.sections["file"]))
		if err == nil {
			return "no error\n"
		}
		return err.Error() + "\n"
	})
}
