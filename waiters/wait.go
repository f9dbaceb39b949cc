package waiters

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Probe looks once and never sleeps.
//
// An absent object is Missing, not an error. An error means that the look
// itself failed; Wait tries again unless the error is marked by TerminalError.
type Probe interface {
	Name() string
	Observe(ctx context.Context) (Observation, error)
}

// ErrStalled is the cause of a WaitError that ended on a Stalled observation.
var ErrStalled = errors.New("stalled")

// WaitError reports a wait that ended without Ready.
type WaitError struct {
	Probe  string
	Last   Observation   // last successful look; its State is Unknown if there was none
	Look   error         // last failed look, nil if the last look worked
	Waited time.Duration // wall time
	Cause  error         // ErrStalled, a terminal look error, or the context's cause
}

// Error names the probe, the cause, the time spent and the last thing seen.
func (e *WaitError) Error() string {
	seen := "nothing seen"
	switch {
	case e.Look != nil:
		seen = fmt.Sprintf("last look failed: %v", e.Look)
	case e.Last.State != Unknown:
		seen = fmt.Sprintf("last seen %s/%s: %s", e.Last.State, e.Last.Reason, e.Last.Message)
	}
	return fmt.Sprintf("%s: %v after %s (%s)", e.Probe, e.Cause, e.Waited.Round(time.Second), seen)
}

// Unwrap exposes Cause to errors.Is and errors.As.
func (e *WaitError) Unwrap() error { return e.Cause }

// Wait looks at p until it is Ready, and returns a *WaitError if it becomes
// Stalled, a look fails for good, or ctx ends first. notify, which may be nil,
// sees an observation only when it differs from the one before.
func Wait(ctx context.Context, p Probe, pol Policy, notify func(Observation)) error {
	w := wait{probe: p, notify: notify}
	start := time.Now()
	err := repeat(ctx, pol.Pacer(), func() (bool, error) { return w.look(ctx) })
	if err == nil {
		return nil
	}
	if errors.Is(err, errEnded) {
		err = context.Cause(ctx)
	}
	return &WaitError{Probe: p.Name(), Last: w.last, Look: w.failed, Waited: time.Since(start), Cause: err}
}

type wait struct {
	probe  Probe
	notify func(Observation)
	last   Observation
	failed error
}

func (w *wait) look(ctx context.Context) (done bool, err error) {
	seen, err := w.probe.Observe(ctx)
	if err != nil {
		// A look that was cut off by the end of the wait tells nothing new.
		if ctx.Err() == nil || w.last.State == Unknown && w.failed == nil {
			w.failed = err
		}
		return IsTerminal(err), err
	}
	w.failed = nil
	if seen != w.last {
		w.last = seen
		if w.notify != nil {
			w.notify(seen)
		}
	}
	switch seen.State {
	case Ready:
		return true, nil
	case Stalled:
		return true, ErrStalled
	case Unknown, Missing, Suspended, Blocked, Progressing, Retrying, Stale:
		return false, nil
	}
	return true, fmt.Errorf("probe returned %v", seen.State)
}
