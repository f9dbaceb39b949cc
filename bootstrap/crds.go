package bootstrap

import (
	"context"
	"errors"
	"iter"
	"slices"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Crds is the use case behind `standup crds`: break the wedges that stand, and
// those that stand behind them, and no more.
type Crds struct {
	Sequencer
	Inspector Inspector
	// Namespace is where Flux's controllers and the lock are.
	Namespace string
	// Only limits the command to one Kustomization; zero for all.
	Only tiers.Ref
	// Extra are objects that the operator wants applied early by name: from the
	// set of Only, in this order.
	Extra []tiers.Ref
}

// Prescription is what crds would do, and why.
type Prescription struct {
	Plan *tiers.Plan
	// Diagnoses are those of the Kustomizations that fail on a missing kind now.
	Diagnoses []*wedge.Diagnosis
	// Looming are the wedges that come into view once those are broken.
	Looming []*wedge.Diagnosis
}

// Seeds lists what would be applied, in order.
func (p *Prescription) Seeds() []wedge.Seed {
	var seeds []wedge.Seed
	for _, d := range p.Diagnoses {
		for _, s := range d.Seeds {
			if !slices.ContainsFunc(seeds, func(o wedge.Seed) bool { return o.Ref() == s.Ref() }) {
				seeds = append(seeds, s)
			}
		}
	}
	return seeds
}

// Prescribe diagnoses and plans; it changes nothing. The error is a
// *wedge.Error when a wedge stands that cannot be broken, a *PreconditionError
// when something has to be made first, or that of looking.
func (c *Crds) Prescribe(ctx context.Context) (*Prescription, error) {
	if err := checkKinds(ctx, c.Inspector); err != nil {
		return nil, err
	}
	if err := c.awaitPasses(ctx); err != nil {
		return nil, err
	}
	p := &Prescription{Plan: &tiers.Plan{Warnings: c.underWay()}}
	wedged := c.wedged()
	for _, w := range wedged {
		dx, err := c.Repair.Doctor.Diagnose(ctx, caseOf(c.World, w.ref, w.says))
		var elsewhere *wedge.ElsewhereError
		if errors.As(err, &elsewhere) && c.Only.IsZero() {
			p.Plan.Warnings = append(p.Plan.Warnings, err.Error())
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Diagnoses = append(p.Diagnoses, dx)
	}
	if err := c.extra(ctx, p); err != nil {
		return nil, err
	}
	denials, err := c.denied(ctx)
	if err != nil {
		return nil, err
	}
	if err := unbroken(p.Diagnoses, denials); err != nil {
		return p, err
	}
	if err := c.loom(ctx, p, wedged); err != nil {
		return nil, err
	}
	b := crdsPlan{world: c.World, patience: c.Pace.Patience, plan: p.Plan, drawn: map[tiers.StepID]bool{}}
	b.draw(p)
	return p, nil
}

// Refuse tells the sink of what Prescribe ended on, as the end of a run that
// changed nothing, and returns it.
func (c *Crds) Refuse(err error) error { return c.refuse(nil, err) }

// Run does what was prescribed.
func (c *Crds) Run(ctx context.Context, p *Prescription) error {
	checks, err := Preflight(ctx, c.Inspector, c.World, c.Namespace, c.Order, c.Pace.Look, ControllerBudget)
	if err != nil {
		return c.refuse(checks, err)
	}
	c.Preflight = checks
	c.Diagnoses, c.Narrow = p.Diagnoses, true
	return c.Sequencer.Run(ctx, p.Plan)
}

// failing is a Kustomization that fails on a missing kind.
type failing struct {
	ref  tiers.Ref
	says schema.GroupVersionKind
}

// wedged finds the Kustomizations whose last attempt failed on a missing kind or
// namespace, suspended since or not.
func (c *Crds) wedged() []failing {
	var found []failing
	for ref, k := range c.asked() {
		seen := waiters.JudgeKustomization(asLastTried(k), "")
		kind := seen.Cause.Kind
		if kind == waiters.MissingKind || kind == waiters.MissingNamespace || !c.Only.IsZero() {
			found = append(found, failing{ref: ref, says: saidMissing(seen)})
		}
	}
	return found
}

// asked are the Kustomizations that crds looks at.
func (c *Crds) asked() iter.Seq2[tiers.Ref, *kustomizev1.Kustomization] {
	return func(yield func(tiers.Ref, *kustomizev1.Kustomization) bool) {
		for _, k := range c.World.Kustomizations() {
			ref := tiers.KustomizationRef(k.Namespace, k.Name)
			if (c.Only.IsZero() || ref == c.Only) && !yield(ref, k) {
				return
			}
		}
	}
}

// asLastTried is k as its last attempt left it: the suspend since then is a new
// generation, which nobody looks at.
func asLastTried(k *kustomizev1.Kustomization) *kustomizev1.Kustomization {
	ready := apimeta.FindStatusCondition(k.Status.Conditions, meta.ReadyCondition)
	if !k.Spec.Suspend || ready == nil {
		return k
	}
	awake := k.DeepCopy()
	awake.Spec.Suspend, awake.Generation = false, ready.ObservedGeneration
	delete(awake.Annotations, meta.ReconcileRequestAnnotation)
	return awake
}

// unbroken is the error of the wedges that applying objects does not break.
// Whoever asks for objects by name knows what brings the kinds.
func unbroken(all []*wedge.Diagnosis, denials []*wedge.Denial) error {
	stands := &wedge.Error{Denials: denials}
	for _, d := range all {
		switch {
		case d.Asked && len(d.Unmet) > 0 || !d.Asked && d.Wedged() && !d.Repairable():
			stands.Diagnoses = append(stands.Diagnoses, d)
		case d.Wedged():
			stands.Others = append(stands.Others, d.Kustomization)
		}
	}
	if len(stands.Diagnoses)+len(stands.Denials) == 0 {
		return nil
	}
	return stands
}

// denied looks at the sets that admission refuses. Who asks for objects by name
// has found the way out already.
func (c *Crds) denied(ctx context.Context) ([]*wedge.Denial, error) {
	var found []*wedge.Denial
	for ref, k := range c.asked() {
		seen := waiters.JudgeKustomization(asLastTried(k), "")
		if len(c.Extra) > 0 || seen.Cause.Kind != waiters.AdmissionDenied {
			continue
		}
		denial, err := c.Repair.Doctor.Denied(ctx, caseOf(c.World, ref, schema.GroupVersionKind{}), seen.Message)
		if err != nil {
			return nil, err
		}
		if len(denial.Siblings) > 0 {
			found = append(found, denial)
		}
	}
	return found, nil
}

// loom looks ahead: which of the Kustomizations behind a wedge would be wedged
// themselves as soon as it is their turn.
func (c *Crds) loom(ctx context.Context, p *Prescription, standing []failing) error {
	seen := map[tiers.Ref]bool{}
	for _, w := range standing {
		seen[w.ref] = true
	}
	for _, d := range slices.Clone(p.Diagnoses) {
		for _, ref := range d.Behind {
			if seen[ref] || c.World.Kustomization(ref) == nil || !c.Only.IsZero() {
				continue
			}
			seen[ref] = true
			next, err := c.Repair.Doctor.Diagnose(ctx, caseOf(c.World, ref, schema.GroupVersionKind{}))
			if err != nil {
				continue // it cannot be built yet; it reports so itself when its turn comes
			}
			if next.Wedged() {
				p.Looming = append(p.Looming, next)
			}
		}
	}
	return ctx.Err()
}

// extra adds the objects that were asked for by name to the diagnosis of the
// Kustomization that they are in.
func (c *Crds) extra(ctx context.Context, p *Prescription) error {
	if len(c.Extra) == 0 {
		return nil
	}
	dx, err := c.Repair.Doctor.PreApply(ctx, caseOf(c.World, c.Only, schema.GroupVersionKind{}), c.Extra)
	if err != nil {
		return err
	}
	p.Diagnoses = []*wedge.Diagnosis{dx}
	return nil
}
