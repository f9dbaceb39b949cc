// Package event is what a run tells the world: a closed set of event bodies,
// sent in order from one goroutine, and their fold into a State that every
// renderer reads.
package event

import (
	"fmt"
	"time"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Event is one thing that happened in a run.
type Event struct {
	Seq  int // from 1, without gaps
	Time time.Time
	Run  string // run ID
	Body Body
}

// Body is a closed set; linters check that every switch covers it.
//
//sumtype:decl
type Body interface{ sealed() }

// PlanReady is always first.
type PlanReady struct{ Plan *tiers.Plan }

// PlanExtended adds steps to the plan of a run under way: a Kustomization
// appeared, a source moved, or something that was Ready no longer is. Each
// added step gets its own StepFinished.
type PlanExtended struct {
	Tiers []tiers.PlanTier // tiers that are new; members may join old ones by Step.Tier
	Steps []tiers.Step
	Cause string
}

// PreflightChecked is one result of the checks before a run. Err is nil when
// the check passed.
type PreflightChecked struct {
	Name   string
	Detail string
	Err    error
}

// SourceMoved means that a source has a new artifact in mid-run: the wanted
// revision moves with it.
type SourceMoved struct {
	Source   tiers.Ref
	From, To string // revisions
}

// StepStarted means that the step's edges are satisfied and it is being driven.
type StepStarted struct{ Step tiers.StepID }

// StepObserved carries a change in what is seen of a step's object.
type StepObserved struct {
	Step tiers.StepID
	Seen waiters.Observation
}

// StepActed means that standup wrote to the cluster on behalf of a step.
type StepActed struct {
	Step   tiers.StepID
	Action Action
	Cause  string // why, in one sentence
}

// StepFinished is sent once per planned step, started or not.
type StepFinished struct {
	Step    tiers.StepID
	Outcome Outcome
	// Because names what a Skipped step waited for: a step, or a suspended
	// object.
	Because string
	Err     error
}

// Warned is something a person should know that does not stop the run.
type Warned struct {
	Object  tiers.Ref // zero when it concerns the run
	Message string
}

// RunFinished is always last.
type RunFinished struct{ Err error }

func (PlanReady) sealed()        {}
func (PlanExtended) sealed()     {}
func (PreflightChecked) sealed() {}
func (SourceMoved) sealed()      {}
func (StepStarted) sealed()      {}
func (StepObserved) sealed()     {}
func (StepActed) sealed()        {}
func (StepFinished) sealed()     {}
func (Warned) sealed()           {}
func (RunFinished) sealed()      {}

// Action is a kind of write.
type Action string

// Actions.
const (
	Resumed Action = "resumed" // spec.suspend was cleared
	Nudged  Action = "nudged"  // reconcile.fluxcd.io/requestedAt was set
	// Reset: a HelmRelease that helm-controller had given up was given its tries
	// anew (reconcile.fluxcd.io/resetAt was set).
	Reset Action = "reset"
	// PreApplied: an object was applied before its Kustomization could.
	PreApplied Action = "pre-applied"
	// Restarted: a controller was restarted, as its memory was out of date.
	Restarted Action = "restarted"
)

// Outcome says how a step ended. The zero Outcome means that it has not.
type Outcome int

// Outcomes.
const (
	Pending   Outcome = iota
	Succeeded         // the step's object is where it should be
	Failed            // it is not, and waiting longer will not help or is not allowed
	Skipped           // something it depends on did not succeed
	Cancelled         // the run was stopped first
)

// String returns the name used in logs and JSON.
func (o Outcome) String() string {
	switch o {
	case Pending:
		return "Pending"
	case Succeeded:
		return "Succeeded"
	case Failed:
		return "Failed"
	case Skipped:
		return "Skipped"
	case Cancelled:
		return "Cancelled"
	}
	return fmt.Sprintf("Outcome(%d)", int(o))
}

// Sink takes events from exactly one goroutine. Emit must not block on I/O it
// cannot bound and has no way to stop the run.
type Sink interface{ Emit(e Event) }

// Tee sends each event to every sink in turn.
type Tee []Sink

// Emit implements Sink.
func (t Tee) Emit(e Event) {
	for _, s := range t {
		s.Emit(e)
	}
}
