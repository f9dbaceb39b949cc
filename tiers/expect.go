package tiers

import "slices"

// expect works out what each waiting parent waits for, and in which tier each
// Kustomization can turn Ready because of it.
func (p *planner) expect() {
	p.waited = map[Ref][]Ref{}
	for _, ref := range p.driven {
		for _, w := range p.rel.waitsFor(ref) {
			if !p.idle[w] {
				p.waited[ref] = append(p.waited[ref], w)
			}
		}
	}
	p.expectMissing()
	p.late = make(map[Ref]int, len(p.rel.all))
	for _, ref := range p.driven {
		p.lateness(ref)
	}
}

// expectMissing assumes that a waiting root waits for what is listed and does
// not exist yet: on a cold cluster the children's labels, which would say so,
// are not there. Taken for independent, the root would be waited for first, and
// its children would come up behind it at the speed of Flux's timers. A root
// that something depends on is taken at its word instead.
func (p *planner) expectMissing() {
	needed := map[Ref]bool{}
	for _, k := range p.rel.all {
		for _, d := range k.DependsOn {
			needed[d] = true
		}
	}
	for _, ref := range p.driven {
		k := p.rel.all[ref]
		if k.Waits && len(k.WaitsFor) == 0 && k.Parent.IsZero() && !needed[ref] {
			p.waited[ref] = append(p.waited[ref], p.absent...)
			slices.SortFunc(p.waited[ref], Ref.Compare)
		}
	}
}

// lateness is at most one visit each: needs has no cycle.
func (p *planner) lateness(ref Ref) int {
	if at, known := p.late[ref]; known {
		return at
	}
	at := p.tier[ref]
	for _, w := range p.waited[ref] {
		at = max(at, p.lateness(w))
	}
	p.late[ref] = at
	return at
}
