package tiers

import (
	"fmt"
	"strings"
)

// cause says in one sentence why ref gets a step of this verb.
func (p *planner) cause(v Verb, ref Ref) string {
	k := p.rel.all[ref]
	switch v {
	case Resume:
		return "suspended on the cluster; " + p.place(ref)
	case Applied:
		return fmt.Sprintf("it waits for %s, which can only start once it has applied its set", some(p.waited[ref]))
	case Ready:
		if k.Missing {
			return "does not exist yet; " + p.place(ref)
		}
		if len(p.waited[ref]) > 0 {
			return fmt.Sprintf("%s; it is Ready only after %s", p.place(ref), some(p.waited[ref]))
		}
	case Probe, PreApply, Served, Handover: // probes say their own, and repairs are not planned here
	}
	return p.place(ref)
}

// place says what puts ref where it is in the plan.
func (p *planner) place(ref Ref) string {
	at := p.tier[ref]
	if !p.listed {
		return fmt.Sprintf("level %d of the dependency graph", at+1)
	}
	if !p.joined[ref] {
		return fmt.Sprintf("tier %d of TIER_ORDER lists it", at+1)
	}
	if deps := p.rel.dependencies(ref); len(deps) > 0 {
		return fmt.Sprintf("no tier lists it; it depends on %s", some(deps))
	}
	return "no tier lists it"
}

func (p *planner) probeCause(tier int) string {
	return fmt.Sprintf("tier %d of TIER_ORDER is done only when this holds", tier+1)
}

func (p *planner) sourceCause(ref Ref, users int) string {
	cause := fmt.Sprintf("%d Kustomizations come from it", users)
	if users == 1 {
		cause = "a Kustomization comes from it"
	}
	if p.sources[ref] == nil {
		return "does not exist yet; " + cause
	}
	return cause
}

// some names up to three refs and counts the rest.
func some(refs []Ref) string {
	const most = 3
	var names []string
	for _, ref := range refs[:min(most, len(refs))] {
		names = append(names, ref.NamespacedName())
	}
	s := strings.Join(names, ", ")
	if rest := len(refs) - most; rest > 0 {
		s += fmt.Sprintf(" and %d more", rest)
	}
	return s
}
