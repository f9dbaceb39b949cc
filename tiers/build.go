package tiers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Input is what a plan is made from.
type Input struct {
	// Order is the TIER_ORDER file. When it is nil the levels of the live graph
	// are the tiers, and only dependsOn orders.
	Order    *TierOrder
	Snapshot Snapshot
}

// Build plans a whole run: every step with its edges and its cause, complete
// before anything is changed. The errors are a CycleError when there is no
// order at all, an InvalidOrderError when TIER_ORDER contradicts the graph, and
// a DriftError when it wants every Kustomization listed and one is not.
func Build(in Input) (*Plan, error) {
	p := &planner{order: in.Order, snapshot: in.Snapshot, listed: in.Order != nil && len(in.Order.Tiers) > 0, fronts: map[int][]StepID{}, joined: map[Ref]bool{}}
	if err := p.arrange(); err != nil {
		return nil, err
	}
	p.leave()
	p.choose()
	p.warnDependencies()
	p.warnWaitingParents()
	p.expect()
	p.draw()
	return p.plan()
}

// planner is the state of one Build.
type planner struct {
	order    *TierOrder
	listed   bool // order is a file, not made up
	snapshot Snapshot

	rel     *relations
	tier    map[Ref]int
	joined  map[Ref]bool // in no tier of the file; drives in one nevertheless
	sources map[Ref]*Source
	absent  []Ref // listed and not in the snapshot: nothing is known of them

	left []Left
	idle map[Ref]bool // Kustomizations and sources without steps: left, or behind what is left

	driven []Ref         // Kustomizations that get steps, by tier and name
	users  map[Ref][]Ref // by source, the driven Kustomizations that come from it

	waited map[Ref][]Ref // by waiting parent: what it waits for and the plan drives
	late   map[Ref]int   // the tier in which it turns Ready: its own, or that of what it waits for

	steps  *drawing
	fronts map[int][]StepID // by tier, what its barrier consists of

	warnings []string
}

// arrange decides what is in the plan, and in which tier.
func (p *planner) arrange() error {
	p.rel = relate(p.snapshot, nil)
	if !p.listed {
		p.order = levelOrder(p.rel, numbered)
		p.warn("there is no TIER_ORDER file: the levels of the dependency graph are the tiers, and only dependsOn orders")
	}
	p.order = p.order.fill()
	placed := place(p.order, p.rel)
	if len(placed.unlisted) > 0 {
		if err := p.unlisted(placed); err != nil {
			return err
		}
	}
	if cycles := p.rel.cycles(); len(cycles) > 0 {
		return &CycleError{Cycles: cycles}
	}
	if p.order.Barriers {
		if found := contradictions(p.order, p.rel, placed); len(found) > 0 {
			slices.SortStableFunc(found, Drift.compare)
			return &InvalidOrderError{Findings: found}
		}
	}
	p.tier = placed.tier
	p.addMissing()
	p.sources = map[Ref]*Source{}
	for i := range p.snapshot.Sources {
		p.sources[p.snapshot.Sources[i].Ref] = &p.snapshot.Sources[i]
	}
	return nil
}

// unlisted applies the policy for Kustomizations that no tier lists.
func (p *planner) unlisted(placed placement) error {
	switch p.order.Unlisted {
	case UnlistedFail:
		return &DriftError{Findings: placed.unlisted}
	case UnlistedIgnore:
		skip := map[Ref]bool{}
		var names []string
		for _, d := range placed.unlisted {
			skip[d.Object] = true
			names = append(names, d.Object.NamespacedName())
		}
		slices.Sort(names)
		p.rel = relate(p.snapshot, skip)
		p.warn("ignored, because no tier lists them: %s", strings.Join(names, ", "))
	case UnlistedWait:
		for _, d := range placed.unlisted {
			p.joined[d.Object] = true
			p.warn("%s; it is taken into tier %q; %s", d.Message, d.Tier, d.Fix)
		}
	}
	return nil
}

// addMissing takes in what is listed and is not on the cluster: on a cold one
// its parent has not been applied yet. What is to stay suspended is not waited
// for, because it is likely to come suspended.
func (p *planner) addMissing() {
	for i := range p.order.Tiers {
		t := &p.order.Tiers[i]
		for _, ref := range t.Members(p.order.Defaults.Namespace) {
			if !p.rel.has(ref) && !t.Leaves(p.order.Defaults.Namespace, ref) {
				p.rel.all[ref] = &Kustomization{Ref: ref, Missing: true}
				p.absent = append(p.absent, ref)
			}
		}
	}
}

// warnDependencies reports what nothing in the plan can satisfy.
func (p *planner) warnDependencies() {
	exists := map[Ref]bool{}
	for i := range p.snapshot.Kustomizations {
		exists[p.snapshot.Kustomizations[i].Ref] = true
	}
	for _, ref := range p.rel.refs() {
		for _, d := range p.rel.all[ref].DependsOn {
			switch {
			case p.rel.has(d):
			case exists[d]:
				p.warn("%s depends on %s, which no tier lists and which is ignored", ref.NamespacedName(), d.NamespacedName())
			default:
				p.warn("%s", missingDependency(ref, d, p.rel))
			}
		}
	}
}

func (p *planner) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// choose lists what is driven, and from which sources it comes.
func (p *planner) choose() {
	for ref := range p.rel.all {
		if !p.idle[ref] {
			p.driven = append(p.driven, ref)
		}
	}
	slices.SortFunc(p.driven, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(p.tier[a], p.tier[b]), a.Compare(b))
	})
	p.users = map[Ref][]Ref{}
	for _, ref := range p.driven {
		if s := p.rel.all[ref].Source; !s.IsZero() && !p.idle[s] {
			p.users[s] = append(p.users[s], ref)
		}
	}
}
