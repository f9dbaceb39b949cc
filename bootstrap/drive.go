package bootstrap

import (
	"context"
	"fmt"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// drive is what the run remembers of driving one step. What the cluster says
// is never remembered, only looked at again.
type drive struct {
	deadline time.Time // zero: none

	blocked, failed, webhook *waiters.Pacer
	nextNudge                time.Time // no nudge before then

	attempts   int  // passes that standup caused: un-suspends and nudges
	resumed    bool // standup cleared spec.suspend in this step
	cause      waiters.Cause
	causeSince time.Time
	existed    bool // the object was seen

	explained     waiters.Observation // what keeps its health checks waiting
	progressSince time.Time           // when to explain the current stretch of Progressing from
	busySince     time.Time           // start of the current stretch of Progressing
	busy          time.Duration       // the first stretches since the cause stands
	tries         int                 // and how many there were
	inspecting    string              // the pass whose applied objects a worker looks at
	inspected     string              // the pass whose applied objects were all seen to be current

	stopInspecting context.CancelFunc

	reviving     string // the pass whose releases a worker gets going again
	stopReviving context.CancelFunc
	releases     map[waiters.Target]*release // and what was done about each so far
	unfounded    int                         // how often none of them had given up after all

	stamp     string    // the object's resource version when it was last looked at
	stampedAt time.Time // and since when it is that

	diagnosing bool             // a worker looks for the reason of a missing kind
	diagnosed  time.Time        // when it was looked for last
	diagnosis  *wedge.Diagnosis // what was found; nil while nothing was
	unclear    string           // why nothing could be found, as it was last told

	awaitingKind bool // a worker waits for the kind that was missing
	kindServed   bool // it has come since the last attempt
	contradicted int  // attempts that missed a kind which was served all along
	counted      int  // attempts that were looked at for that

	stopWriting   context.CancelFunc // gives up on a write that is being retried
	settled       bool               // what the write was to bring about is there
	gone          bool               // the object was deleted during the run
	leftSuspended bool
	because       string
}

func newDrive(p Pace) drive {
	return drive{blocked: p.Blocked.Pacer(), failed: p.Failed.Pacer(), webhook: p.Webhook.Pacer()}
}

// look judges one started step and acts on it.
func (r *run) look(s *step, now time.Time) {
	if !s.drive.deadline.IsZero() && !s.endsByItself() {
		if !now.Before(s.drive.deadline) {
			r.fail(s, ErrOutOfTime)
			return
		}
		s.dueAt(s.drive.deadline)
	}
	switch s.Verb {
	case tiers.Resume:
		r.lookResume(s, now)
	case tiers.Applied:
		r.lookApplied(s, now)
	case tiers.Ready:
		if s.Object.Kind == tiers.KindKustomization {
			r.lookKustomization(s, now)
		} else {
			r.lookSource(s, now)
		}
	case tiers.Probe:
		r.probe(s)
	case tiers.PreApply:
		r.lookPreApply(s)
	case tiers.Served:
		r.lookServed(s)
	case tiers.Handover:
		r.lookHandover(s)
	}
}

// endsByItself reports whether a worker ends the step at its deadline: it knows
// what was last seen, and says more than that time ran out.
func (s *step) endsByItself() bool {
	switch s.Verb {
	case tiers.PreApply, tiers.Served, tiers.Handover:
		return s.working
	case tiers.Resume, tiers.Applied, tiers.Ready, tiers.Probe:
	}
	return false
}

// observe records a sight and tells of it when it is a new one.
func (r *run) observe(s *step, o waiters.Observation, now time.Time) {
	if s.looked && o == s.seen {
		return
	}
	s.seen, s.looked = o, true
	if o.State != waiters.Missing {
		s.drive.existed = true
	}
	s.drive.count(o.State, now)
	switch {
	case o.State == waiters.Progressing && s.drive.progressSince.IsZero():
		s.drive.progressSince = now
	case o.State != waiters.Progressing:
		s.drive.progressSince = time.Time{}
	}
	if o.Cause.Kind != waiters.NoCause && o.Cause.Kind != s.drive.cause.Kind {
		s.drive.cause, s.drive.causeSince, s.drive.busy, s.drive.tries = o.Cause, now, 0, 0
	}
	if o.State == waiters.Ready {
		s.drive.cause = waiters.Cause{}
	}
	if s.drive.cause.Class != waiters.NeedsAction && o.State != waiters.Blocked && o.State != waiters.Missing {
		r.moved = now
	}
	r.emit(event.StepObserved{Step: s.ID, Seen: o})
}

// resumeAgain is how long the watch may take to show that a suspend is lifted.
const resumeAgain = 30 * time.Second

// lookResume lifts a suspend and is done when the watch shows it lifted.
func (r *run) lookResume(s *step, now time.Time) {
	suspension := r.seq.World.Suspension(s.Object)
	switch {
	case !r.exists(s.Object):
		s.drive.gone = true
		r.finish(s, event.StepFinished{Outcome: event.Skipped, Because: fmt.Sprintf("%s no longer exists", s.Object)})
	case s.working:
		// The watch may tell of the write before its own answer does.
	case suspension == tiers.NotSuspended:
		r.succeed(s)
	case suspension == tiers.SuspendedInGit:
		r.leave(s)
	case s.drive.resumed && now.Before(s.drive.nextNudge):
		// The write was accepted; the watch will show it, unless somebody undid
		// it before the watch saw it.
		s.dueAt(s.drive.nextNudge)
	default:
		s.drive.nextNudge = now.Add(resumeAgain)
		r.resume(s)
	}
}

// leave ends a step because git declares its object suspended, which only
// showed after the plan was made.
func (r *run) leave(s *step) {
	s.drive.leftSuspended = true
	r.emit(event.Warned{Object: s.Object, Message: fmt.Sprintf("%s is suspended in git: it and what is behind it are left alone", s.Object)})
	r.finish(s, event.StepFinished{Outcome: event.Skipped, Because: fmt.Sprintf("%s is suspended in git", s.Object)})
}

func (r *run) exists(ref tiers.Ref) bool {
	if ref.Kind == tiers.KindKustomization {
		return r.seq.World.Kustomization(ref) != nil
	}
	_, ok := r.seq.World.Source(ref)
	return ok
}

// quiet reports whether nothing but s and its like is moving, and for how long
// that has been so. As long as something moves it may bring what s lacks.
func (r *run) quiet(s *step, now time.Time) time.Duration {
	for _, o := range r.steps {
		if o == s || !o.running() || o.Object == s.Object {
			continue
		}
		if o.moving() {
			return 0
		}
	}
	since := r.moved
	if s.drive.causeSince.After(since) {
		since = s.drive.causeSince
	}
	return now.Sub(since) - s.drive.busy
}

// fairTries is how many attempts an object gets, however long they take.
const fairTries = 3

// count adds up how long the object's controller was at work: an attempt that
// runs its health checks for minutes is no silence. After some attempts that
// all ended the same it is.
func (d *drive) count(state waiters.State, now time.Time) {
	switch {
	case state == waiters.Progressing && d.busySince.IsZero():
		d.busySince = now
	case state != waiters.Progressing && !d.busySince.IsZero():
		if d.tries++; d.tries <= fairTries {
			d.busy += now.Sub(d.busySince)
		}
		d.busySince = time.Time{}
	}
}

// moving reports whether a step may still bring something about by itself.
func (s *step) moving() bool {
	switch s.Verb {
	case tiers.Probe, tiers.Handover:
		return false // these only look
	case tiers.PreApply, tiers.Served:
		return true // each has its own, short, time
	case tiers.Resume, tiers.Applied, tiers.Ready:
	}
	if s.drive.reviving != "" {
		return true
	}
	switch s.drive.cause.Class {
	case waiters.NeedsAction, waiters.Terminal:
		return false
	case waiters.Passing, waiters.NoClass:
	}
	switch s.seen.State {
	case waiters.Progressing, waiters.Retrying, waiters.Stale, waiters.Unknown:
		return true
	case waiters.Missing, waiters.Suspended, waiters.Blocked, waiters.Stalled, waiters.Ready:
	}
	return false
}
