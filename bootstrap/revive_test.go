package bootstrap_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

const (
	waitForDeadline = "context deadline exceeded"
	noWebhook       = `Internal error occurred: failed calling webhook "hook.example.org": failed to call webhook: no endpoints available for service "hook"`
	releaseStalled  = "health check failed after 1s: failed early due to stalled resources: [HelmRelease/apps/web status: 'Failed']"
)

func works(int) string { return "" }

func alwaysFails(message string) func(int) string { return func(int) string { return message } }

// releasing runs over one Kustomization that waits for releases, or whose
// releases standup has to look at by itself.
func releasing(t *testing.T, wait bool, o *objects, refuse func(verb string, ref tiers.Ref) error, releases ...*helmRelease) (*ended, *flux) {
	t.Helper()
	f := newFlux()
	f.releases, f.writeErr = map[string]*helmRelease{}, refuse
	if o.found == nil {
		o.found = map[string]func() *unstructured.Unstructured{}
	}
	var ids []string
	for _, rel := range releases {
		f.releases[rel.hr.Name] = rel
		ids = append(ids, "apps_"+rel.hr.Name+"_helm.toolkit.fluxcd.io_HelmRelease")
		o.found["HelmRelease/apps/"+rel.hr.Name] = rel.get
	}
	k := applies(f.add("apps", behaviour{takes: time.Second, outcome: func(int) (string, string) {
		if wait && slices.ContainsFunc(releases, func(rel *helmRelease) bool { return !rel.ready() }) {
			return "HealthCheckFailed", releaseStalled
		}
		return "", ""
	}}), ids...)
	k.Spec.Wait, k.Spec.Suspend = wait, true
	f.boot()
	return stand(t, t.Context(), f, nil, over(o)), f
}

// resets lists why releases were reset.
func (e *ended) resets() []string {
	var why []string
	for _, ev := range e.events {
		if b, ok := ev.Body.(event.StepActed); ok && b.Action == event.Reset {
			why = append(why, b.Cause)
		}
	}
	return why
}

func TestAReleaseThatHadGivenUpBeforeTheRunIsResetOnce(t *testing.T) {
	for name, wait := range map[string]bool{"a set that waits": true, "a set that does not": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := gaveUp("web", "the certificate was slow", time.Hour, works)
				e, f := releasing(t, wait, &objects{}, nil, web)
				succeeded(t, e)
				want := "HelmRelease/apps/web had given up (Failed to install after 1 attempt(s)), and it did so before this run began, and what it failed on may have healed since"
				if got := e.resets(); !slices.Equal(got, []string{want}) {
					t.Errorf("resets %q", got)
				}
				if web.attempts != 1 || !web.ready() {
					t.Errorf("%d attempts; wrote %q", web.attempts, f.writes)
				}
				if e.took > 20*time.Second {
					t.Errorf("took %s", e.took)
				}
			})
		})
	}
}

func TestAReleaseThatFailsAgainAfterItsResetEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := gaveUp("web", "something", time.Hour, alwaysFails("something else"))
		e, _ := releasing(t, true, &objects{}, nil, web)
		failure := onlyFailure(t, e)
		if got := failure.Seen.Cause; got.Kind != waiters.HelmRetriesExhausted || got.Subject != "HelmRelease/apps/web" {
			t.Errorf("failed on %+v", got)
		}
		for _, part := range []string{"something else", "it was reset once already, and failed again"} {
			if !strings.Contains(failure.Seen.Message, part) {
				t.Errorf("%q does not say %q", failure.Seen.Message, part)
			}
		}
		if web.attempts != 1 || e.took > 30*time.Second {
			t.Errorf("%d attempts in %s", web.attempts, e.took)
		}
	})
}

func TestAReleaseThatFailsDuringTheRunIsNotReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := gaveUp("web", "something", -time.Second, works)
		e, _ := releasing(t, true, &objects{}, nil, web)
		failure := onlyFailure(t, e)
		if !strings.Contains(failure.Seen.Message, "not reset, because it failed during this run") || len(e.resets()) > 0 {
			t.Errorf("failed with %q after %q", failure.Seen.Message, e.resets())
		}
	})
}

// What can be looked at decides, not when it was.
func TestAReleaseIsResetOnlyWhenWhatItFailedOnHasHealed(t *testing.T) {
	soon := 30 * time.Second
	noKind := `unable to build kubernetes objects: no matches for kind "Widget" in version "example.org/v1"`
	for _, c := range []struct {
		name, failure string
		brings        []string
		heals         bool
		want          string
	}{
		{"a kind that comes", noKind, nil, true, "Widget.example.org is served"},
		{"a kind that does not", noKind, nil, false, "not healed: is not served yet"},
		{"a namespace that comes", `namespaces "shop" not found`, nil, true, "Namespace shop exists"},
		{"a namespace that does not", `namespaces "shop" not found`, nil, false, "not healed: Namespace/shop: does not exist"},
		{"objects that become healthy", waitForDeadline, []string{web}, true, "everything that it applied is healthy"},
		{"objects that do not", waitForDeadline, []string{web}, false, "not healed: Deployment/apps/web: 0 of 1 available"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				healed := time.Now().Add(soon)
				if !c.heals {
					healed = healed.Add(time.Hour)
				}
				o := &objects{
					found: map[string]func() *unstructured.Unstructured{
						"Deployment/apps/web": until(healed, deployment("web", 0), deployment("web", 1)),
						"Namespace//shop":     until(healed, nil, namespace("shop")),
					},
					served: func(gvk schema.GroupVersionKind) bool { return gvk.Kind != "Widget" || time.Now().After(healed) },
				}
				rel := gaveUp("web", c.failure, -time.Second, works).brings(c.brings...)
				e, _ := releasing(t, true, o, nil, rel)
				if c.heals {
					healedIn(t, e, soon, c.want)
				} else {
					leftFor(t, e, c.want)
				}
			})
		})
	}
}

// healedIn checks that there was one reset, soon after d.
func healedIn(t *testing.T, e *ended, d time.Duration, because string) {
	t.Helper()
	succeeded(t, e)
	if got := e.resets(); len(got) != 1 || !strings.HasSuffix(got[0], because) {
		t.Errorf("resets %q, want one because %q", got, because)
	}
	if e.took < d || e.took > d+15*time.Second {
		t.Errorf("took %s, want soon after %s", e.took, d)
	}
}

// leftFor checks that the run ended on the release, which was left alone.
func leftFor(t *testing.T, e *ended, because string) {
	t.Helper()
	if got := onlyFailure(t, e).Seen; !strings.Contains(got.Message, because) || got.Cause.Kind != waiters.HelmRetriesExhausted {
		t.Errorf("failed as %+v", got)
	}
	if len(e.resets()) > 0 {
		t.Errorf("was reset: %q", e.resets())
	}
}

func TestAReleaseThatMetAWebhookThatWasAwayIsResetUntilItAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		web := gaveUp("web", noWebhook, -time.Second, func(int) string {
			if time.Since(start) < 40*time.Second {
				return noWebhook
			}
			return ""
		})
		e, _ := releasing(t, true, &objects{}, nil, web)
		succeeded(t, e)
		if n := len(e.resets()); n < 3 || n > 10 || e.took > 70*time.Second {
			t.Errorf("%d resets in %s", n, e.took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		web := gaveUp("web", noWebhook, -time.Second, alwaysFails(noWebhook))
		e, _ := releasing(t, true, &objects{}, nil, web)
		if got := onlyFailure(t, e).Seen.Message; !strings.Contains(got, "it was reset ") {
			t.Errorf("failed with %q", got)
		}
		if e.took > 4*time.Minute {
			t.Errorf("took %s", e.took)
		}
	})
}

func TestReleasesOfOneSetAreRevivedSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, db := gaveUp("web", "slow", time.Hour, works), gaveUp("db", "slow", time.Hour, works)
		web.takes, db.takes = time.Minute, time.Minute
		fine := gaveUp("fine", "slow", time.Hour, works)
		fine.reset("before")
		time.Sleep(2 * fine.takes)
		e, _ := releasing(t, true, &objects{}, nil, web, db, fine)
		succeeded(t, e)
		if len(e.resets()) != 2 || e.took > 80*time.Second {
			t.Errorf("%d resets in %s", len(e.resets()), e.took)
		}
	})
}

func TestAResetThatIsNotAllowedSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "helm.toolkit.fluxcd.io", Resource: "helmreleases"}, "web", errors.New("needs patch"))
		refuse := func(verb string, _ tiers.Ref) error {
			if verb == "reset" {
				return waiters.TerminalError(forbidden)
			}
			return nil
		}
		e, _ := releasing(t, true, &objects{}, refuse, gaveUp("web", "slow", time.Hour, works))
		got := onlyFailure(t, e).Seen
		if !strings.Contains(got.Message, "not reset, although") || !strings.Contains(got.Message, "needs patch") || got.Cause.Kind != waiters.HelmRetriesExhausted {
			t.Errorf("failed as %+v", got)
		}
	})
}

// What a Kustomization says of its releases is as old as its last pass.
func TestAReleaseThatIsBlamedForWhatItOnceWasIsLeftAlone(t *testing.T) {
	for name, lag := range map[string]int{"for a pass": 1, "for ever": 1000} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := gaveUp("web", "slow", time.Hour, works)
				web.reset("by hand")
				time.Sleep(2 * web.takes)
				f := newFlux()
				f.releases = map[string]*helmRelease{"web": web}
				k := applies(f.add("apps", behaviour{takes: time.Second, outcome: func(attempt int) (string, string) {
					if attempt <= lag {
						return "HealthCheckFailed", releaseStalled
					}
					return "", ""
				}}), "apps_web_helm.toolkit.fluxcd.io_HelmRelease")
				k.Spec.Wait, k.Spec.Suspend = true, true
				f.boot()
				e := stand(t, t.Context(), f, nil, over(&objects{found: map[string]func() *unstructured.Unstructured{"HelmRelease/apps/web": web.get}}))
				if lag == 1 {
					succeeded(t, e)
				} else if got := onlyFailure(t, e).Seen.Cause.Kind; got != waiters.HelmRetriesExhausted {
					t.Errorf("failed on %s", got)
				}
				if len(e.resets()) > 0 || e.took > time.Minute {
					t.Errorf("resets %q in %s; wrote %q", e.resets(), e.took, f.writes)
				}
			})
		})
	}
}
