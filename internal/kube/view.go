package kube

import (
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// View is the newest known state of the cluster's Flux objects. It implements
// bootstrap.World; Client.Watch makes it and keeps it fed.
type View struct {
	store  *store
	failed chan error
}

var _ bootstrap.World = (*View)(nil)

// Kustomization implements bootstrap.World.
func (v *View) Kustomization(ref tiers.Ref) *kustomizev1.Kustomization {
	if i := v.store.get(ref); i != nil {
		return i.kustomization
	}
	return nil
}

// Kustomizations implements bootstrap.World.
func (v *View) Kustomizations() []*kustomizev1.Kustomization {
	var list []*kustomizev1.Kustomization
	for _, i := range v.store.all() {
		if i.kustomization != nil {
			list = append(list, i.kustomization)
		}
	}
	return list
}

// Source implements bootstrap.World.
func (v *View) Source(ref tiers.Ref) (waiters.Source, bool) {
	if i := v.store.get(ref); i != nil && i.kustomization == nil {
		return i.source, true
	}
	return waiters.Source{}, false
}

// Sources implements bootstrap.World.
func (v *View) Sources() []waiters.Source {
	var list []waiters.Source
	for _, i := range v.store.all() {
		if i.kustomization == nil {
			list = append(list, i.source)
		}
	}
	return list
}

// Suspension implements bootstrap.World.
func (v *View) Suspension(ref tiers.Ref) tiers.Suspension {
	if i := v.store.get(ref); i != nil {
		return i.suspension.kind
	}
	return tiers.NotSuspended
}

// SuspendedBy returns the field manager that suspended the object; empty when
// it is not suspended, or when nobody claims to have done it.
func (v *View) SuspendedBy(ref tiers.Ref) string {
	if i := v.store.get(ref); i != nil {
		return i.suspension.by
	}
	return ""
}

// Changed implements bootstrap.World.
func (v *View) Changed() <-chan struct{} { return v.store.changed }

// TakeChanged implements bootstrap.World.
func (v *View) TakeChanged() []tiers.Ref { return v.store.takeChanged() }

// Failed receives one error when the API server refuses to tell us more, and
// the view will only grow old: an *UnauthorisedError or a *ForbiddenError.
// Whatever heals by itself is retried and not told.
func (v *View) Failed() <-chan error { return v.failed }

// fail keeps the first error; the others say the same of other kinds.
func (v *View) fail(err error) {
	select {
	case v.failed <- err:
	default:
	}
}
