package bootstrap_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/tiers"
)

// kinds is a Looker whose kinds are served from a moment on.
type kinds struct {
	noLooker
	from time.Time
}

func (k kinds) Served(context.Context, schema.GroupVersionKind) (bool, error) {
	return !time.Now().Before(k.from), nil
}

const noStorageProfile = `StorageProfile/longhorn dry-run failed: no matches for kind "StorageProfile" in version "cdi.kubevirt.io/v1beta1"`

func TestAKindThatComesLateIsSeenAndNudgedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		start := time.Now()
		f.add("profiles", behaviour{takes: 100 * time.Millisecond, outcome: func(int) (string, string) {
			if time.Since(start) >= 70*time.Second {
				return "", ""
			}
			return "ReconciliationFailed", noStorageProfile
		}}).Spec.Suspend = true
		f.boot()
		e := stand(t, t.Context(), f, nil, func(s *bootstrap.Sequencer) { s.Looker = kinds{from: start.Add(70 * time.Second)} })
		succeeded(t, e)
		if e.took > 75*time.Second {
			t.Errorf("took %s, want a nudge soon after the kind was served at 70s", e.took)
		}
		if got := fmt.Sprint(f.writes); got != "[resume profiles nudge profiles]" {
			t.Errorf("writes = %s, want no attempt while the kind was absent", got)
		}
	})
}

func TestAControllerThatDoesNotSeeAServedKindIsNudgedAtAPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("stale", behaviour{takes: 100 * time.Millisecond, outcome: func(attempt int) (string, string) {
			if attempt > 3 {
				return "", ""
			}
			return "ReconciliationFailed", noStorageProfile
		}})
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if n := len(f.writes); n != 3 {
			t.Errorf("%d nudges, want the three that it took", n)
		}
	})
}

func TestAnObjectThatWasLeftInProgressIsWokenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		f.add("left", behaviour{takes: time.Second, forgets: 1}).Spec.Suspend = true
		f.boot()
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if e.took > time.Minute {
			t.Errorf("took %s, want the hour that the controller sleeps cut short", e.took)
		}
	})
}

func TestALongPassIsNotDisturbedWithinItsHealthChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		k := f.add("long", behaviour{takes: 4 * time.Minute})
		k.Spec.Timeout = &metav1.Duration{Duration: 5 * time.Minute}
		f.checks[tiers.KustomizationRef("flux-system", "long")] = true
		f.boot()
		succeeded(t, stand(t, t.Context(), f, nil, nil))
		if len(f.writes) != 0 {
			t.Errorf("writes = %q, want none while the health checks run", f.writes)
		}
	})
}
