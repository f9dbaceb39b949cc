package tiers

import (
	"fmt"
	"strings"
	"time"
)

// StepID is stable across runs: verb:kind/namespace/name, and
// probe:tier/name for a probe.
type StepID string

// Verb is what a step does.
type Verb string

// Verbs, in the order in which they happen to one object.
const (
	// Resume clears spec.suspend.
	Resume Verb = "resume"
	// Applied waits until the object has applied its set at the current
	// revision. Only parents that wait for their children have this step: they
	// cannot be Ready before their children are.
	Applied Verb = "applied"
	// Ready drives the object to Ready at the current revision.
	Ready Verb = "ready"
	// Probe waits for a readiness probe of TIER_ORDER.
	Probe Verb = "probe"
	// PreApply applies one object before its Kustomization can: the provider of
	// kinds that are missing, or what a provider needs.
	PreApply Verb = "pre-apply"
	// Served waits until the API server serves a kind.
	Served Verb = "served"
	// Handover waits until Flux has made a pre-applied object its own.
	Handover Verb = "handover"
)

// Step is one thing to do to one object. Edges are law; the tier is a label.
type Step struct {
	ID     StepID
	Verb   Verb
	Object Ref    // zero for a probe; of kind "kind" for Served
	Tier   string // label
	Probe  string // name of the tier's probe, for Verb Probe

	// DependsOn must all have succeeded before the step starts.
	DependsOn []StepID
	// After must all have ended before the step starts. They are the barrier
	// between tiers; unless the tier in front is optional or the run keeps
	// going, they must have succeeded as well.
	After []StepID

	// Cause says, in one sentence, why the step is in the plan.
	Cause string
	// Timeout is the tier's; it runs from the start of the step.
	Timeout time.Duration
	// Optional is the tier's: a failure is reported and not fatal.
	Optional bool
}

// Left is a suspended object that the plan leaves alone.
type Left struct {
	Object Ref
	Why    string
	// Behind lists the Kustomizations that cannot start because of it.
	Behind []Ref
}

// PlanTier is one row of the plan, in order.
type PlanTier struct {
	Name     string
	Optional bool
	// Parallel is how many of its Kustomizations are driven at once.
	Parallel int
	// Listed is false for tiers that were made up: no TIER_ORDER, or an
	// unlisted Kustomization that joined no listed tier.
	Listed bool
	// Members are the tier's Kustomizations, in plan order.
	Members []Ref
}

// Plan is complete before anything is changed. Steps are ordered so that
// dependencies come before dependents.
type Plan struct {
	Cluster  string
	Tiers    []PlanTier
	Steps    []Step
	Left     []Left
	Warnings []string
}

// String renders one step per line; tests compare it whole.
func (p *Plan) String() string {
	var b strings.Builder
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%s %s <- %v", s.Tier, s.ID, s.DependsOn)
		if len(s.After) > 0 {
			fmt.Fprintf(&b, " after %v", s.After)
		}
		fmt.Fprintf(&b, " # %s\n", s.Cause)
	}
	for _, l := range p.Left {
		fmt.Fprintf(&b, "left %s: %s, behind it %v\n", l.Object, l.Why, l.Behind)
	}
	return b.String()
}
