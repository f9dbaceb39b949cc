package bootstrap

import (
	"context"
	"fmt"
	"time"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// awaitPasses waits, for as long as any pass takes, until every Kustomization
// that crds looks at says how its last pass ended: what is wedged says so only
// between two passes. One that runs its health checks is not waited for: that
// may take its whole timeout, and what kept it from being applied is past.
func (c *Crds) awaitPasses(ctx context.Context) error {
	timer := time.NewTimer(c.Pace.Stuck)
	defer timer.Stop()
	for len(c.passes(false)) > 0 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			return nil
		case <-c.World.Changed():
		}
	}
	return nil
}

// underWay tells of those that are still at it: whether they fail is not known.
func (c *Crds) underWay() []string {
	var said []string
	for _, ref := range c.passes(true) {
		said = append(said, fmt.Sprintf("%s is being reconciled: whether it fails on a missing kind shows when that has ended", ref))
	}
	return said
}

// passes lists the Kustomizations in the middle of a pass, with or without
// those that run their health checks.
func (c *Crds) passes(checking bool) []tiers.Ref {
	var found []tiers.Ref
	for ref, k := range c.asked() {
		if len(k.Status.Conditions) == 0 || !k.DeletionTimestamp.IsZero() || waiters.JudgeKustomization(k, "").State != waiters.Progressing {
			continue
		}
		if checking || !waiters.AppliedAt(k, "") {
			found = append(found, ref)
		}
	}
	return found
}
