package bootstrap

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// run is the state of one run; only its goroutine touches it.
type run struct {
	ctx     context.Context //nolint:containedctx // lives exactly as long as Sequencer.Run, which is on the stack
	seq     *Sequencer
	plan    *tiers.Plan
	stop    context.CancelCauseFunc
	inbox   chan message
	workers int

	steps []*step // plan order, added steps last
	byID  map[tiers.StepID]*step
	// latest maps a step to the newest step for the same verb and object: an
	// edge to a step is satisfied by its latest incarnation.
	latest map[tiers.StepID]tiers.StepID
	tiers  map[string]tiers.PlanTier
	busy   map[string]map[tiers.Ref]bool // tier -> Kustomizations being driven
	// readmit is set when something ended or was added: only then may a step
	// that could not start before be able to.
	readmit bool

	revisions map[tiers.Ref]string // source -> the revision that is wanted
	repairs
	known  map[tiers.Ref]bool // Kustomizations that the plan accounts for
	absent map[tiers.Ref]bool // those of them that did not exist when it was made
	moved  time.Time          // when something last made progress
	began  time.Time

	failed  []*StepError
	outside error // why the run was stopped from outside
	ended   bool
	events  int
}

// step is the state of one planned step.
type step struct {
	tiers.Step
	base    tiers.StepID // ID without the "#n" of a repetition
	outcome event.Outcome
	started time.Time // zero until started
	drive   drive
	seen    waiters.Observation
	looked  bool // seen is meaningful
	dirty   bool
	due     time.Time // look again at the latest then; zero means only when something changes
	working bool      // a worker is busy for this step
	failure *StepError
}

func newRun(s *Sequencer, plan *tiers.Plan, ctx context.Context, stop context.CancelCauseFunc) *run { //nolint:revive // ctx follows the receiver-like s and plan
	r := &run{
		ctx: ctx, seq: s, plan: plan, stop: stop,
		inbox:     make(chan message),
		byID:      make(map[tiers.StepID]*step, len(plan.Steps)),
		latest:    make(map[tiers.StepID]tiers.StepID, len(plan.Steps)),
		tiers:     make(map[string]tiers.PlanTier, len(plan.Tiers)),
		busy:      map[string]map[tiers.Ref]bool{},
		revisions: map[tiers.Ref]string{},
		known:     map[tiers.Ref]bool{},
		absent:    map[tiers.Ref]bool{},
		moved:     time.Now(),
		began:     time.Now(),
		repairs:   newRepairs(),
	}
	for _, dx := range s.Diagnoses {
		r.learn(dx)
	}
	for _, src := range s.World.Sources() {
		if src.Artifact != nil {
			r.revisions[tiers.Ref{Kind: src.Kind, Namespace: src.Namespace, Name: src.Name}] = src.Artifact.Revision
		}
	}
	r.addTiers(plan.Tiers)
	r.addSteps(plan.Steps)
	r.addLeft(plan.Left)
	return r
}

func (r *run) addTiers(added []tiers.PlanTier) {
	for _, t := range added {
		r.tiers[t.Name] = t
		for _, m := range t.Members {
			r.known[m] = true
		}
	}
}

func (r *run) addSteps(added []tiers.Step) {
	for _, st := range added {
		base := baseOf(st.ID)
		s := &step{Step: st, base: base, dirty: true}
		r.steps = append(r.steps, s)
		r.byID[st.ID] = s
		r.latest[base] = st.ID
		r.known[st.Object] = true
		if st.Object.Kind == tiers.KindKustomization && r.seq.World.Kustomization(st.Object) == nil {
			r.absent[st.Object] = true
		}
	}
	r.readmit = true
}

func (r *run) addLeft(left []tiers.Left) {
	for _, l := range left {
		r.known[l.Object] = true
		for _, b := range l.Behind {
			r.known[b] = true
		}
	}
}

// takeChanges marks what has to be looked at again.
func (r *run) takeChanges(changed []tiers.Ref) {
	if len(changed) == 0 {
		return
	}
	touched := make(map[tiers.Ref]bool, len(changed))
	for _, ref := range changed {
		touched[ref] = true
		if ref.Kind != tiers.KindKustomization {
			r.sourceChanged(ref)
		}
	}
	for _, s := range r.steps {
		// What is blocked waits for other objects than its own.
		if touched[s.Object] || (s.running() && s.seen.State == waiters.Blocked) {
			s.dirty = true
		}
	}
	r.adopt(changed)
	r.unlatch(touched)
}

// advance looks at every step that has a reason to be looked at, and starts
// what may start, until nothing changes any more.
func (r *run) advance() {
	for again := true; again && !r.ended; {
		again = r.admit()
		now := time.Now()
		for _, s := range r.steps {
			if r.ended || !s.running() || (!s.dirty && !s.isDue(now)) {
				continue
			}
			s.dirty, s.due = false, time.Time{}
			r.look(s, now)
			again = again || s.outcome != event.Pending
		}
	}
}

func (s *step) running() bool { return !s.started.IsZero() && s.outcome == event.Pending }

func (s *step) isDue(now time.Time) bool { return !s.due.IsZero() && !now.Before(s.due) }

// dueAt asks for another look at t, or earlier when one was asked for already.
func (s *step) dueAt(t time.Time) {
	if s.due.IsZero() || t.Before(s.due) {
		s.due = t
	}
}

// untilDue is how long the loop may sleep.
func (r *run) untilDue() time.Duration {
	const idle = time.Hour // everything that matters wakes the loop by itself
	next := time.Time{}
	for _, s := range r.steps {
		if s.running() && !s.due.IsZero() && (next.IsZero() || s.due.Before(next)) {
			next = s.due
		}
	}
	if next.IsZero() {
		return idle
	}
	return max(0, time.Until(next))
}

// complete reports whether the run is over, after a last look at everything
// that was Ready once.
func (r *run) complete() bool {
	if r.ended {
		return true
	}
	for _, s := range r.steps {
		if s.outcome == event.Pending {
			return false
		}
	}
	return !r.sweep()
}

// abandon ends the run from outside: by its deadline, a signal, a lost lock.
func (r *run) abandon(cause error) {
	if r.ended {
		return
	}
	r.ended = true
	if errors.Is(cause, context.DeadlineExceeded) {
		r.expire()
		return
	}
	r.outside = cause
	for _, s := range r.steps {
		if s.outcome == event.Pending {
			r.finish(s, event.StepFinished{Outcome: event.Cancelled, Err: cause})
		}
	}
}

// expire ends the run because its time is over: what is in flight fails and
// says what it last saw, what waits for that is skipped because of it.
func (r *run) expire() {
	for _, s := range r.steps {
		if s.running() {
			r.fail(s, ErrOutOfTime)
		}
	}
	for _, f := range r.failed {
		r.skipBehind(r.byID[f.Step.ID])
	}
	for _, s := range r.steps {
		if s.outcome == event.Pending {
			r.finish(s, event.StepFinished{Outcome: event.Cancelled, Err: ErrOutOfTime})
		}
	}
	if len(r.failed) == 0 {
		r.outside = ErrOutOfTime
	}
}

// result names causes only. What a non-optional step was skipped for counts
// even when it is optional itself: something that was wanted is not there.
func (r *run) result() error {
	for _, s := range r.steps {
		if s.outcome != event.Skipped || s.Optional {
			continue
		}
		if root := r.byID[tiers.StepID(s.drive.because)]; root != nil && root.Optional && root.failure != nil {
			r.blame(root.failure)
		}
	}
	if len(r.failed) == 0 && r.outside == nil {
		return nil
	}
	return &RunError{Steps: r.failed, Cause: r.outside}
}

func (r *run) blame(f *StepError) {
	if !slices.Contains(r.failed, f) {
		r.failed = append(r.failed, f)
	}
}

func (r *run) emit(b event.Body) {
	r.events++
	r.seq.Sink.Emit(event.Event{Seq: r.events, Time: time.Now(), Run: r.seq.ID, Body: b})
}
