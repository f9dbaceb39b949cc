package bootstrap

import (
	"context"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Probes finds the probe that a plan's probe step stands for, and its timeout.
type Probes func(tier, name string) (waiters.Probe, time.Duration)

// Sequencer runs plans. All fields but Probes, Order, Fatal, Repair and
// Diagnoses are required.
type Sequencer struct {
	World  World
	Looker Looker
	Writer Writer
	Sink   event.Sink
	Probes Probes
	// Order is the TIER_ORDER file; nil when the graph's levels are the tiers.
	// New Kustomizations that appear in mid-run are placed by it.
	Order *tiers.TierOrder
	// ID names the run in events and records.
	ID string
	// Narrow drives what the plan names, and no Kustomization besides.
	Narrow bool
	// KeepGoing finishes independent branches after a failure.
	KeepGoing bool
	Pace      Pace
	// Preflight results are told after the plan.
	Preflight []event.PreflightChecked
	// Fatal ends the run at once: the lock was lost, the credentials are
	// refused.
	Fatal <-chan error
	// Repair breaks wedges that stand or appear; nil leaves them.
	Repair *Repair
	// Diagnoses are those that the plan was made from.
	Diagnoses []*wedge.Diagnosis
}

// Pace is how patient a run is. DefaultPace is for real clusters.
type Pace struct {
	// Blocked paces nudges of an object whose dependencies are all Ready.
	Blocked waiters.Policy
	// Failed paces nudges of an object whose last attempt failed.
	Failed waiters.Policy
	// Webhook paces nudges while a webhook does not answer: it comes back at
	// any moment, and one attempt is cheap.
	Webhook waiters.Policy
	// Write paces the retries of a write that failed.
	Write waiters.Policy
	// Look paces looks at objects that are not Flux's.
	Look waiters.Policy
	// Grace is how long a cause that needs action may stand, with nothing
	// else moving, before the run gives up on it. Patience is the same for
	// what an operator that is already running may still bring.
	Grace, Patience time.Duration
	// Stuck is how long an object may say that it is in progress without a
	// change, besides the time of its health checks.
	Stuck time.Duration
	// Explain is how long an object may run its health checks before standup
	// looks for what is not healthy.
	Explain time.Duration
}

// DefaultPatience is how long a run waits for what an operator brings in its own
// time, such as a kind: images have to be pulled first.
const DefaultPatience = 2 * time.Minute

// DefaultPace returns the pace for a real cluster.
func DefaultPace() Pace {
	return Pace{
		Blocked: waiters.Policy{Initial: 250 * time.Millisecond, Max: 5 * time.Second, Factor: 2},
		Failed:  waiters.Policy{Initial: time.Second, Max: 15 * time.Second, Factor: 2},
		Webhook: waiters.Policy{Initial: time.Second, Max: 3 * time.Second, Factor: 1.5},
		Write:   waiters.Policy{Initial: 200 * time.Millisecond, Max: 2 * time.Second, Factor: 2},
		Look:    waiters.Policy{Initial: 250 * time.Millisecond, Max: 3 * time.Second, Factor: 1.5},
		Grace:   20 * time.Second, Patience: DefaultPatience,
		Stuck:   30 * time.Second,
		Explain: 6 * time.Second,
	}
}

// Run carries out plan and returns nil, or a *RunError that names causes only.
// The context is the run's deadline and its interrupt: when it ends by a
// deadline what is in flight fails and says what it last saw, when it ends
// otherwise what is in flight is cancelled.
func (s *Sequencer) Run(ctx context.Context, plan *tiers.Plan) error {
	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := newRun(s, plan, work, stop)
	r.emit(event.PlanReady{Plan: plan})
	for _, p := range s.Preflight {
		r.emit(p)
	}
	for _, w := range plan.Warnings {
		r.emit(event.Warned{Message: w})
	}
	r.loop() //nolint:contextcheck // the run holds the context; see run.ctx
	err := r.result()
	r.emit(event.RunFinished{Err: err})
	return err
}

// loop is the run: look, decide, wait for the next reason to look again.
func (r *run) loop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	r.takeChanges(r.seq.World.TakeChanged())
	for {
		r.advance()
		if r.complete() {
			break
		}
		timer.Reset(r.untilDue())
		select {
		case <-r.ctx.Done():
			r.abandon(context.Cause(r.ctx))
		case err := <-r.seq.Fatal:
			r.stop(err)
			r.abandon(err)
		case <-r.seq.World.Changed():
			r.takeChanges(r.seq.World.TakeChanged())
		case m := <-r.inbox:
			r.receive(m)
		case <-timer.C:
		}
	}
	r.stop(nil)
	for r.workers > 0 { // workers stop on the context, so this always drains
		switch m := <-r.inbox; {
		case m.acted != nil:
			r.tellActed(r.byID[m.step], *m.acted)
		case m.seen == nil: // a sight is not the end of its worker
			r.workers--
		}
	}
}
