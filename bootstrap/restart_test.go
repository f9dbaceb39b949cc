package bootstrap_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
)

// remembers runs over Kustomizations whose controller misses a kind that is
// served all along, until it is restarted or has tried often enough.
func remembers(t *testing.T, attempts int, restarter func(*shop) bootstrap.Restarter, names ...string) (*ended, *flux, *shop) {
	t.Helper()
	f, s := newFlux(), newShop(0)
	restarted := false
	for _, name := range names {
		f.add(name, behaviour{takes: 100 * time.Millisecond, outcome: func(attempt int) (string, string) {
			if restarted || attempt > attempts {
				return "", ""
			}
			return "ReconciliationFailed", noStorageProfile
		}})
	}
	s.onRestart = func() error { restarted = true; return nil }
	f.boot()
	e := stand(t, t.Context(), f, nil, func(q *bootstrap.Sequencer) {
		q.Looker, q.Repair = s, s.repair()
		q.Repair.Restarter = restarter(s)
	})
	return e, f, s
}

func nobody(*shop) bootstrap.Restarter   { return nil }
func itself(s *shop) bootstrap.Restarter { return s }

func TestAControllerThatKeepsMissingAServedKindIsNamedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _, s := remembers(t, 6, nobody, "a", "b")
		succeeded(t, e)
		var told []string
		for _, w := range e.state.Warnings {
			if text := fmt.Sprint(w); strings.Contains(text, "out of date") {
				told = append(told, text)
			}
		}
		if len(told) != 1 || !strings.Contains(told[0], "kubectl rollout restart deployment kustomize-controller") || !strings.Contains(told[0], "--restart-controllers") {
			t.Errorf("told %q", told)
		}
		if len(s.restarts)+len(s.writes) > 0 {
			t.Errorf("restarted %q, wrote %q", s.restarts, s.writes)
		}
	})
}

func TestAControllerThatKeepsMissingAServedKindIsRestartedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		e, f, s := remembers(t, 1000, itself, "a", "b")
		succeeded(t, e)
		if len(s.restarts) != 1 || !strings.HasPrefix(s.restarts[0], "kustomize-controller 20") {
			t.Errorf("restarted %q", s.restarts)
		}
		if got := e.acted(event.Restarted); len(got) != 1 {
			t.Errorf("told of %q", got)
		}
		if n := strings.Count(fmt.Sprint(f.writes), "nudge a"); n < 2 || time.Since(start) > time.Minute {
			t.Errorf("%d nudges in %s: one failure may be news that come late", n, time.Since(start))
		}
	})
}

// What the first two attempts miss the controller may just have looked up.
func TestAControllerThatSeesAKindAtItsSecondAttemptIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _, s := remembers(t, 2, itself, "a")
		succeeded(t, e)
		if len(s.restarts) > 0 || strings.Contains(fmt.Sprint(e.state.Warnings), "out of date") {
			t.Errorf("restarted %q, warned %v", s.restarts, e.state.Warnings)
		}
	})
}

func TestAControllerThatCannotBeRestartedIsAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _, s := remembers(t, 8, func(s *shop) bootstrap.Restarter {
			s.onRestart = func() error { return errRefused }
			return s
		}, "a")
		succeeded(t, e)
		if got := fmt.Sprint(e.state.Warnings); !strings.Contains(got, "it could not be restarted") || len(s.restarts) != 1 {
			t.Errorf("warnings = %s, restarted %q", got, s.restarts)
		}
	})
}

func TestARunThatNothingHealsEndsAndSaysWhatIsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _, s := remembers(t, 1<<20, func(s *shop) bootstrap.Restarter {
			s.onRestart = func() error { return nil }
			return s
		}, "a")
		failure := onlyFailure(t, e)
		if !strings.Contains(failure.Error(), "StorageProfile") || errors.Is(e.err, bootstrap.ErrOutOfTime) || len(s.restarts) != 1 {
			t.Errorf("failure = %v, restarted %q", failure, s.restarts)
		}
	})
}
