package rehearsal

import (
	"slices"

	"github.com/standup-sh/standup/tiers/graph"
)

// blame explains what stands still: which waits are causes, and whom each keeps
// back.
type blame struct {
	m     *model
	stuck []*unit
	order map[*unit]int
	waits *graph.Graph[*unit]
	// behind has, for a unit that was asked about, everything that waits for it.
	behind map[*unit]map[*unit]bool
	causes map[*unit][]cause
}

// cause is one wait that nothing ends.
type cause struct {
	unit *unit
	wait wait
	by   *creator // what would bring what is missing, where that is in the way
	Finding
}

func (m *model) blame() *blame {
	b := &blame{m: m, order: map[*unit]int{}, behind: map[*unit]map[*unit]bool{}, causes: map[*unit][]cause{}}
	for i, u := range m.units {
		b.order[u] = i
		if !u.ready && (u.created || u.isKustomization()) {
			b.stuck = append(b.stuck, u)
		}
	}
	b.waits = graph.New(func(x, y *unit) int { return b.order[x] - b.order[y] })
	for _, u := range b.stuck {
		b.waits.Add(u)
		for _, w := range b.waitsOf(u) {
			for _, on := range b.heldBy(w) {
				if on != u || w.on == u { // one may depend on itself
					b.waits.Depend(u, on)
				}
			}
		}
	}
	for _, u := range b.stuck {
		for _, w := range b.waitsOf(u) {
			if c, ok := b.judge(u, w); ok {
				b.causes[u] = append(b.causes[u], c)
			}
		}
	}
	b.cycles()
	return b
}

// waitsOf are a unit's waits; one that was never made waits for who makes it.
func (b *blame) waitsOf(u *unit) []wait {
	if u.created {
		return u.waits
	}
	var waits []wait
	for _, p := range u.node.parents {
		waits = append(waits, wait{how: waitParent, on: b.m.byNode[p]})
	}
	return waits
}

// heldBy lists the units that could end a wait and stand still themselves.
func (b *blame) heldBy(w wait) []*unit {
	if w.on != nil {
		return []*unit{w.on}
	}
	if w.need == nil {
		return nil
	}
	var held []*unit
	for _, c := range b.m.creators(*w.need) {
		held = append(held, b.maker(c))
	}
	return held
}

// maker is the unit on which a creator hangs: the Kustomization while it has not
// applied the object, then the object's own.
func (b *blame) maker(c creator) *unit {
	owner := b.m.byNode[c.node]
	if own := b.m.byObject[c.node][keyOf(c.object)]; own != nil && own.created {
		return own
	}
	return owner
}

// waitsFor reports whether a waits for b, directly or through others.
func (b *blame) waitsFor(a, on *unit) bool {
	if b.behind[on] == nil {
		b.behind[on] = map[*unit]bool{}
		for _, u := range b.waits.Behind(on) {
			b.behind[on][u] = true
		}
	}
	return b.behind[on][a]
}

// judge tells a cause from a consequence.
func (b *blame) judge(u *unit, w wait) (cause, bool) {
	c := cause{unit: u, wait: w}
	switch {
	case w.how == waitMissing:
		b.missingDependency(&c)
	case w.how == waitStalled:
		return c, b.gaveUp(&c)
	case w.how == waitExpression:
		return c, b.expression(&c)
	case w.how == waitSuspended, w.how == waitBlind, w.how == waitFault, w.how == waitRefused:
		b.own(&c)
	case w.need != nil:
		return c, b.unmet(&c)
	default:
		return c, false // whoever it waits for is asked in turn; circles see below
	}
	return c, true
}

// unmet judges a need. Alternatives that come by themselves make it a
// consequence of what holds those back.
func (b *blame) unmet(c *cause) bool {
	all := b.m.creators(*c.wait.need)
	var own, beneath, waiting *creator
	for i, x := range all {
		maker := b.maker(x)
		switch {
		case x.bringer != nil && !x.bringer.serves(*c.wait.need):
			// It brings the kind, in other versions.
		case x.node == c.unit.node && c.unit.isKustomization():
			own = first(own, &all[i])
		case maker == c.unit:
			own = first(own, &all[i])
		case c.unit.isKustomization() && x.node.descends(c.unit.node) && !b.m.byNode[x.node].created:
			beneath = first(beneath, &all[i])
		case b.waitsFor(maker, c.unit):
			waiting = first(waiting, &all[i])
		case maker.ready:
			// It came and did not bring it.
		default:
			return false
		}
	}
	if own == nil && beneath == nil && waiting == nil {
		b.nobody(c)
		return true
	}
	b.deadlock(c, own, beneath, waiting)
	return true
}

func first(a, b *creator) *creator {
	if a != nil {
		return a
	}
	return b
}

// cycles finds the circles of waits that have no cause outside of themselves.
func (b *blame) cycles() {
	for _, circle := range b.waits.Cycles() {
		if slices.ContainsFunc(circle, func(u *unit) bool { return len(b.causes[u]) > 0 }) {
			continue
		}
		b.circle(circle)
	}
}

// root finds the cause behind a unit that has none of its own: the worst, and of
// several the first.
func (b *blame) root(u *unit) (*unit, *cause) {
	seen := map[*unit]bool{u: true}
	var best *cause
	var at *unit
	for queue := []*unit{u}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for i := range b.causes[v] {
			if c := &b.causes[v][i]; v != u && (best == nil || c.Verdict.rank() > best.Verdict.rank()) {
				best, at = c, v
			}
		}
		if v != u && len(b.causes[v]) > 0 {
			continue
		}
		if b.waits != nil {
			for _, d := range b.waits.DependsOn(v) {
				if !seen[d] {
					seen[d] = true
					queue = append(queue, d)
				}
			}
		}
	}
	return at, best
}
