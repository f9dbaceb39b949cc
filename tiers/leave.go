package tiers

import (
	"fmt"
	"slices"

	"github.com/standup-sh/standup/tiers/graph"
)

// leave finds what stays suspended, and what cannot start because of it. Both
// are without steps. What is left and Settled holds nothing back.
func (p *planner) leave() {
	p.idle = map[Ref]bool{}
	held := p.held()
	blocks := p.blocks(held)
	for ref, why := range held {
		p.idle[ref] = true
		l := Left{Object: ref, Why: why}
		if !p.settled(ref) {
			for _, b := range blocks.Behind(ref) {
				if _, itself := held[b]; !itself {
					l.Behind = append(l.Behind, b)
				}
			}
		}
		p.left = append(p.left, l)
	}
	slices.SortFunc(p.left, func(a, b Left) int { return a.Object.Compare(b.Object) })
	for _, l := range p.left {
		for _, b := range l.Behind {
			p.idle[b] = true
		}
	}
}

// held says of each suspended object that the run leaves alone why it does.
func (p *planner) held() map[Ref]string {
	held := map[Ref]string{}
	for ref, k := range p.rel.all {
		if k.Suspension == SuspendedInGit {
			held[ref] = "suspended in git"
		}
		if k.Suspension == SuspendedLive {
			t := &p.order.Tiers[p.tier[ref]]
			if t.Leaves(p.order.Defaults.Namespace, ref) {
				held[ref] = fmt.Sprintf("leaveSuspended of tier %q", t.Name)
			}
		}
		if s := p.sources[k.Source]; s != nil && s.Suspension == SuspendedInGit {
			held[s.Ref] = "suspended in git"
		}
	}
	return held
}

func (p *planner) settled(ref Ref) bool {
	if k := p.rel.all[ref]; k != nil {
		return k.Settled
	}
	return p.sources[ref] != nil && p.sources[ref].Settled
}

// blocks is the graph of what cannot start: through dependsOn, through the
// source, and as a child that does not exist yet. A child that exists can be
// driven although its parent is not.
func (p *planner) blocks(held map[Ref]string) *graph.Graph[Ref] {
	g := graph.New(Ref.Compare)
	depend := func(from, to Ref) {
		if _, left := held[to]; !left || !p.settled(to) {
			g.Depend(from, to)
		}
	}
	for ref := range held {
		g.Add(ref)
	}
	for ref, k := range p.rel.all {
		for _, d := range p.rel.dependencies(ref) {
			depend(ref, d)
		}
		if parent, ok := p.rel.parent(ref); ok && k.Missing {
			depend(ref, parent)
		}
		if _, left := held[k.Source]; left {
			depend(ref, k.Source)
		}
	}
	return g
}

// warnWaitingParents names the parents that are driven and wait for a child
// that is not. Whether the child's old status satisfies them only Flux can
// tell, so this is no reason to leave them out.
func (p *planner) warnWaitingParents() {
	for _, ref := range p.driven {
		for _, w := range p.rel.waitsFor(ref) {
			if p.idle[w] && !p.settled(w) {
				p.warn("%s waits for the health of %s, which is left suspended or stays behind what is: it may not turn Ready", ref.NamespacedName(), w.NamespacedName())
			}
		}
	}
}
