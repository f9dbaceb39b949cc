package tiers

import (
	"cmp"
	"slices"

	"github.com/standup-sh/standup/tiers/graph"
)

// drawing is the graph of the steps. Its order of vertices is the order of the
// plan, so that every list taken from it is in plan order.
type drawing struct {
	byID map[StepID]*Step
	rank map[StepID]rank
	// edges holds DependsOn, and one extra vertex a tier that stands for its
	// barrier: a barrier of n behind m steps costs n+m edges, not n*m.
	edges *graph.Graph[StepID]
	// soft are the edges of children to the parents that apply them. They keep
	// a parent from undoing a child; where they close a cycle they give way.
	soft [][2]StepID
	// ends lists, by tier, what must have ended before the tier has.
	ends [][]StepID
}

// rank orders steps that the edges leave free: by tier, then object, then verb.
type rank struct {
	tier, kind int
	name       string
	verb       int
}

// Kinds of rank within a tier.
const (
	rankBarrier = iota
	rankObject
	rankProbe
)

const sourcesTier = -1

func newDrawing(tiers int) *drawing {
	d := &drawing{byID: map[StepID]*Step{}, rank: map[StepID]rank{}, ends: make([][]StepID, tiers)}
	d.edges = graph.New(d.compare)
	return d
}

func (d *drawing) compare(a, b StepID) int {
	ra, rb := d.rank[a], d.rank[b]
	return cmp.Or(cmp.Compare(ra.tier, rb.tier), cmp.Compare(ra.kind, rb.kind),
		cmp.Compare(ra.name, rb.name), cmp.Compare(ra.verb, rb.verb), cmp.Compare(a, b))
}

func (d *drawing) add(s *Step, r rank) {
	d.rank[s.ID] = r
	d.byID[s.ID] = s
	d.edges.Add(s.ID)
}

// stepID names a step on an object.
func stepID(v Verb, ref Ref) StepID { return StepID(string(v) + ":" + ref.String()) }

func barrierID(tier int) StepID { return StepID("barrier:" + numbered(tier, nil)) }

// draw makes every step and every edge.
func (p *planner) draw() {
	p.steps = newDrawing(len(p.order.Tiers))
	p.drawSources()
	for _, ref := range p.driven {
		p.drawSteps(ref)
	}
	for _, ref := range p.driven {
		p.drawEdges(ref)
	}
	p.deferMissingSources()
	p.cutOwnership()
	p.drawEnds()
	p.drawProbes()
	if p.order.Barriers {
		p.drawBarriers()
	}
}

// verbs are the steps that ref gets, in the order in which they happen.
func (p *planner) verbs(ref Ref) []Verb {
	var verbs []Verb
	if p.rel.all[ref].Suspension == SuspendedLive {
		verbs = append(verbs, Resume)
	}
	if len(p.waited[ref]) > 0 {
		verbs = append(verbs, Applied)
	}
	return append(verbs, Ready)
}

// first is the step of ref that holds its edges.
func (p *planner) first(ref Ref) StepID { return stepID(p.verbs(ref)[0], ref) }

func (p *planner) drawSteps(ref Ref) {
	at := p.tier[ref]
	t := &p.order.Tiers[at]
	for i, v := range p.verbs(ref) {
		s := &Step{ID: stepID(v, ref), Verb: v, Object: ref, Tier: t.Name, Timeout: t.Timeout, Optional: t.Optional, Cause: p.cause(v, ref)}
		p.steps.add(s, rank{tier: at, kind: rankObject, name: ref.NamespacedName(), verb: i})
		if i > 0 {
			p.steps.edges.Depend(s.ID, stepID(p.verbs(ref)[i-1], ref))
		}
	}
}

// drawEdges draws what must have succeeded before ref starts, and before a
// waiting parent can be Ready.
func (p *planner) drawEdges(ref Ref) {
	first := p.first(ref)
	if s := p.rel.all[ref].Source; !s.IsZero() && !p.idle[s] {
		p.steps.edges.Depend(first, stepID(Ready, s))
	}
	for _, d := range p.rel.dependencies(ref) {
		if !p.idle[d] {
			p.steps.edges.Depend(first, stepID(Ready, d))
		}
	}
	for _, w := range p.waited[ref] {
		p.steps.edges.Depend(stepID(Ready, ref), stepID(Ready, w))
	}
	if parent, ok := p.rel.parent(ref); ok && !p.idle[parent] {
		p.drawParent(ref, parent)
	}
}

// drawParent puts a child behind the parent that applies it, unless TIER_ORDER
// wants it the other way round.
func (p *planner) drawParent(ref, parent Ref) {
	if p.order.Barriers && p.tier[parent] > p.tier[ref] {
		p.warn("tier %q is in front of tier %q, but %s applies %s: its next apply may undo what is done to it",
			p.order.Tiers[p.tier[ref]].Name, p.order.Tiers[p.tier[parent]].Name, parent.NamespacedName(), ref.NamespacedName())
		return
	}
	to := stepID(Ready, parent)
	if len(p.waited[parent]) > 0 {
		to = stepID(Applied, parent)
	}
	p.steps.soft = append(p.steps.soft, [2]StepID{p.first(ref), to})
	p.steps.edges.Depend(p.first(ref), to)
}

// cutOwnership removes the edges to parents that close a cycle: two that apply
// each other, or a parent that depends on its own child. On a running cluster
// both come up; the hard edges alone have no cycle.
func (p *planner) cutOwnership() {
	if len(p.steps.soft) == 0 {
		return
	}
	component := map[StepID]int{}
	for i, c := range p.steps.edges.Components() {
		for _, id := range c {
			component[id] = i
		}
	}
	for _, e := range p.steps.soft {
		if component[e[0]] != component[e[1]] {
			continue
		}
		p.steps.edges.Cut(e[0], e[1])
		child, parent := p.steps.byID[e[0]].Object, p.steps.byID[e[1]].Object
		p.warn("%s applies %s, which it needs or which applies it: on an empty cluster neither could come first", parent.NamespacedName(), child.NamespacedName())
	}
}

// plan lists the steps in order and fills in their edges.
func (p *planner) plan() (*Plan, error) {
	order, err := p.steps.edges.Order()
	if err != nil {
		return nil, err // the checks of arrange and cutOwnership leave no cycle
	}
	plan := &Plan{Cluster: p.order.Cluster, Left: p.left, Warnings: p.warnings}
	position := map[Ref]int{}
	for _, id := range order {
		s := p.steps.byID[id]
		if s == nil {
			continue // a barrier
		}
		barrier := -1
		for _, d := range p.steps.edges.DependsOn(id) {
			if r := p.steps.rank[d]; r.kind == rankBarrier {
				barrier = r.tier
				continue
			}
			s.DependsOn = append(s.DependsOn, d)
		}
		if barrier >= 0 {
			s.After = without(p.front(barrier), s.DependsOn)
		}
		if _, seen := position[s.Object]; !seen {
			position[s.Object] = len(plan.Steps)
		}
		plan.Steps = append(plan.Steps, *s)
	}
	plan.Tiers = p.rows(position)
	return plan, nil
}

// without returns ids less what is in drop. Where nothing is, all steps behind
// one barrier share the same list.
func without(ids, drop []StepID) []StepID {
	if !slices.ContainsFunc(drop, func(id StepID) bool { return slices.Contains(ids, id) }) {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id StepID) bool { return slices.Contains(drop, id) })
}
