package tiers

import (
	"cmp"
	"slices"
)

// drawEnds lists what a tier's end is made of: its Ready steps. A parent that
// waits for something in a later tier cannot be Ready by then: its Applied step
// stands in for it, and its Ready belongs to the end of that later tier.
func (p *planner) drawEnds() {
	for _, ref := range p.driven {
		at, late := p.tier[ref], p.tier[ref]
		if p.order.Barriers {
			late = p.late[ref]
		}
		p.steps.ends[late] = append(p.steps.ends[late], stepID(Ready, ref))
		if late > at {
			p.steps.ends[at] = append(p.steps.ends[at], stepID(Applied, ref))
		}
	}
	for i := range p.steps.ends {
		slices.SortFunc(p.steps.ends[i], p.steps.compare)
	}
}

// drawProbes puts each probe behind its tier. The probes of a tier that is
// wholly left or blocked are not planned: they could only fail, and would hide
// the cause.
func (p *planner) drawProbes() {
	for i := range p.order.Tiers {
		t := &p.order.Tiers[i]
		if len(t.Probes) > 0 && p.stuck(i) {
			p.warn("the probes of tier %q are left out: none of its Kustomizations can be driven", t.Name)
			continue
		}
		end := slices.Clip(p.steps.ends[i])
		for j := range t.Probes {
			probe := &t.Probes[j]
			s := &Step{
				ID: StepID(string(Probe) + ":" + t.Name + "/" + probe.Name), Verb: Probe, Tier: t.Name, Probe: probe.Name,
				Timeout: probe.Timeout, Optional: t.Optional, Cause: p.probeCause(i),
			}
			p.steps.add(s, rank{tier: i, kind: rankProbe, verb: j})
			for _, id := range end {
				p.steps.edges.Depend(s.ID, id)
			}
			p.steps.ends[i] = append(p.steps.ends[i], s.ID)
		}
	}
}

// stuck reports whether a tier has members, none of which is driven, and not
// all of which are Settled.
func (p *planner) stuck(tier int) bool {
	stuck := false
	for ref := range p.rel.all {
		if p.tier[ref] != tier {
			continue
		}
		if !p.idle[ref] {
			return false
		}
		stuck = stuck || !p.settled(ref)
	}
	return stuck
}

// drawBarriers puts the first step of everything behind the tiers in front.
func (p *planner) drawBarriers() {
	behind := func(id StepID, tier int) {
		if front := p.front(tier); len(front) > 0 {
			barrier := barrierID(tier)
			if _, drawn := p.steps.rank[barrier]; !drawn {
				p.steps.rank[barrier] = rank{tier: tier, kind: rankBarrier}
				for _, end := range front {
					p.steps.edges.Depend(barrier, end)
				}
			}
			p.steps.edges.Depend(id, barrier)
		}
	}
	for _, ref := range p.driven {
		behind(p.first(ref), p.tier[ref])
	}
	for id, s := range p.steps.byID {
		if s.Verb == Probe && len(p.steps.edges.DependsOn(id)) == 0 {
			behind(id, p.steps.rank[id].tier)
		}
	}
	for ref, users := range p.missingSources() {
		behind(stepID(Ready, ref), p.earliest(users))
	}
}

// front lists what the barrier of a tier consists of: the end of the nearest
// tier in front that has steps, which points further by itself. An optional
// tier may be skipped over a failure, so the one in front of it counts too.
func (p *planner) front(tier int) []StepID {
	if front, known := p.fronts[tier]; known {
		return front
	}
	var front []StepID
	for i := tier - 1; i >= 0; i-- {
		front = append(front, p.steps.ends[i]...)
		if slices.ContainsFunc(p.steps.ends[i], func(id StepID) bool { return !p.steps.byID[id].Optional }) {
			break
		}
	}
	slices.SortFunc(front, p.steps.compare)
	front = slices.Clip(front) // it is shared
	p.fronts[tier] = front
	return front
}

// rows lists the tiers of the plan with their members in plan order; what has
// no steps comes last.
func (p *planner) rows(position map[Ref]int) []PlanTier {
	var rows []PlanTier
	if len(p.users) > 0 {
		rows = append(rows, PlanTier{Name: p.sourcesLabel(), Parallel: p.order.Defaults.Parallel})
	}
	members := make([][]Ref, len(p.order.Tiers))
	for ref := range p.rel.all {
		members[p.tier[ref]] = append(members[p.tier[ref]], ref)
	}
	for i := range p.order.Tiers {
		t := &p.order.Tiers[i]
		slices.SortFunc(members[i], func(a, b Ref) int {
			return cmp.Or(cmp.Compare(at(position, a), at(position, b)), a.Compare(b))
		})
		rows = append(rows, PlanTier{Name: t.Name, Optional: t.Optional, Parallel: p.order.Defaults.Parallel, Listed: p.listed, Members: members[i]})
	}
	return rows
}

func at(position map[Ref]int, ref Ref) int {
	if i, known := position[ref]; known {
		return i
	}
	return len(position) + 1<<30
}
