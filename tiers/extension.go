package tiers

import (
	"reflect"
	"slices"
)

// Has reports whether the plan has the step.
func (p *Plan) Has(id StepID) bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.ID == id })
}

// Extension returns only what p, as extended so far, does not have of now, the
// plan for what the cluster has become: on a cold cluster Kustomizations appear
// when their parent is applied. A new step may join a tier that p has. A Left
// whose Behind has changed is returned again.
func Extension(p, now *Plan) (tiers []PlanTier, steps []Step, left []Left, warnings []string) {
	known := make(map[StepID]bool, len(p.Steps))
	for i := range p.Steps {
		known[p.Steps[i].ID] = true
	}
	rows := map[string]bool{}
	for i := range p.Tiers {
		rows[p.Tiers[i].Name] = true
	}
	for _, t := range now.Tiers {
		if !rows[t.Name] {
			tiers = append(tiers, t)
		}
	}
	for i := range now.Steps {
		if !known[now.Steps[i].ID] {
			steps = append(steps, now.Steps[i])
		}
	}
	for _, l := range now.Left {
		if !slices.ContainsFunc(p.Left, func(o Left) bool { return reflect.DeepEqual(o, l) }) {
			left = append(left, l)
		}
	}
	for _, w := range now.Warnings {
		if !slices.Contains(p.Warnings, w) {
			warnings = append(warnings, w)
		}
	}
	return tiers, steps, left, warnings
}

// Extended returns the plan with what Extension found; p itself is unchanged,
// because others may be reading it.
func (p *Plan) Extended(tiers []PlanTier, steps []Step, left []Left, warnings []string) *Plan {
	return &Plan{
		Cluster:  p.Cluster,
		Tiers:    append(slices.Clip(p.Tiers), tiers...),
		Steps:    append(slices.Clip(p.Steps), steps...),
		Left:     mergeLeft(p.Left, left),
		Warnings: append(slices.Clip(p.Warnings), warnings...),
	}
}

// mergeLeft lets a newer entry replace the one of the same object.
func mergeLeft(old, fresh []Left) []Left {
	merged := slices.Clone(old)
	for _, l := range fresh {
		if i := slices.IndexFunc(merged, func(o Left) bool { return o.Object == l.Object }); i >= 0 {
			merged[i] = l
		} else {
			merged = append(merged, l)
		}
	}
	slices.SortFunc(merged, func(a, b Left) int { return a.Object.Compare(b.Object) })
	return merged
}
