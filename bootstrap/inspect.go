package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fluxcd/cli-utils/pkg/object"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/waiters"
)

// inspect waits until everything that k applied is Current by itself. Flux
// does not look there when spec has neither wait nor healthChecks: then Ready
// means no more than applied.
func (r *run) inspect(s *step, k *kustomizev1.Kustomization, want string) {
	pass := passOf(k, want)
	s.drive.inspecting = pass
	probe := &inventory{name: s.Object.String(), look: r.seq.Looker, items: itemsOf(k), revision: want}
	s.drive.stopInspecting = r.work(s, func(ctx context.Context, seen func(waiters.Observation)) error {
		return waiters.Wait(ctx, probe, r.seq.Pace.Look, seen)
	}, func(r *run, s *step, err error) {
		s.drive.inspecting = ""
		switch {
		case err == nil:
			s.drive.inspected = pass
		case r.ctx.Err() != nil, isDeadline(err), errors.Is(err, context.Canceled):
			// The loop or the step's own deadline ends it and says why, or
			// there is something newer to look at.
		case errors.Is(err, waiters.ErrStalled):
			if s.seen.Cause.Kind != waiters.HelmRetriesExhausted || !r.revive(s, time.Now()) {
				r.fail(s, nil)
			}
		default:
			r.fail(s, err)
		}
	})
}

// explain looks once for what is not healthy, when an object has been running
// its health checks for a while: the controller only says so at its timeout.
func (r *run) explain(s *step, k *kustomizev1.Kustomization, want string, now time.Time) {
	if s.drive.inspecting != "" || k == nil || !hasHealthChecks(k) || k.Status.Inventory == nil || s.drive.progressSince.IsZero() {
		return
	}
	if wait := r.seq.Pace.Explain - now.Sub(s.drive.progressSince); wait > 0 {
		s.dueAt(now.Add(wait))
		return
	}
	s.drive.progressSince = now // look again after as long
	s.drive.inspecting = passOf(k, want)
	probe := &inventory{name: s.Object.String(), look: r.seq.Looker, items: itemsOf(k), revision: want}
	var seen waiters.Observation
	s.drive.stopInspecting = r.work(s, func(ctx context.Context, _ func(waiters.Observation)) error {
		seen, _ = probe.Observe(ctx) // could not look: there is nothing to explain
		return nil
	}, func(_ *run, s *step, _ error) {
		s.drive.inspecting = ""
		switch seen.State { //nolint:exhaustive // everything else is something to explain
		case waiters.Unknown: // could not look
		case waiters.Ready:
			s.drive.explained = waiters.Observation{} // it has become healthy since
		default:
			seen.State = waiters.Progressing // the controller judges; this only explains
			s.drive.explained = seen
		}
	})
}

// inventory is a probe over everything that a Kustomization applied.
type inventory struct {
	name     string
	look     Looker
	items    []waiters.Target
	revision string
}

// Name implements waiters.Probe.
func (p *inventory) Name() string { return p.name }

// Observe looks at each object that was not yet seen to be Current, and stays
// at the first that is not: an object that was Current once is not asked again.
func (p *inventory) Observe(ctx context.Context) (waiters.Observation, error) {
	for len(p.items) > 0 {
		it := p.items[0]
		o, err := p.observe(ctx, it)
		if err != nil {
			return waiters.Observation{}, err
		}
		if o.State != waiters.Ready {
			o.Message = fmt.Sprintf("%s: %s", it, orState(o))
			if more := len(p.items) - 1; more > 0 {
				o.Message += fmt.Sprintf(" (%d more to look at)", more)
			}
			o.Revision = p.revision
			return o, nil
		}
		p.items = p.items[1:]
	}
	return waiters.Observation{State: waiters.Ready, Reason: "Current", Message: "everything applied is current", Revision: p.revision}, nil
}

func (p *inventory) observe(ctx context.Context, it waiters.Target) (waiters.Observation, error) {
	hasStatus, err := p.look.HasStatus(ctx, it.GVK.GroupKind())
	if err != nil {
		return waiters.Observation{}, err
	}
	u, err := p.look.Get(ctx, it.GVK, it.Namespace, it.Name)
	if apierrors.IsNotFound(err) {
		return waiters.Observation{State: waiters.Missing, Message: "does not exist"}, nil
	}
	if err != nil {
		return waiters.Observation{}, err
	}
	return waiters.JudgeObject(u, hasStatus, time.Now()), nil
}

func orState(o waiters.Observation) string {
	if o.Message != "" {
		return o.Message
	}
	return strings.ToLower(o.State.String())
}

// itemsOf are those of a Kustomization's objects that have a health of their own.
func itemsOf(k *kustomizev1.Kustomization) []waiters.Target {
	var items []waiters.Target
	for _, e := range k.Status.Inventory.Entries {
		items = appendItem(items, e.ID, e.Version)
	}
	return items
}

// appendItem adds what an entry of an inventory names. Kinds without a health of
// their own are Current by being there, which the inventory already says, so
// that no Secret is ever read.
func appendItem(items []waiters.Target, id, version string) []waiters.Target {
	if it, ok := parseItem(id, version); ok && hasHealth(it.GVK.GroupKind()) {
		items = append(items, it)
	}
	return items
}

// parseItem reads an entry of an inventory, Flux's or helm-controller's: IDs are
// namespace_name_group_kind (fluxcd/cli-utils, object.ObjMetadata).
func parseItem(id, version string) (waiters.Target, bool) {
	meta, err := object.ParseObjMetadata(id)
	if err != nil {
		return waiters.Target{}, false
	}
	return waiters.Target{GVK: meta.GroupKind.WithVersion(version), Namespace: meta.Namespace, Name: meta.Name}, true
}

// hasHealth leaves out kinds that are Current as soon as they exist, and Flux's
// own Kustomizations and sources: those are steps of their own, are watched
// already, and a parent that does not wait for them must not be made to.
func hasHealth(gk schema.GroupKind) bool {
	switch gk.Group {
	case kustomizeGroup:
		return false
	case sourceGroup:
		return strings.HasPrefix(gk.Kind, "Helm")
	case "":
		switch gk.Kind {
		case "Secret", "ConfigMap", "ServiceAccount", "Namespace", "LimitRange", "ResourceQuota", "Endpoints":
			return false
		}
	case "rbac.authorization.k8s.io", "admissionregistration.k8s.io", "storage.k8s.io", "scheduling.k8s.io",
		"networking.k8s.io", "discovery.k8s.io", "node.k8s.io":
		return false
	}
	return true
}

// isDeadline tells "time ran out" from every other end of a wait.
func isDeadline(err error) bool { return errors.Is(err, context.DeadlineExceeded) }
