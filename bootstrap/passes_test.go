package bootstrap_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/standup-sh/standup/bootstrap"
)

// What is wedged says so only between two passes.
func TestAPassThatIsUnderWayIsWaitedForBeforeCrdsLooks(t *testing.T) {
	for _, c := range []struct {
		name      string
		takes     time.Duration
		checks    bool // is at its health checks, and so past its apply
		waits     time.Duration
		warned    bool
		diagnosed int
	}{
		{"a short one", 10 * time.Second, false, 7 * time.Second, false, 1},
		{"one that hangs", time.Hour, false, bootstrap.DefaultPace().Stuck, true, 0},
		{"health checks", time.Hour, true, 0, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFlux(), newShop(time.Second)
				f.wedged(s, "storage", sameSet())
				f.plans[kustomization("storage")].takes = c.takes
				f.checks[kustomization("storage")] = c.checks
				use, _ := crds(f, s)
				before := time.Now()
				p, _ := prescribed(t, use)
				if took := time.Since(before); took < c.waits-time.Second || took > c.waits+2*time.Second {
					t.Errorf("looked after %s, want %s", took, c.waits)
				}
				if len(p.Diagnoses) != c.diagnosed {
					t.Errorf("%d diagnoses, want %d", len(p.Diagnoses), c.diagnosed)
				}
				if warned := strings.Contains(strings.Join(p.Plan.Warnings, "\n"), "storage is being reconciled"); warned != c.warned {
					t.Errorf("warned: %q", p.Plan.Warnings)
				}
				f.stop()
			})
		})
	}
}
