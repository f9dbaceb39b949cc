package bootstrap

import (
	"fmt"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// lookApplied waits until a parent has applied its set, so that its children
// exist as git says; its own Ready comes after theirs.
func (r *run) lookApplied(s *step, now time.Time) {
	k := r.seq.World.Kustomization(s.Object)
	want := ""
	if k != nil {
		want = wanted(r.seq.World, k)
		if waiters.AppliedAt(k, want) {
			r.observe(s, waiters.Observation{State: waiters.Ready, Reason: "Applied", Revision: want}, now)
			r.succeed(s)
			return
		}
	}
	r.observe(s, judgeKustomization(s.Object, k, want), now)
	r.judge(s, k, want, now)
}

// judgeKustomization adds what only a plan knows: an object that is wanted and
// does not exist has to be applied by somebody.
func judgeKustomization(ref tiers.Ref, k *kustomizev1.Kustomization, want string) waiters.Observation {
	o := waiters.JudgeKustomization(k, want)
	if o.State == waiters.Missing {
		o.Message = "it does not exist, and no Kustomization has applied it yet"
		o.Cause = waiters.Cause{
			Kind: waiters.NotApplied, Class: waiters.NeedsAction, Subject: ref.String(),
			Remedy: "Take it out of TIER_ORDER, or add it to the tree of a Kustomization that is applied.",
		}
	}
	return o
}

// Look judges one Kustomization as a run would see it now.
func Look(w World, ref tiers.Ref) waiters.Observation {
	k := w.Kustomization(ref)
	if k == nil {
		return judgeKustomization(ref, nil, "")
	}
	return judgeKustomization(ref, k, wanted(w, k))
}

// lookKustomization drives one Kustomization to Ready at its source's current
// revision.
func (r *run) lookKustomization(s *step, now time.Time) {
	k := r.seq.World.Kustomization(s.Object)
	want := ""
	if k != nil {
		want = wanted(r.seq.World, k)
	}
	seen := judgeKustomization(s.Object, k, want)
	if s.drive.reviving != "" {
		// The worker says more, until there is something newer to look at.
		if s.drive.reviving != passOf(k, want) || seen.State == waiters.Ready && hasHealthChecks(k) {
			s.drive.stopReviving()
		}
		return
	}
	if s.drive.inspecting != "" && s.drive.inspecting != passOf(k, want) {
		s.drive.stopInspecting() // what it looks at is no longer what is applied
	}
	if s.drive.inspecting != "" && (seen.State == waiters.Ready || seen.State == waiters.Progressing) {
		return // the worker that looks at the applied objects says more
	}
	if seen.State == waiters.Ready && r.unproven(s, k, want) {
		r.observe(s, waiters.Observation{
			State: waiters.Progressing, Reason: "Applied", Revision: want,
			Message: fmt.Sprintf("applied; looking at its %d objects", len(k.Status.Inventory.Entries)),
		}, now)
		r.inspect(s, k, want)
		return
	}
	if seen.State != waiters.Progressing {
		s.drive.explained = waiters.Observation{}
	} else if s.drive.explained.State == waiters.Progressing {
		seen = s.drive.explained // says which object is not healthy yet
	}
	r.observe(s, seen, now)
	r.judge(s, k, want, now)
}

// unproven reports whether Ready means no more than applied: its controller
// did not look at what it applied, and neither did standup in this pass.
func (r *run) unproven(s *step, k *kustomizev1.Kustomization, want string) bool {
	return !hasHealthChecks(k) && k.Status.Inventory != nil && len(k.Status.Inventory.Entries) > 0 &&
		s.drive.inspected != passOf(k, want)
}

// passOf names one outcome of applying: a revision of the tree and a
// generation of the spec.
func passOf(k *kustomizev1.Kustomization, want string) string {
	if k == nil {
		return ""
	}
	return fmt.Sprintf("%s/%d", want, k.Generation)
}

// judge decides what to do about what was just seen.
func (r *run) judge(s *step, k *kustomizev1.Kustomization, want string, now time.Time) {
	switch s.seen.State {
	case waiters.Ready:
		// Not settled: about to reconcile once more, and the end of that wakes us.
		switch {
		case !waiters.Settled(k, want):
		case s.working:
			s.drive.settled = true
			s.drive.stopWriting() // the end of the write wakes us
		default:
			r.succeed(s)
		}
	case waiters.Missing:
		r.missing(s, now)
	case waiters.Suspended:
		r.suspended(s)
	case waiters.Blocked:
		r.blocked(s, k, now)
	case waiters.Retrying:
		r.retrying(s, want, now)
	case waiters.Stalled:
		r.fail(s, nil)
	case waiters.Stale:
		// A new artifact wakes its consumers by itself; only when that does
		// not happen within a moment is a nudge due.
		r.nudgeAfter(s, now, time.Second, "it is Ready at an older revision and was not woken")
	case waiters.Progressing, waiters.Unknown:
		r.explain(s, k, want, now)
		r.unstick(s, k, want, now)
	}
}

// missing waits for the parent of an object that does not exist yet.
func (r *run) missing(s *step, now time.Time) {
	if s.drive.existed || !r.absent[s.Object] {
		r.emit(event.Warned{Object: s.Object, Message: fmt.Sprintf("%s was deleted during the run", s.Object)})
		// What depends on it is not skipped for it: a commit that takes an object
		// out usually takes the dependsOn out as well, and where it does not, the
		// dependent itself says so.
		s.drive.gone = true
		r.finish(s, event.StepFinished{Outcome: event.Skipped, Because: fmt.Sprintf("%s was deleted during the run", s.Object)})
		return
	}
	r.failWhenQuiet(s, now)
}

// suspended is seen when somebody suspends an object after it was resumed.
func (r *run) suspended(s *step) {
	if r.seq.World.Suspension(s.Object) == tiers.SuspendedInGit {
		r.leave(s)
		return
	}
	if s.drive.resumed || s.working {
		return
	}
	if r.resumedBefore(s) {
		r.fail(s, fmt.Errorf("%s was suspended again during the run", s.Object))
		return
	}
	r.resume(s) // it appeared, or was suspended, after the plan was made
}

func (r *run) resumedBefore(s *step) bool {
	o := r.newest(stepID(tiers.Resume, s.Object))
	return o != nil && o.drive.resumed
}

// blocked nudges an object whose dependencies are all Ready and settled:
// kustomize-controller looks at them again only every 30 s.
func (r *run) blocked(s *step, k *kustomizev1.Kustomization, now time.Time) {
	for _, d := range k.Spec.DependsOn {
		ns := d.Namespace
		if ns == "" {
			ns = k.Namespace
		}
		ref := tiers.KustomizationRef(ns, d.Name)
		dep := r.seq.World.Kustomization(ref)
		switch {
		case dep == nil:
			r.failWhenQuiet(s, now)
			return
		case d.ReadyExpr != "":
			// An expression replaces the built-in test; only the controller
			// can evaluate it, and an attempt is cheap.
		case dep.Spec.Suspend && satisfiesDependents(dep, wanted(r.seq.World, dep)):
			// Left suspended, and Ready as it stands: the controller asks no more.
		case !waiters.Settled(dep, wanted(r.seq.World, dep)) && !satisfiesElsewhere(k, dep):
			return
		}
	}
	r.nudge(s, now, s.drive.blocked, "all that it depends on is Ready")
}

// satisfiesElsewhere: the revision gate holds only between Kustomizations of
// one source; with another source a dependency may be Ready at any revision.
func satisfiesElsewhere(k, dep *kustomizev1.Kustomization) bool {
	return sourceOf(k) != sourceOf(dep) && waiters.Settled(dep, "")
}

// retrying nudges an object whose last attempt failed, or gives it up.
func (r *run) retrying(s *step, want string, now time.Time) {
	cause := s.seen.Cause
	pacer, why := s.drive.failed, fmt.Sprintf("its last attempt failed: %s", causeText(s.seen))
	if cause.Kind == waiters.WebhookUnavailable {
		pacer = s.drive.webhook
	}
	if cause.Kind == waiters.HelmRetriesExhausted && r.revive(s, now) {
		return
	}
	ours := r.attempts(s) > 0 && (want == "" || s.seen.Revision == "" || s.seen.Revision == want)
	if !ours {
		// The attempt is older than what it waited for, or than the source.
		r.nudge(s, now, pacer, "its last attempt was made before what it needs was there")
		return
	}
	switch cause.Class {
	case waiters.Terminal:
		r.fail(s, nil)
		return
	case waiters.NeedsAction:
		if cause.Kind == waiters.MissingKind || cause.Kind == waiters.MissingNamespace {
			r.diagnose(s, now)
		}
		if r.failWhenQuiet(s, now) {
			return
		}
	case waiters.Passing, waiters.NoClass:
	}
	if cause.Kind == waiters.MissingKind && !r.awaitKind(s, now) {
		return
	}
	s.drive.kindServed = false
	r.nudge(s, now, pacer, why)
}

// attempts counts the passes that standup caused since the object's first step.
func (r *run) attempts(s *step) int {
	n := s.drive.attempts
	for _, verb := range []tiers.Verb{tiers.Resume, tiers.Applied} {
		if o := r.newest(stepID(verb, s.Object)); o != nil && o != s {
			n += o.drive.attempts
		}
	}
	return n
}

// failWhenQuiet gives up on a cause that needs action once nothing else in the
// run moves and the grace is over. It reports whether it did.
func (r *run) failWhenQuiet(s *step, now time.Time) bool {
	quiet, patience := r.quiet(s, now), r.seq.Pace.patience(s.seen.Cause.Kind)
	if quiet >= patience {
		r.fail(s, s.drive.wedged())
		return true
	}
	s.dueAt(now.Add(patience - quiet))
	return false
}

func causeText(o waiters.Observation) string {
	if o.Cause.Kind != waiters.NoCause && o.Cause.Kind != waiters.Unclassified {
		return string(o.Cause.Kind)
	}
	return o.Reason
}
