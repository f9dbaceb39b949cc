package tiers

import "testing"

// TestBuild compares whole plans; the cases are in testdata/plan.
func TestBuild(t *testing.T) {
	goldens(t, "plan", func(t *testing.T, g golden) string {
		t.Helper()
		in := Input{Order: g.order(t), Snapshot: snapshot(t, g.sections["snapshot"])}
		plan, err := Build(in)
		if err == nil {
			holdsTheLaws(t, in, plan)
		}
		return render(plan, err)
	})
}
