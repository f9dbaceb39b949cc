package waiters

import (
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Defaults for the zero fields of a Policy.
const (
	defaultInitial = 250 * time.Millisecond
	defaultMax     = 5 * time.Second
	defaultFactor  = 1.5
)

// Policy paces repeated looks. It is a value; every wait builds its own Pacer.
// It has no end of its own: the context is the only deadline.
type Policy struct {
	// Initial is the first interval, Max the longest. Zero means 250 ms and 5 s.
	Initial, Max time.Duration
	// Factor is what each interval is multiplied by; zero means 1.5.
	Factor float64
	// Jitter spreads each interval by up to this part of it, both ways. Zero,
	// as in tests, means none.
	Jitter float64
}

// Pacer returns a fresh pacer.
func (p Policy) Pacer() *Pacer {
	initial := orElse(p.Initial, defaultInitial)
	return &Pacer{b: backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(initial),
		backoff.WithMaxInterval(max(orElse(p.Max, defaultMax), initial)),
		backoff.WithMultiplier(orElse(p.Factor, defaultFactor)),
		backoff.WithRandomizationFactor(p.Jitter),
		// The default gives up after 15 minutes; a cold cluster needs longer and
		// the context already bounds us.
		backoff.WithMaxElapsedTime(0),
	)}
}

// Pacer hands out growing intervals. It belongs to one goroutine.
type Pacer struct{ b *backoff.ExponentialBackOff }

// Next returns how long to wait before the next attempt.
func (p *Pacer) Next() time.Duration { return p.b.NextBackOff() }

// Reset makes the next interval the first one again.
func (p *Pacer) Reset() { p.b.Reset() }

func orElse[T time.Duration | float64](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}
