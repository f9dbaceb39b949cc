package waiters

import (
	"slices"
	"testing"
	"time"
)

func intervals(p *Pacer, n int) []time.Duration {
	var all []time.Duration
	for range n {
		all = append(all, p.Next())
	}
	return all
}

func TestPacer(t *testing.T) {
	for _, tc := range []struct {
		name string
		pol  Policy
		want []time.Duration
	}{
		{"grows to its limit", Policy{Initial: time.Second, Max: 5 * time.Second, Factor: 2}, []time.Duration{1e9, 2e9, 4e9, 5e9, 5e9}},
		{"zero factor is 1.5", Policy{Initial: 4 * time.Second, Max: time.Minute}, []time.Duration{4e9, 6e9, 9e9}},
		{"zero policy", Policy{}, []time.Duration{250e6, 375e6, 562500000}},
		{"limit below the start", Policy{Initial: 10 * time.Second, Max: time.Second}, []time.Duration{10e9, 10e9}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := tc.pol.Pacer()
			if got := intervals(p, len(tc.want)); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
			p.Reset()
			if got := p.Next(); got != tc.want[0] {
				t.Errorf("after Reset: %s", got)
			}
		})
	}
}

func TestPacerJitter(t *testing.T) {
	p := Policy{Initial: time.Second, Max: time.Second, Jitter: 0.2}.Pacer()
	for range 200 {
		if d := p.Next(); d < 800*time.Millisecond || d > 1201*time.Millisecond {
			t.Fatalf("%s is out of bounds", d)
		}
	}
}

// A pacer never stops by itself: backoff.Stop is negative.
func TestPacerNeverStops(t *testing.T) {
	p := Policy{Initial: time.Hour, Max: 24 * time.Hour}.Pacer()
	for range 1000 {
		if p.Next() <= 0 {
			t.Fatal("the pacer stopped")
		}
	}
}
