package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// revive takes care of the releases of s that helm-controller has given up:
// nothing but a reset moves those, however long ago what they failed on has
// healed. A reset before it has healed would only burn the tries once more, so
// that a worker looks first. It reports whether there is anything to be done;
// the end of the work, or the time that is due, looks at s again.
func (r *run) revive(s *step, now time.Time) bool {
	k := r.seq.World.Kustomization(s.Object)
	switch {
	case k == nil || r.seq.Narrow || s.Verb != tiers.Ready:
		return false
	case s.drive.reviving != "" || s.working:
		return true
	case now.Before(s.drive.nextNudge):
		s.dueAt(s.drive.nextNudge) // what it says is older than the last nudge's answer
		return true
	}
	s.drive.takeReleases(k)
	if len(s.drive.releases) == 0 {
		return false
	}
	stalled := s.seen
	id := s.ID
	v := &revival{
		seq: r.seq, writing: r.ctx, began: r.began, releases: s.drive.releases,
		acted: func(why string) {
			r.inbox <- message{step: id, acted: &event.StepActed{Step: id, Action: event.Reset, Cause: why}} // always read: the loop drains
		},
	}
	s.drive.reviving = passOf(k, wanted(r.seq.World, k))
	s.drive.stopReviving = r.work(s, func(ctx context.Context, seen func(waiters.Observation)) error {
		return v.run(ctx, func(message string) {
			o := stalled
			o.State, o.Message = waiters.Retrying, message
			seen(o)
		})
	}, func(r *run, s *step, err error) {
		s.drive.reviving = ""
		switch {
		case err == nil:
			r.revived(s, v.did)
		case r.ctx.Err() != nil, isDeadline(err), errors.Is(err, context.Canceled):
			// The loop or the step's own deadline ends it and says why, or
			// there is something newer to look at.
		default:
			if left, ok := errors.AsType[*notResetError](err); ok {
				stalled.Message, stalled.Cause = left.Error(), left.given.Cause
			} else {
				stalled.Message += fmt.Sprintf(" (not reset: %v)", err)
			}
			r.observe(s, stalled, time.Now())
			r.fail(s, nil)
		}
	})
	return true
}

// hearsay is how often a Kustomization may blame a release that has not given
// up: what it says is as old as its last pass.
const hearsay = 2

// revived goes on with a step whose releases are all going again.
func (r *run) revived(s *step, resets int) {
	if resets == 0 {
		if s.drive.unfounded++; s.drive.unfounded > hearsay {
			r.fail(s, nil)
			return
		}
	}
	k := r.seq.World.Kustomization(s.Object)
	if k == nil || !hasHealthChecks(k) {
		return // standup itself looks at what was applied
	}
	now := time.Now()
	s.drive.nextNudge = now
	r.nudge(s, now, s.drive.failed, "the releases that it waits for are going again")
}

// takeReleases finds the releases whose health k depends on, and keeps what is
// known of those that it had before.
func (d *drive) takeReleases(k *kustomizev1.Kustomization) {
	had := d.releases
	d.releases = map[waiters.Target]*release{}
	for _, it := range releasesOf(k) {
		if d.releases[it] = had[it]; d.releases[it] == nil {
			d.releases[it] = &release{Target: it}
		}
	}
}

// releasesOf are the HelmReleases that k applied, or names as its health checks.
func releasesOf(k *kustomizev1.Kustomization) []waiters.Target {
	var releases []waiters.Target
	if k.Status.Inventory != nil {
		for _, it := range itemsOf(k) {
			if isRelease(it.GVK) {
				releases = append(releases, it)
			}
		}
	}
	for _, c := range k.Spec.HealthChecks {
		if gvk := schema.FromAPIVersionAndKind(c.APIVersion, c.Kind); isRelease(gvk) {
			releases = append(releases, waiters.Target{GVK: gvk, Namespace: c.Namespace, Name: c.Name})
		}
	}
	return releases
}

func isRelease(gvk schema.GroupVersionKind) bool {
	return gvk.Group == helmv2.GroupVersion.Group && gvk.Kind == helmv2.HelmReleaseKind
}
