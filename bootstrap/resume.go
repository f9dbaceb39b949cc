package bootstrap

import (
	"context"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
)

// ControllerBudget is how long a preflight waits for Flux's controllers to
// become available: on a rebuild they have just been installed.
const ControllerBudget = 2 * time.Minute

// Resume is the use case behind `standup resume`.
type Resume struct {
	Sequencer
	Inspector Inspector
	// Namespace is where Flux's controllers and the lock are.
	Namespace string
}

// Run checks, plans and drives. It changes nothing before the plan is made.
// The errors are those of Preflight, of tiers.Build and of Sequencer.Run; every
// one of them has been told to the sink as the end of a run.
func (c *Resume) Run(ctx context.Context) error {
	checks, err := Preflight(ctx, c.Inspector, c.World, c.Namespace, c.Order, c.Pace.Look, ControllerBudget)
	if err != nil {
		return c.refuse(checks, err)
	}
	plan, err := tiers.Build(tiers.Input{Order: c.Order, Snapshot: Snapshot(c.World)})
	if err != nil {
		return c.refuse(checks, err)
	}
	c.Preflight = checks
	return c.Sequencer.Run(ctx, plan)
}

// refuse tells the sink of a run that ended before it had a plan.
func (s *Sequencer) refuse(checks []event.PreflightChecked, err error) error {
	bodies := []event.Body{event.PlanReady{Plan: &tiers.Plan{}}}
	for _, p := range checks {
		bodies = append(bodies, p)
	}
	for i, b := range append(bodies, event.RunFinished{Err: err}) {
		s.Sink.Emit(event.Event{Seq: i + 1, Time: time.Now(), Run: s.ID, Body: b})
	}
	return err
}
