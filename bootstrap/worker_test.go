package bootstrap_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// stubborn is a probe whose look ends only a moment after its context, and
// tells even then what it saw.
type stubborn struct{}

// Name implements waiters.Probe.
func (stubborn) Name() string { return "stubborn" }

// Observe implements waiters.Probe.
func (stubborn) Observe(ctx context.Context) (waiters.Observation, error) {
	<-ctx.Done()
	<-time.After(time.Millisecond) // the run waits for its workers by now
	return waiters.Observation{State: waiters.Progressing, Message: "seen too late"}, nil
}

// The bubble of synctest does not end before every worker has.
func TestAWorkerThatSeesSomethingAsTheRunEndsIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var probes []string
		for i := range 20 {
			probes = append(probes, fmt.Sprintf("{name: p%d, tcp: 'localhost:1'}", i))
		}
		f := newFlux()
		f.add("first", behaviour{takes: time.Second})
		f.boot()
		time.AfterFunc(10*time.Second, func() { cancel(errInterrupted) })
		e := stand(t, ctx, f, order(t, "tiers: [{name: first, probes: ["+strings.Join(probes, ", ")+"]}]"), func(s *bootstrap.Sequencer) {
			s.Probes = func(string, string) (waiters.Probe, time.Duration) { return stubborn{}, 0 }
		})
		if !errors.Is(e.err, errInterrupted) {
			t.Errorf("err = %v", e.err)
		}
	})
}

// Whoever writes may be slow; what the run sees meanwhile still counts.
func TestAWriteThatDoesNotAnswerEndsAtTheTiersTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		chain(f, 2, time.Second, true)
		f.boot()
		down := errors.New("the server is currently unable to handle the request")
		f.writeErr = func(string, tiers.Ref) error { return down }
		e := stand(t, t.Context(), f, order(t, "tiers: [{name: t00, timeout: 3m}, {name: t01}]"), nil)
		failure := onlyFailure(t, e)
		if !errors.Is(e.err, bootstrap.ErrOutOfTime) || failure.Step.ID != "resume:Kustomization/flux-system/t00" || e.took != 3*time.Minute {
			t.Errorf("after %s: %v", e.took, failure)
		}
	})
}

// A nudge is for what is stuck; what came up by itself meanwhile is left alone.
func TestANudgeThatCouldNotBeWrittenIsDroppedOnceTheObjectIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, start := newFlux(), time.Now()
		chain(f, 2, time.Second, false)
		f.add("long", behaviour{takes: 29 * time.Second})
		f.add("last", behaviour{takes: 20 * time.Second}, "t01", "long")
		f.boot()
		f.writeErr = func(string, tiers.Ref) error {
			if time.Since(start) < time.Minute {
				return errors.New("the server is currently unable to handle the request")
			}
			return nil
		}
		succeeded(t, stand(t, t.Context(), f, nil, nil))
		if slices.Contains(f.writes, "nudge t01") {
			t.Errorf("writes = %q, half a minute after Flux looked at t01 by itself", f.writes)
		}
	})
}

func TestErrorsNameTheObjectAndWhatWasLastSeen(t *testing.T) {
	app := tiers.Step{ID: "ready:Kustomization/a/app", Verb: tiers.Ready, Object: tiers.KustomizationRef("a", "app")}
	probe := tiers.Step{ID: "probe:tier/p", Verb: tiers.Probe}
	seen := waiters.Observation{State: waiters.Retrying, Reason: "BuildFailed", Message: "no"}
	refused := errors.New("forbidden")
	for want, e := range map[string]*bootstrap.StepError{
		"Kustomization/a/app: Retrying/BuildFailed: no":                                     {Step: app, Seen: seen},
		"Kustomization/a/app: Missing":                                                      {Step: app, Seen: waiters.Observation{State: waiters.Missing}},
		"Kustomization/a/app: forbidden":                                                    {Step: app, Err: refused},
		"Kustomization/a/app: out of time after 1m30s (last seen Retrying/BuildFailed: no)": {Step: app, Seen: seen, Err: bootstrap.ErrOutOfTime, Waited: 90 * time.Second},
		"probe:tier/p: out of time after 2s (last seen Progressing: not yet)":               {Step: probe, Seen: waiters.Observation{State: waiters.Progressing, Message: "not yet"}, Err: bootstrap.ErrOutOfTime, Waited: 2400 * time.Millisecond},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q\nwant %q", got, want)
		}
		if e.Err != nil && !errors.Is(e, e.Err) {
			t.Errorf("%v does not unwrap", e)
		}
	}
	both := &bootstrap.RunError{Cause: errInterrupted, Steps: []*bootstrap.StepError{{Step: app, Err: refused}, {Step: probe, Err: bootstrap.ErrOutOfTime}}}
	if got := both.Error(); got != "interrupted\nKustomization/a/app: forbidden\nprobe:tier/p: out of time" {
		t.Errorf("got %q", got)
	}
	for _, target := range []error{errInterrupted, refused, bootstrap.ErrOutOfTime} {
		if !errors.Is(both, target) {
			t.Errorf("%v is not in the chain", target)
		}
	}
}
