package bootstrap

import (
	"context"
	"fmt"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// PreApplied is the annotation of an object that standup applied before its
// Kustomization could; its value is the run. kustomize-controller does not
// know it, so that it is gone once Flux has applied the object itself: that is
// the handover.
const PreApplied = "standup/pre-applied"

// Seeder applies an object as its Kustomization would.
type Seeder interface {
	// Seed applies the object server-side as field manager kustomize-controller,
	// without forcing: the fields of others are never taken. With dryRun the API
	// server only says whether it would. A refusal that a retry does not change
	// is a waiters.TerminalError.
	Seed(ctx context.Context, object *unstructured.Unstructured, dryRun bool) error
}

// Repair is what a run needs in order to break wedges.
type Repair struct {
	Doctor Diagnoser
	Seeder Seeder
	// Restarter restarts a controller whose memory is out of date; nil leaves
	// that to a person.
	Restarter Restarter
}

// Restarter restarts Flux's controllers.
type Restarter interface {
	// Restart marks the pods of a controller with token, so that they are
	// replaced.
	Restart(ctx context.Context, controller, token string) error
}

// Diagnoser finds out why a Kustomization fails on a missing kind. It is
// implemented by wedge.Doctor.
type Diagnoser interface {
	Diagnose(ctx context.Context, c wedge.Case) (*wedge.Diagnosis, error)
	// Denied looks for what could permit an object that admission refuses.
	Denied(ctx context.Context, c wedge.Case, message string) (*wedge.Denial, error)
	// PreApply diagnoses, and adds objects of the set by name.
	PreApply(ctx context.Context, c wedge.Case, names []tiers.Ref) (*wedge.Diagnosis, error)
}

// caseOf is what a diagnosis of one Kustomization is made of.
func caseOf(w World, ref tiers.Ref, says schema.GroupVersionKind) wedge.Case {
	return wedge.Case{
		Kustomization: w.Kustomization(ref), Says: says, All: w.Kustomizations(),
		Behind: tiers.BehindOf(Snapshot(w), ref),
		Comes:  comesByItself,
	}
}

// diagnoseAgain is how long a diagnosis holds: what was about to bring a kind
// may have failed since.
const diagnoseAgain = 15 * time.Second

// diagnose finds out why an object fails on a missing kind, and extends the
// plan when something can be done about it. The object goes on being nudged
// meanwhile as if nothing were known.
func (r *run) diagnose(s *step, now time.Time) {
	if r.seq.Repair == nil || s.drive.diagnosing {
		return
	}
	if next := s.drive.diagnosed.Add(diagnoseAgain); now.Before(next) {
		s.dueAt(next)
		return
	}
	s.drive.diagnosing = true
	c := caseOf(r.seq.World, s.Object, saidMissing(s.seen))
	var dx *wedge.Diagnosis
	r.work(s, func(ctx context.Context, _ func(waiters.Observation)) (err error) {
		dx, err = r.seq.Repair.Doctor.Diagnose(ctx, c)
		return err
	}, func(r *run, s *step, err error) {
		s.drive.diagnosing, s.drive.diagnosed = false, time.Now()
		if r.ctx.Err() != nil {
			return
		}
		if err != nil {
			if text := err.Error(); text != s.drive.unclear {
				s.drive.unclear = text
				r.emit(event.Warned{Object: s.Object, Message: fmt.Sprintf("why %s fails on a missing kind could not be found out: %s", s.Object, text)})
			}
			return
		}
		s.drive.diagnosis = dx
		if dx.Repairable() && dx.Wedged() {
			r.repair(s, dx)
		}
	})
}

// repair extends the plan by what breaks a wedge. What an earlier diagnosis
// has planned already is not planned twice.
func (r *run) repair(s *step, dx *wedge.Diagnosis) {
	var steps []tiers.Step
	for _, st := range repairSteps(dx, s.Step, r.seq.Pace.Patience) {
		if _, planned := r.latest[st.ID]; !planned {
			steps = append(steps, st)
		}
	}
	if len(steps) == 0 {
		return
	}
	r.learn(dx)
	r.moved = time.Now()
	r.extend(nil, steps, fmt.Sprintf("%s is wedged: %s", s.Object, dx.Summary()))
}

// repairs is what a run knows of the wedges that it breaks.
type repairs struct {
	seeds   map[tiers.StepID]wedge.Seed  // by pre-apply step
	awaited map[tiers.StepID]awaitedKind // by served step
	foreign map[tiers.Ref]string         // objects that exist and are not Flux's, and whose they are

	restarted map[string]bool // controllers that were held to be out of date
}

// awaitedKind is a kind and the object that brings it.
type awaitedKind struct {
	gvk      schema.GroupVersionKind
	provider tiers.Ref
}

func newRepairs() repairs {
	return repairs{
		seeds: map[tiers.StepID]wedge.Seed{}, awaited: map[tiers.StepID]awaitedKind{}, foreign: map[tiers.Ref]string{},
		restarted: map[string]bool{},
	}
}

// learn remembers the objects and kinds that the steps of a diagnosis are about.
func (r *repairs) learn(dx *wedge.Diagnosis) {
	for _, seed := range dx.Seeds {
		r.seeds[stepID(tiers.PreApply, seed.Ref())] = seed
		for _, gvk := range seed.Await {
			r.awaited[servedID(gvk.GroupKind())] = awaitedKind{gvk: gvk}
		}
	}
	for i := range dx.Missing {
		m := &dx.Missing[i]
		r.awaited[servedID(m.GroupKind())] = awaitedKind{gvk: m.GroupVersionKind, provider: m.Provider.Ref()}
	}
}

func kindRef(gk schema.GroupKind) tiers.Ref {
	return tiers.Ref{Kind: tiers.KindKind, Name: gk.String()}
}

func servedID(gk schema.GroupKind) tiers.StepID { return stepID(tiers.Served, kindRef(gk)) }

// repairSteps are the steps that break one wedge, on behalf of the step that
// drives the wedged Kustomization.
func repairSteps(dx *wedge.Diagnosis, driven tiers.Step, patience time.Duration) []tiers.Step {
	var steps, handovers []tiers.Step
	add := func(st tiers.Step) tiers.StepID {
		st.Tier, st.Optional = driven.Tier, driven.Optional
		steps = append(steps, st)
		return st.ID
	}
	served := map[schema.GroupKind]tiers.StepID{}
	await := func(gvk schema.GroupVersionKind, behind []tiers.StepID, why string) tiers.StepID {
		gk := gvk.GroupKind()
		if _, planned := served[gk]; !planned {
			served[gk] = add(tiers.Step{ID: servedID(gk), Verb: tiers.Served, Object: kindRef(gk), DependsOn: behind, Cause: why, Timeout: patience})
		}
		return served[gk]
	}
	var last []tiers.StepID
	for _, seed := range dx.Seeds {
		needs := last
		for _, gvk := range seed.Await {
			needs = append(needs[:len(needs):len(needs)], await(gvk, last, fmt.Sprintf("%s is of that kind", seed.Ref())))
		}
		id := add(tiers.Step{ID: stepID(tiers.PreApply, seed.Ref()), Verb: tiers.PreApply, Object: seed.Ref(), DependsOn: needs, Cause: seed.Why, Timeout: patience})
		if seed.Owner == dx.Kustomization {
			handovers = append(handovers, tiers.Step{
				ID: stepID(tiers.Handover, seed.Ref()), Verb: tiers.Handover, Object: seed.Ref(),
				DependsOn: []tiers.StepID{id, driven.ID}, Tier: driven.Tier, Optional: driven.Optional,
				Cause: fmt.Sprintf("%s makes it its own when it applies its set", seed.Owner), Timeout: patience,
			})
		}
		last = []tiers.StepID{id}
	}
	for i := range dx.Missing {
		m := &dx.Missing[i]
		why := fmt.Sprintf("%s uses it, and %s brings it", m.Object.Ref(), m.Provider.Ref())
		if m.Provider.IsZero() {
			why = fmt.Sprintf("%s uses it, and what was asked for should bring it", m.Object.Ref())
		}
		if m.Shape.Wedged() {
			await(m.GroupVersionKind, last, why)
		}
	}
	return append(steps, handovers...)
}

// saidMissing is the kind that a controller says is missing; zero when it says
// something else.
func saidMissing(seen waiters.Observation) schema.GroupVersionKind {
	if seen.Cause.Kind != waiters.MissingKind {
		return schema.GroupVersionKind{}
	}
	return waiters.MissingGVK(seen.Message)
}

// wedged is why an object fails for good on a missing kind, as far as it was
// found out; nil when what was last seen says it all.
func (d *drive) wedged() error {
	if d.diagnosis == nil || !d.diagnosis.Wedged() || d.cause.Kind != waiters.MissingKind && d.cause.Kind != waiters.MissingNamespace {
		return nil
	}
	return &wedge.Error{Diagnoses: []*wedge.Diagnosis{d.diagnosis}}
}

// comesByItself reports whether a Kustomization will apply its set without
// anybody's help: it is not suspended, and did not fail.
func comesByItself(k *kustomizev1.Kustomization) bool {
	switch waiters.JudgeKustomization(k, "").State {
	case waiters.Suspended, waiters.Stalled, waiters.Retrying:
		return false
	case waiters.Unknown, waiters.Missing, waiters.Blocked, waiters.Progressing, waiters.Stale, waiters.Ready:
	}
	return true
}
