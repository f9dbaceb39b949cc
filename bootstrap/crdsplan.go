package bootstrap

import (
	"fmt"
	"slices"
	"time"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
)

// crdsPlan draws the plan of `standup crds`.
type crdsPlan struct {
	world    World
	patience time.Duration
	plan     *tiers.Plan
	drawn    map[tiers.StepID]bool
}

// draw breaks each standing wedge and sees its set applied. For the wedges that
// stand behind those it drives what leads to them: they are diagnosed again,
// and broken, when their turn has come.
func (b *crdsPlan) draw(p *Prescription) {
	var handovers []tiers.Step
	for _, d := range p.Diagnoses {
		if d.Wedged() || d.Stale.Kind != "" || d.Asked {
			handovers = append(handovers, b.wedge(d)...)
		}
	}
	for _, d := range p.Looming {
		b.lead(d.Kustomization)
		b.applied(d.Kustomization, nil, fmt.Sprintf("it would be wedged next: %s", d.Summary()))
	}
	for _, h := range handovers {
		b.add(h)
	}
}

// wedge draws the repair of one wedge, and returns the handovers, which come
// last.
func (b *crdsPlan) wedge(d *wedge.Diagnosis) []tiers.Step {
	id := stepID(tiers.Applied, d.Kustomization)
	var handovers []tiers.Step
	var applied, served []tiers.StepID
	for _, st := range repairSteps(d, tiers.Step{ID: id}, b.patience) {
		switch st.Verb {
		case tiers.Handover:
			handovers = append(handovers, st)
			continue
		case tiers.Served:
			served = append(served, st.ID)
		case tiers.PreApply:
			applied = append(applied, st.ID)
		case tiers.Resume, tiers.Applied, tiers.Ready, tiers.Probe:
		}
		b.add(st)
	}
	if d.Stale.Kind != "" {
		// What its health checks miss has been applied: only Ready proves that the
		// controller sees it now.
		b.ready(d.Kustomization, d.Summary())
		return nil
	}
	if len(served) == 0 {
		served = applied // what was missing is no kind
	}
	if !b.applied(d.Kustomization, served, d.Summary()) {
		return nil // it is suspended: nothing is handed over before it is resumed
	}
	return handovers
}

// ready draws the step that drives a Kustomization to Ready, unless it is
// suspended.
func (b *crdsPlan) ready(ref tiers.Ref, why string) {
	if b.suspended(ref) {
		return
	}
	b.add(tiers.Step{ID: stepID(tiers.Ready, ref), Verb: tiers.Ready, Object: ref, Cause: why})
}

func (b *crdsPlan) suspended(ref tiers.Ref) bool {
	if !b.world.Kustomization(ref).Spec.Suspend {
		return false
	}
	b.plan.Warnings = append(b.plan.Warnings, fmt.Sprintf("%s is suspended: `standup resume` lets it apply its set", ref))
	return true
}

// applied draws the step that sees a Kustomization apply its set, unless it is
// suspended.
func (b *crdsPlan) applied(ref tiers.Ref, needs []tiers.StepID, why string) bool {
	if b.suspended(ref) {
		return false
	}
	for _, dep := range dependenciesOf(b.world.Kustomization(ref)) {
		if id := stepID(tiers.Ready, dep); b.drawn[id] {
			needs = append(needs, id)
		}
	}
	b.add(tiers.Step{ID: stepID(tiers.Applied, ref), Verb: tiers.Applied, Object: ref, DependsOn: needs, Cause: why})
	return true
}

// lead draws Ready steps for everything that ref depends on, directly or not,
// and that is not yet as its dependents want it.
func (b *crdsPlan) lead(ref tiers.Ref) {
	for _, dep := range dependenciesOf(b.world.Kustomization(ref)) {
		k, id := b.world.Kustomization(dep), stepID(tiers.Ready, dep)
		if k == nil || b.drawn[id] || satisfiesDependents(k, wanted(b.world, k)) {
			continue
		}
		b.drawn[id] = true // before its own: dependsOn may go round
		b.lead(dep)
		var needs []tiers.StepID
		for _, before := range dependenciesOf(k) {
			if b.planned(stepID(tiers.Ready, before)) {
				needs = append(needs, stepID(tiers.Ready, before))
			}
		}
		if applied := stepID(tiers.Applied, dep); b.planned(applied) {
			needs = append(needs, applied)
		}
		b.plan.Steps = append(b.plan.Steps, tiers.Step{
			ID: id, Verb: tiers.Ready, Object: dep, DependsOn: needs, Cause: fmt.Sprintf("%s, which would be wedged next, waits for it", ref),
		})
	}
}

func (b *crdsPlan) planned(id tiers.StepID) bool {
	return slices.ContainsFunc(b.plan.Steps, func(s tiers.Step) bool { return s.ID == id })
}

func (b *crdsPlan) add(st tiers.Step) {
	if !b.drawn[st.ID] {
		b.drawn[st.ID] = true
		b.plan.Steps = append(b.plan.Steps, st)
	}
}
