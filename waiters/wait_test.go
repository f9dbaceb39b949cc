package waiters

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// script is a probe that sees one line after the other and stays at the last.
type script struct {
	lines []line
	at    int
	times []time.Time
}

type line struct {
	seen Observation
	err  error
}

func (s *script) Name() string { return "thing" }

func (s *script) Observe(context.Context) (Observation, error) {
	s.times = append(s.times, time.Now())
	l := s.lines[min(s.at, len(s.lines)-1)]
	s.at++
	return l.seen, l.err
}

func sights(states ...State) *script {
	s := &script{}
	for _, state := range states {
		s.lines = append(s.lines, line{seen: Observation{State: state}})
	}
	return s
}

func TestWaitUntilReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sights(Missing, Progressing, Progressing, Blocked, Retrying, Suspended, Stale, Unknown, Ready)
		var told []State
		err := Wait(t.Context(), p, Policy{Initial: time.Second, Max: time.Second}, func(o Observation) { told = append(told, o.State) })
		if err != nil {
			t.Fatal(err)
		}
		want := []State{Missing, Progressing, Blocked, Retrying, Suspended, Stale, Unknown, Ready}
		if !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
		if took := p.times[len(p.times)-1].Sub(p.times[0]); took != 8*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestWaitWithoutNotify(t *testing.T) {
	if err := Wait(t.Context(), sights(Ready), Policy{}, nil); err != nil {
		t.Error(err)
	}
}

// forty minutes is longer than the 15 minutes after which backoff gives up by
// default.
func TestWaitIsBoundedByTheContextAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
		defer cancel()
		p := &script{lines: []line{{seen: Observation{State: Retrying, Reason: "ArtifactFailed", Message: "auth required"}}}}
		err := Wait(ctx, p, Policy{}, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v is not a deadline", err)
		}
		if want := "thing: context deadline exceeded after 40m0s (last seen Retrying/ArtifactFailed: auth required)"; err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	})
}

func TestWaitKeepsTheCause(t *testing.T) {
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted)
	err := Wait(ctx, sights(Progressing), Policy{}, nil)
	if !errors.Is(err, interrupted) {
		t.Errorf("got %v", err)
	}
}

func TestWaitEndsEarly(t *testing.T) {
	forbidden := TerminalError(errors.New("widgets is forbidden"))
	for _, tc := range []struct {
		name string
		p    *script
		is   error
		want string
	}{
		{
			"stalled", &script{lines: []line{{seen: Observation{State: Stalled, Reason: "InvalidSpec", Message: "bad"}}}}, ErrStalled,
			"thing: stalled after 0s (last seen Stalled/InvalidSpec: bad)",
		},
		{
			"forbidden", &script{lines: []line{{err: fmt.Errorf("look: %w", forbidden)}}}, forbidden,
			"thing: look: widgets is forbidden after 0s (last look failed: look: widgets is forbidden)",
		},
		{
			"a state that there is not", &script{lines: []line{{seen: Observation{State: 99, Reason: "R", Message: "m"}}}}, nil,
			"thing: probe returned State(99) after 0s (last seen State(99)/R: m)",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Wait(t.Context(), tc.p, Policy{}, nil)
			if err == nil || err.Error() != tc.want {
				t.Fatalf("got  %v\nwant %s", err, tc.want)
			}
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("%v is not %v", err, tc.is)
			}
		})
	}
}

func TestWaitRetriesFailedLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("connection refused")
		if err := Wait(t.Context(), &script{lines: []line{{err: refused}, {err: refused}, {seen: Observation{State: Ready}}}}, Policy{}, nil); err != nil {
			t.Error(err)
		}
	})
}

// echo fails with the context's error once that has ended, as real looks do.
type echo struct{ before line }

func (echo) Name() string { return "thing" }

func (e echo) Observe(ctx context.Context) (Observation, error) {
	timer := time.NewTimer(time.Minute)
	defer timer.Stop()
	select {
	case <-timer.C:
		return e.before.seen, e.before.err
	case <-ctx.Done():
		return Observation{}, ctx.Err()
	}
}

func TestWaitErrorTellsTheLastRealSight(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before line
		limit  time.Duration
		want   string
	}{
		{"a sight", line{seen: Observation{State: Progressing, Reason: "R", Message: "m"}}, 90 * time.Second, "thing: context deadline exceeded after 1m30s (last seen Progressing/R: m)"},
		{"a failed look", line{err: errors.New("connection refused")}, 90 * time.Second, "thing: context deadline exceeded after 1m30s (last look failed: connection refused)"},
		{"no look at all", line{}, 30 * time.Second, "thing: context deadline exceeded after 30s (last look failed: context deadline exceeded)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
				defer cancel()
				if err := Wait(ctx, echo{tc.before}, Policy{}, nil); err == nil || err.Error() != tc.want {
					t.Errorf("got  %v\nwant %s", err, tc.want)
				}
			})
		})
	}
	if got := (&WaitError{Probe: "thing", Cause: ErrStalled}).Error(); got != "thing: stalled after 0s (nothing seen)" {
		t.Errorf("got %s", got)
	}
}

func TestSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := sights(Ready, Ready, Progressing, Ready, Ready, Ready, Ready)
		inner.lines[4] = line{err: errors.New("connection refused")} // proves nothing
		var told []string
		err := Wait(t.Context(), Steady(inner, 3*time.Second), Policy{Initial: time.Second, Max: time.Second}, func(o Observation) {
			told = append(told, o.State.String()+"/"+o.Reason)
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"Progressing/Settling", "Progressing/", "Progressing/Settling", "Ready/"}; !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
		if len(inner.times) != 7 {
			t.Errorf("looked %d times", len(inner.times))
		}
		if name := Steady(inner, 0).Name(); name != "thing" {
			t.Errorf("name is %q", name)
		}
	})
}

// An interrupt ends a wait at once, however long the pause that it is in.
func TestWaitIsInterruptedInAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interrupted := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(90*time.Minute, func() { cancel(interrupted) })
		start := time.Now()
		err := Wait(ctx, sights(Progressing), Policy{Initial: time.Hour, Max: time.Hour}, nil)
		if took := time.Since(start); took != 90*time.Minute || !errors.Is(err, interrupted) {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// A wait leaves nothing behind: synctest fails on goroutines that stay.
func TestManyWaitsShareAPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pol := Policy{Initial: time.Second, Max: time.Minute, Jitter: 0.1}
		done := make(chan error)
		for range 50 {
			go func() { done <- Wait(t.Context(), sights(Missing, Progressing, Ready), pol, nil) }()
		}
		for range 50 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}
