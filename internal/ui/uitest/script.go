// Package uitest writes scripted runs for the tests of everything that shows
// one, and compares what they show with golden files.
package uitest

import (
	"errors"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Start is when every scripted run starts.
func Start() time.Time { return time.Date(2026, 9, 5, 3, 12, 4, 0, time.UTC) }

// Revisions of the scripted source.
const (
	Old = "main@sha1:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"
	New = "main@sha1:1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"
)

// Script builds the events of one run. The zero Script is not ready: use
// NewScript.
type Script struct {
	Events []event.Event
	now    time.Time
	run    string
}

// NewScript begins a run.
func NewScript(run string) *Script { return &Script{now: Start(), run: run} }

// After lets time pass.
func (s *Script) After(d time.Duration) *Script {
	s.now = s.now.Add(d)
	return s
}

// Now is the time that the script has come to.
func (s *Script) Now() time.Time { return s.now }

// Emit adds any event.
func (s *Script) Emit(b event.Body) *Script {
	s.Events = append(s.Events, event.Event{Seq: len(s.Events) + 1, Time: s.now, Run: s.run, Body: b})
	return s
}

// Plan adds PlanReady.
func (s *Script) Plan(p *tiers.Plan) *Script { return s.Emit(event.PlanReady{Plan: p}) }

// Start adds StepStarted.
func (s *Script) Start(id tiers.StepID) *Script { return s.Emit(event.StepStarted{Step: id}) }

// See adds StepObserved.
func (s *Script) See(id tiers.StepID, o waiters.Observation) *Script {
	return s.Emit(event.StepObserved{Step: id, Seen: o})
}

// Resume starts the step, lifts the suspend and finishes the step.
func (s *Script) Resume(id tiers.StepID) *Script {
	return s.Start(id).Emit(event.StepActed{Step: id, Action: event.Resumed, Cause: "suspended by kubectl"}).Succeed(id)
}

// Nudge adds a nudge.
func (s *Script) Nudge(id tiers.StepID, why string) *Script {
	return s.Emit(event.StepActed{Step: id, Action: event.Nudged, Cause: why})
}

// Succeed finishes the step well.
func (s *Script) Succeed(id tiers.StepID) *Script {
	return s.Emit(event.StepFinished{Step: id, Outcome: event.Succeeded})
}

// Ready takes the Kustomization's ready step from start to Ready in d.
func (s *Script) Ready(name string, d time.Duration) *Script {
	id := ReadyID(name)
	return s.Start(id).See(id, Progressing("")).After(d).See(id, ReadyAt(Old)).Succeed(id)
}

// Fail finishes the step badly; err may be nil, when what was seen says it all.
func (s *Script) Fail(id tiers.StepID, err error) *Script {
	return s.Emit(event.StepFinished{Step: id, Outcome: event.Failed, Err: &StepError{ID: id, Err: err}})
}

// Skip finishes the steps because of another.
func (s *Script) Skip(because string, ids ...tiers.StepID) *Script {
	for _, id := range ids {
		s.Emit(event.StepFinished{Step: id, Outcome: event.Skipped, Because: because})
	}
	return s
}

// Cancel finishes the steps because the run ended.
func (s *Script) Cancel(err error, ids ...tiers.StepID) *Script {
	for _, id := range ids {
		s.Emit(event.StepFinished{Step: id, Outcome: event.Cancelled, Err: err})
	}
	return s
}

// Finish adds RunFinished.
func (s *Script) Finish(err error) *Script { return s.Emit(event.RunFinished{Err: err}) }

// State folds the events.
func (s *Script) State() *event.State {
	var st event.State
	for _, e := range s.Events {
		st.Apply(e)
	}
	return &st
}

// Play sends the events to a sink.
func (s *Script) Play(sink event.Sink) {
	for _, e := range s.Events {
		sink.Emit(e)
	}
}

// StepError is shaped like the sequencer's: it names the step and wraps the
// reason, which is nil when what was seen says it all.
type StepError struct {
	ID  tiers.StepID
	Err error
}

// Error names the step and the reason.
func (e *StepError) Error() string {
	if e.Err == nil {
		return string(e.ID) + ": failed"
	}
	return string(e.ID) + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *StepError) Unwrap() error { return e.Err }

// ExitCode is a stand-in for the CLI's table.
func ExitCode(err error) int {
	var failed *StepError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &failed):
		return 4
	}
	return 130
}

// Progressing is an observation of work under way.
func Progressing(message string) waiters.Observation {
	return waiters.Observation{State: waiters.Progressing, Reason: "Progressing", Message: message}
}

// ReadyAt is an observation of success.
func ReadyAt(revision string) waiters.Observation {
	return waiters.Observation{
		State: waiters.Ready, Reason: "ReconciliationSucceeded",
		Message: "Applied revision: " + revision, Revision: revision,
	}
}

// Unhealthy is a Deployment that does not become available.
func Unhealthy() waiters.Observation {
	return waiters.Observation{
		State: waiters.Progressing, Reason: "HealthCheck", Message: "Deployment longhorn-ui 0 of 1 available",
		Cause: waiters.Cause{
			Kind: waiters.HealthCheckTimeout, Class: waiters.Passing, Subject: "Deployment longhorn-ui",
			Remedy: "kubectl -n longhorn-system describe deployment longhorn-ui tells why its Pods do not run.",
		},
	}
}

// NoKind is the wedge of mission.md.
func NoKind() waiters.Observation {
	return waiters.Observation{
		State: waiters.Retrying, Reason: "ReconciliationFailed", Revision: Old,
		Message: "StorageProfile/longhorn-vm dry-run failed: no matches for kind \"StorageProfile\" in version \"cdi.kubevirt.io/v1beta1\"",
		Cause: waiters.Cause{
			Kind: waiters.MissingKind, Class: waiters.Terminal, Subject: "StorageProfile/longhorn-vm",
			Remedy: "standup crds applies the CDI object that brings the kind.",
		},
	}
}
