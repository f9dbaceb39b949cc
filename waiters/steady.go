package waiters

import (
	"context"
	"fmt"
	"time"
)

// Steady wraps p so that it counts as Ready only once it has been Ready at
// every look for d. A failed look proves nothing, so it does not start the
// count again. The result belongs to one wait.
func Steady(p Probe, d time.Duration) Probe {
	return &steady{Probe: p, hold: d}
}

type steady struct {
	Probe
	hold  time.Duration
	since time.Time // zero while not Ready
}

// Observe implements Probe.
func (s *steady) Observe(ctx context.Context) (Observation, error) {
	seen, err := s.Probe.Observe(ctx)
	if err != nil {
		return seen, err
	}
	if seen.State != Ready {
		s.since = time.Time{}
		return seen, nil
	}
	now := time.Now()
	if s.since.IsZero() {
		s.since = now
	}
	if now.Sub(s.since) >= s.hold {
		return seen, nil
	}
	// The message does not count down: observations are compared, and each
	// change is an event.
	seen.State, seen.Reason = Progressing, "Settling"
	seen.Message = fmt.Sprintf("ready; must stay so for %s", s.hold)
	return seen, nil
}
