package tiers

import "slices"

// sourcesLabel names the row of the sources; a tier may have the usual name.
func (p *planner) sourcesLabel() string {
	label := "sources"
	for slices.ContainsFunc(p.order.Tiers, func(t Tier) bool { return t.Name == label }) {
		label = "flux " + label
	}
	return label
}

// drawSources makes the steps of every source that something driven comes from.
// They are in front of all tiers and depend on nothing: a source that exists can
// fetch at once.
func (p *planner) drawSources() {
	label := p.sourcesLabel()
	for ref, users := range p.users {
		optional := !slices.ContainsFunc(users, func(u Ref) bool { return !p.order.Tiers[p.tier[u]].Optional })
		at := rank{tier: sourcesTier, kind: rankObject, name: ref.String()}
		add := func(v Verb, cause string) StepID {
			s := &Step{ID: stepID(v, ref), Verb: v, Object: ref, Tier: label, Timeout: p.order.Defaults.Timeout, Optional: optional, Cause: cause}
			p.steps.add(s, at)
			at.verb++
			return s.ID
		}
		live := p.sources[ref] != nil && p.sources[ref].Suspension == SuspendedLive
		cause := p.sourceCause(ref, len(users))
		if live {
			resume := add(Resume, "suspended on the cluster; "+cause)
			p.steps.edges.Depend(add(Ready, cause), resume)
			continue
		}
		add(Ready, cause)
	}
}

// missingSources lists the sources that are used and do not exist, with their
// users. Some Kustomization is going to apply them.
func (p *planner) missingSources() map[Ref][]Ref {
	missing := map[Ref][]Ref{}
	for ref, users := range p.users {
		if p.sources[ref] == nil {
			missing[ref] = users
		}
	}
	return missing
}

// deferMissingSources puts a source that does not exist behind what all of its
// users are behind: its time should not run while nothing can have applied it.
func (p *planner) deferMissingSources() {
	for ref, users := range p.missingSources() {
		common := p.rel.dependencies(users[0])
		for _, u := range users[1:] {
			deps := p.rel.dependencies(u)
			common = slices.DeleteFunc(common, func(d Ref) bool { return !slices.Contains(deps, d) })
		}
		for _, d := range common {
			if !p.idle[d] {
				p.steps.edges.Depend(stepID(Ready, ref), stepID(Ready, d))
			}
		}
	}
}

// earliest is the first tier among refs, which are never none.
func (p *planner) earliest(refs []Ref) int {
	first := p.tier[refs[0]]
	for _, ref := range refs[1:] {
		first = min(first, p.tier[ref])
	}
	return first
}
