package tiers

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestExtensionLaws lets a random cluster appear piece by piece, as a cold one
// does. However it comes, the extended plan has every step once, no step needs
// one that nobody planned, and at the end everything is driven or left.
func TestExtensionLaws(t *testing.T) {
	grown := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		whole := world(r, 2+r.IntN(12))
		var order *TierOrder
		if r.IntN(4) > 0 {
			order = randomOrder(r, whole)
		}
		if _, err := Build(Input{Order: order, Snapshot: whole}); err != nil {
			continue
		}
		plan := grow(t, r, order, whole)
		if plan == nil {
			continue
		}
		grown++
		holdsTogether(t, plan)
		for i := range whole.Kustomizations {
			ref := whole.Kustomizations[i].Ref
			left := slices.ContainsFunc(plan.Left, func(l Left) bool { return l.Object == ref || slices.Contains(l.Behind, ref) })
			if !plan.Has(stepID(Ready, ref)) && !left {
				t.Errorf("seed %d: %s appeared and is neither driven nor left", seed, ref)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, render(plan, nil))
		}
	}
	if grown < 50 {
		t.Errorf("only %d of 300 random clusters grew to the end", grown)
	}
}

// grow plans for the first few Kustomizations and extends the plan until all
// are there. It returns nil when an order that is right for the whole cluster
// is wrong for a part of it.
func grow(t *testing.T, r *rand.Rand, order *TierOrder, whole Snapshot) *Plan {
	t.Helper()
	part := func(n int) Input {
		return Input{Order: order, Snapshot: Snapshot{Kustomizations: whole.Kustomizations[:n], Sources: whole.Sources}}
	}
	n := 1 + r.IntN(len(whole.Kustomizations))
	plan, err := Build(part(n))
	for err == nil && n < len(whole.Kustomizations) {
		n = min(len(whole.Kustomizations), n+1+r.IntN(3))
		var rows []PlanTier
		var steps []Step
		var left []Left
		var warnings []string
		var now *Plan
		now, err = Build(part(n))
		if err == nil {
			rows, steps, left, warnings = Extension(plan, now)
			plan = plan.Extended(rows, steps, left, warnings)
		}
	}
	if err != nil {
		return nil
	}
	return plan
}

// holdsTogether checks that a plan is closed: its steps need only each other,
// in some order, and each is in a row.
func holdsTogether(t *testing.T, p *Plan) {
	t.Helper()
	needs := map[StepID][]StepID{}
	for _, s := range p.Steps {
		if _, twice := needs[s.ID]; twice {
			t.Errorf("step %s is planned twice", s.ID)
		}
		needs[s.ID] = slices.Concat(s.DependsOn, s.After)
		if !slices.ContainsFunc(p.Tiers, func(row PlanTier) bool { return row.Name == s.Tier }) {
			t.Errorf("step %s is in tier %q, which has no row", s.ID, s.Tier)
		}
	}
	done := map[StepID]bool{}
	for range p.Steps {
		for id, all := range needs {
			done[id] = done[id] || !slices.ContainsFunc(all, func(n StepID) bool { return !done[n] })
		}
	}
	for id, all := range needs {
		if !done[id] {
			t.Errorf("step %s can never start: it needs %v", id, all)
		}
	}
}
