package bootstrap

import (
	"context"
	"fmt"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// message is what a worker tells the run: a sight when seen is set, a write of
// its own when acted is set, else the result of its work.
type message struct {
	step  tiers.StepID
	seen  *waiters.Observation
	acted *event.StepActed
	done  func(r *run, s *step, err error) // runs in the run's goroutine
	err   error
}

// work runs do in a worker on behalf of s. A worker never touches the run's
// state; done does, in the run's own goroutine. The worker's context ends with
// the step's deadline, or with the function returned.
func (r *run) work(s *step, do func(ctx context.Context, seen func(waiters.Observation)) error, done func(*run, *step, error)) context.CancelFunc {
	ctx, cancel := context.WithCancel(r.ctx)
	if !s.drive.deadline.IsZero() {
		cancel()
		ctx, cancel = context.WithDeadline(r.ctx, s.drive.deadline)
	}
	id := s.ID
	r.workers++
	go func() {
		defer cancel()
		err := do(ctx, func(o waiters.Observation) {
			select {
			case r.inbox <- message{step: id, seen: &o}:
			case <-ctx.Done():
			}
		})
		r.inbox <- message{step: id, done: done, err: err} // always read: the loop drains
	}()
	return cancel
}

// receive takes a worker's word. A finished step listens no more.
func (r *run) receive(m message) {
	s := r.byID[m.step]
	switch {
	case m.seen != nil:
		if s.running() {
			r.observe(s, *m.seen, time.Now())
		}
		return
	case m.acted != nil:
		r.tellActed(s, *m.acted)
		return
	}
	r.workers--
	if s.outcome == event.Pending {
		s.dirty = true
		m.done(r, s, m.err)
	}
}

// tellActed tells of a worker's write, also of one that outlived its step.
func (r *run) tellActed(s *step, acted event.StepActed) {
	if !s.running() {
		r.emit(event.Warned{Object: s.Object, Message: fmt.Sprintf("%s was %s as the run ended: %s", s.Object, acted.Action, acted.Cause)})
		return
	}
	r.moved = time.Now()
	r.emit(acted)
}

// resume clears spec.suspend.
func (r *run) resume(s *step) {
	s.working = true
	ref := s.Object
	r.write(s, func(ctx context.Context) error { return r.seq.Writer.Resume(ctx, ref) }, func(r *run, s *step) {
		s.drive.resumed = true
		s.drive.attempts++
		r.moved = time.Now()
		r.emit(event.StepActed{Step: s.ID, Action: event.Resumed, Cause: s.Cause})
	})
}

// nudge asks the controller to look at s's object now, unless one was asked
// too recently. The pacer decides how soon the next may follow.
func (r *run) nudge(s *step, now time.Time, pace *waiters.Pacer, why string) {
	if s.working {
		return
	}
	if now.Before(s.drive.nextNudge) {
		s.dueAt(s.drive.nextNudge)
		return
	}
	token := now.UTC().Format(time.RFC3339Nano)
	s.working, s.drive.nextNudge = true, now.Add(pace.Next())
	ref := s.Object
	r.write(s, func(ctx context.Context) error { return r.seq.Writer.Nudge(ctx, ref, token) }, func(r *run, s *step) {
		s.drive.attempts++
		r.emit(event.StepActed{Step: s.ID, Action: event.Nudged, Cause: why})
	})
}

// write makes one change for s, trying again while that makes sense. What
// stopWriting ends is the trying: an attempt that is under way is waited for,
// so that no write goes untold.
func (r *run) write(s *step, do func(context.Context) error, done func(*run, *step)) {
	s.drive.stopWriting = r.work(s, func(ctx context.Context, _ func(waiters.Observation)) error {
		return waiters.Retry(ctx, r.seq.Pace.Write, func() error { return do(r.ctx) })
	}, func(r *run, s *step, err error) {
		s.working = false
		switch {
		case err == nil:
			done(r, s)
		case !s.drive.settled:
			r.writeFailed(s, err)
		}
	})
}

// nudgeAfter nudges when what is seen has stood for at least d.
func (r *run) nudgeAfter(s *step, now time.Time, d time.Duration, why string) {
	if s.drive.nextNudge.IsZero() {
		s.drive.nextNudge = now.Add(d)
	}
	r.nudge(s, now, s.drive.blocked, why)
}

// writeFailed ends a step whose write was refused for good, or ran out of time.
func (r *run) writeFailed(s *step, err error) {
	if r.ctx.Err() != nil {
		return // the loop ends the run and says why
	}
	if waiters.IsTerminal(err) {
		r.fail(s, err)
		return
	}
	r.fail(s, fmt.Errorf("%w: %w", ErrOutOfTime, err))
}

// probe starts the readiness probe of a tier.
func (r *run) probe(s *step) {
	if s.working {
		return
	}
	probe, timeout := r.seq.Probes(s.Tier, s.Probe)
	s.working = true
	r.work(s, func(ctx context.Context, seen func(waiters.Observation)) error {
		if timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout)
			defer cancel()
		}
		return waiters.Wait(ctx, probe, r.seq.Pace.Look, seen)
	}, func(r *run, s *step, err error) {
		switch {
		case err == nil:
			r.succeed(s)
		case r.ctx.Err() != nil:
		case isDeadline(err):
			r.fail(s, fmt.Errorf("%w: %w", ErrOutOfTime, err))
		default:
			r.fail(s, err)
		}
	})
}
