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

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// dryRunner answers a dry-run create.
type dryRunner struct{ err func() error }

// DryRunCreate implements waiters.DryRunner.
func (d dryRunner) DryRunCreate(context.Context, *unstructured.Unstructured) error { return d.err() }

// probing is a TIER_ORDER of two tiers, the first with one probe.
func probing(t *testing.T, probe string) *tiers.TierOrder {
	t.Helper()
	return order(t, "tiers: [{name: first, probes: [{name: p, "+probe+"}]}, {name: second}]")
}

const widgetProbe = "object: {apiVersion: example.org/v1, kind: Widget, namespace: apps, name: w}"

// probed runs two suspended tiers with the probe in between.
func probed(t *testing.T, o *tiers.TierOrder, look bootstrap.Looker, dry waiters.DryRunner) (*ended, *flux) {
	t.Helper()
	probes, err := bootstrap.ProbesOf(o, look, dry)
	if err != nil {
		t.Fatal(err)
	}
	f := newFlux()
	for _, name := range []string{"first", "second"} {
		f.add(name, behaviour{takes: time.Second}).Spec.Suspend = true
	}
	f.boot()
	e := stand(t, t.Context(), f, o, func(s *bootstrap.Sequencer) { s.Probes, s.Looker = probes, look })
	return e, f
}

func TestEveryKindOfProbeHoldsTheNextTierUntilItHolds(t *testing.T) {
	for name, c := range map[string]struct {
		probe string
		found func(when time.Time) map[string]func() *unstructured.Unstructured
	}{
		"an object, by expression": {
			widgetProbe + ", current: \"status.phase == 'Deployed'\"",
			func(when time.Time) map[string]func() *unstructured.Unstructured {
				return map[string]func() *unstructured.Unstructured{
					"Widget/apps/w": until(when, widget(map[string]any{"phase": "Starting"}), widget(map[string]any{"phase": "Deployed"})),
				}
			},
		},
		"an object, by kstatus": {
			widgetProbe,
			func(when time.Time) map[string]func() *unstructured.Unstructured {
				return map[string]func() *unstructured.Unstructured{"Widget/apps/w": until(when, nil, widget(map[string]any{"phase": "x"}))}
			},
		},
		"a workload": {
			"workload: {kind: Deployment, namespace: apps, name: web}",
			func(when time.Time) map[string]func() *unstructured.Unstructured {
				return map[string]func() *unstructured.Unstructured{"Deployment/apps/web": until(when, deployment("web", 0), deployment("web", 1))}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				e, _ := probed(t, probing(t, c.probe), &objects{found: c.found(start.Add(20 * time.Second))}, nil)
				succeeded(t, e)
				holdsUntil(t, e, start.Add(20*time.Second))
			})
		})
	}
}

// holdsUntil checks that the second tier began soon after when, and not before.
func holdsUntil(t *testing.T, e *ended, when time.Time) {
	t.Helper()
	s, _ := e.state.Step("resume:Kustomization/flux-system/second")
	if late := s.Started.Sub(when); late < 0 || late > 4*time.Second {
		t.Errorf("the second tier started %s after the probe held", late)
	}
}

func TestAProbeForAKindHoldsTheNextTierUntilItIsServed(t *testing.T) {
	for _, probe := range []string{"kindServed: {apiVersion: example.org/v1, kind: Widget}", "kindServed: {group: example.org, kind: Widget}"} {
		synctest.Test(t, func(t *testing.T) {
			when := time.Now().Add(20 * time.Second)
			e, _ := probed(t, probing(t, probe), kinds{from: when}, nil)
			succeeded(t, e)
			holdsUntil(t, e, when)
		})
	}
}

func TestAProbeForAWebhookHoldsTheNextTierUntilItAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		when := time.Now().Add(20 * time.Second)
		dry := dryRunner{func() error {
			if time.Now().Before(when) {
				return errors.New(`Internal error occurred: failed calling webhook "v.example.org": failed to call webhook: Post "https://hook.example.org:443/": dial tcp 127.0.0.1:443: connect: connection refused`)
			}
			return nil
		}}
		e, _ := probed(t, probing(t, "webhook: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: default}}}"), noLooker{}, dry)
		succeeded(t, e)
		holdsUntil(t, e, when)
		if got := e.sights("probe:first/p"); len(got) != 2 || !strings.Contains(got[0], "connection refused") {
			t.Errorf("seen %q", got)
		}
	})
}

func TestNetworkProbesAreMadeFromTheFile(t *testing.T) {
	o := order(t, "tiers: [{name: first, probes: [{name: t, tcp: 'localhost:5432', timeout: 30s}, {name: h, http: {url: 'https://example.org/healthz', status: 204}}]}]")
	probes, err := bootstrap.ProbesOf(o, noLooker{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]time.Duration{"t": 30 * time.Second, "h": 10 * time.Minute} {
		if p, timeout := probes("first", name); p == nil || p.Name() != name || timeout != want {
			t.Errorf("%s: %v with time-out %s, want %s", name, p, timeout, want)
		}
	}
	for _, other := range [][2]string{{"first", "x"}, {"second", "t"}} {
		if p, _ := probes(other[0], other[1]); p != nil {
			t.Errorf("%v is a probe: %v", other, p)
		}
	}
}

func TestWithoutAFileThereAreNoProbes(t *testing.T) {
	probes, err := bootstrap.ProbesOf(nil, noLooker{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, timeout := probes("first", "p"); p != nil || timeout != 0 {
		t.Errorf("%v, %s", p, timeout)
	}
}

func TestAProbeThatCannotWorkIsAFaultOfTheFile(t *testing.T) {
	// The probe begins at line 3, column 32, whatever is wrong in it.
	for name, c := range map[string]struct{ probe, want string }{
		"an expression that does not parse": {widgetProbe + `, current: "status."`, "probe p: current: failed to parse"},
		"a name that no object has":         {widgetProbe + `, current: "statuss.ready"`, "undeclared reference to 'statuss'"},
		"a failed that does not compile":    {widgetProbe + `, current: "true", failed: "frobnicate(status)"`, "probe p: failed: "},
		"an address without a port":         {"tcp: localhost", `"localhost", which is not a host:port`},
		"a URL of another scheme":           {"http: {url: 'ftp://example.org/'}", "which is not a URL"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := tiers.Parse("TIER_ORDER.yaml", []byte("apiVersion: standup/v1\nkind: TierOrder\ntiers: [{name: first, probes: [{name: p, "+c.probe+"}]}]\n"))
			if err == nil {
				_, err = bootstrap.ProbesOf(o, noLooker{}, nil)
			}
			var fault *tiers.FileError
			if !errors.As(err, &fault) || fault.File != "TIER_ORDER.yaml" || fault.Line != 3 || fault.Column < 32 || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("err = %v, want %q at TIER_ORDER.yaml:3:32 or in it", err, c.want)
			}
		})
	}
}

func TestAnExpressionThatDoesNotCompileIsReportedWithItsPlace(t *testing.T) {
	o := probing(t, widgetProbe+`, current: "statuss.ready"`)
	_, err := bootstrap.ProbesOf(o, noLooker{}, nil)
	var fault *tiers.FileError
	if !errors.As(err, &fault) {
		t.Fatalf("err = %v", err)
	}
	if !strings.HasPrefix(err.Error(), "TIER_ORDER.yaml:3:32: probe p: current: ") || !strings.HasSuffix(err.Error(), "; correct the probe") {
		t.Errorf("err = %v", err)
	}
}

func TestAProbeThatProbesNothingIsAnError(t *testing.T) {
	o := &tiers.TierOrder{File: "x.yaml", Tiers: []tiers.Tier{{Name: "first", Probes: []tiers.ProbeSpec{{Name: "p", Pos: tiers.Position{Line: 7, Column: 3}}}}}}
	_, err := bootstrap.ProbesOf(o, noLooker{}, nil)
	if err == nil || err.Error() != "x.yaml:7:3: probe p probes nothing; correct the probe" {
		t.Errorf("err = %v", err)
	}
}

func TestAProbeThatNeverHoldsFailsAtItsOwnTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		look := &objects{found: map[string]func() *unstructured.Unstructured{"Widget/apps/w": always(widget(map[string]any{"phase": "Starting"}))}}
		e, f := probed(t, probing(t, widgetProbe+", timeout: 45s, current: \"status.phase == 'Deployed'\""), look, nil)
		failure := onlyFailure(t, e)
		if failure.Step.ID != "probe:first/p" || !errors.Is(e.err, bootstrap.ErrOutOfTime) || failure.Waited != 45*time.Second {
			t.Errorf("after %s: %v", failure.Waited, failure)
		}
		for _, want := range []string{"probe:first/p: ", "out of time", "not yet true: status.phase == 'Deployed'"} {
			if !strings.Contains(failure.Error(), want) {
				t.Errorf("%v does not say %q", failure, want)
			}
		}
		behindWasLeft(t, e, f)
	})
}

// behindWasLeft checks that the second tier was skipped for the probe and not touched.
func behindWasLeft(t *testing.T, e *ended, f *flux) {
	t.Helper()
	for _, id := range []tiers.StepID{"resume:Kustomization/flux-system/second", readyStep("second")} {
		if s, _ := e.state.Step(id); s.Outcome != event.Skipped || s.Because != "probe:first/p" {
			t.Errorf("%s: %s because %q", id, s.Outcome, s.Because)
		}
	}
	if slices.Contains(f.writes, "resume second") {
		t.Errorf("writes = %q", f.writes)
	}
}

func TestAFailedExpressionEndsTheRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		look := &objects{found: map[string]func() *unstructured.Unstructured{"Widget/apps/w": always(widget(map[string]any{"phase": "Error"}))}}
		e, f := probed(t, probing(t, widgetProbe+", current: \"status.phase == 'Deployed'\", failed: \"status.phase == 'Error'\""), look, nil)
		failure := onlyFailure(t, e)
		if failure.Seen.Cause.Kind != waiters.HealthCheckFailed || !errors.Is(e.err, waiters.ErrStalled) || e.took > 3*time.Second {
			t.Errorf("after %s: %v (%s)", e.took, failure, failure.Seen.Cause.Kind)
		}
		behindWasLeft(t, e, f)
	})
}

func TestALookOfAProbeThatIsRefusedEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forbidden := errors.New("widgets.example.org is forbidden")
		look := &objects{fail: func() error { return waiters.TerminalError(forbidden) }}
		e, f := probed(t, probing(t, widgetProbe), look, nil)
		if failure := onlyFailure(t, e); !errors.Is(failure, forbidden) || e.took > 3*time.Second {
			t.Errorf("after %s: %v", e.took, failure)
		}
		behindWasLeft(t, e, f)
	})
}

func TestAProbeThatHoldsAlreadyCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		look := &objects{found: map[string]func() *unstructured.Unstructured{"Widget/apps/w": always(widget(map[string]any{"phase": "x"}))}}
		e, f := probed(t, probing(t, widgetProbe), look, nil)
		succeeded(t, e)
		if got := fmt.Sprint(f.writes); got != "[resume first resume second]" || e.took > 3*time.Second {
			t.Errorf("writes = %s after %s", got, e.took)
		}
	})
}

func TestAnInterruptCancelsAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		f := newFlux()
		f.add("first", behaviour{takes: time.Second})
		o := order(t, "tiers: [{name: first, probes: [{name: p, "+widgetProbe+"}]}]")
		probes, err := bootstrap.ProbesOf(o, &objects{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.boot()
		time.AfterFunc(30*time.Second, func() { cancel(errInterrupted) })
		e := stand(t, ctx, f, o, func(s *bootstrap.Sequencer) { s.Probes = probes })
		if s, _ := e.state.Step("probe:first/p"); s.Outcome != event.Cancelled || !errors.Is(e.err, errInterrupted) || e.took != 30*time.Second {
			t.Errorf("after %s: %v, the probe %s", e.took, e.err, s.Outcome)
		}
	})
}

// The file's defaults apply to a probe too: one without a time-out has its tier's.
func TestAProbeWithoutATimeOutHasItsTiers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := order(t, "defaults: {timeout: 4m}\ntiers: [{name: first, timeout: 90s, probes: [{name: p, "+widgetProbe+"}]}, {name: second}]")
		e, f := probed(t, o, &objects{}, nil)
		failure := onlyFailure(t, e)
		if failure.Step.ID != "probe:first/p" || failure.Waited != 90*time.Second || failure.Seen.State != waiters.Missing {
			t.Errorf("after %s: %v", failure.Waited, failure)
		}
		behindWasLeft(t, e, f)
	})
}
