package kube

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// health says whether the holder of a lease is at work.
type health int

const (
	leaseFree     health = iota // nobody holds it, or its holder is dead
	leaseHeld                   // renewed in time
	leaseDoubtful               // clocks alone do not tell
)

// clockSkew is how far two machines' clocks may be apart. A lease holds its
// holder's time, and we compare it with ours.
const clockSkew = time.Minute

// judge looks at a lease as it is now.
func judge(spec *coordinationv1.LeaseSpec, now time.Time) health {
	holder := deref(spec.HolderIdentity)
	if holder == "" {
		return leaseFree
	}
	if id, ours := parseIdentity(holder); ours && id.gone() {
		return leaseFree
	}
	if spec.RenewTime == nil {
		return leaseDoubtful
	}
	lasts := time.Duration(deref(spec.LeaseDurationSeconds)) * time.Second
	age := now.Sub(spec.RenewTime.Time)
	switch {
	case age > lasts+clockSkew:
		return leaseFree
	case age > lasts, age < -lasts:
		return leaseDoubtful
	}
	return leaseHeld
}

// claim writes our name into a lease.
func (o LockOptions) claim(spec *coordinationv1.LeaseSpec, now time.Time) {
	stamp := metav1.NewMicroTime(now)
	if holder := deref(spec.HolderIdentity); holder != o.Identity {
		transitions := deref(spec.LeaseTransitions)
		if holder != "" {
			transitions++
		}
		spec.LeaseTransitions = &transitions
		spec.AcquireTime = &stamp
	}
	seconds := int32(o.Duration / time.Second)
	spec.HolderIdentity, spec.LeaseDurationSeconds, spec.RenewTime = &o.Identity, &seconds, &stamp
}

// leases are the four requests that a lock makes.
type leases struct {
	client          *Client
	namespace, name string
}

func (l leases) get(ctx context.Context) (lease *coordinationv1.Lease, err error) {
	err = l.client.ask(ctx, func(ctx context.Context) (err error) {
		lease, err = l.client.clientset.CoordinationV1().Leases(l.namespace).Get(ctx, l.name, metav1.GetOptions{})
		return err
	})
	return lease, l.typed(err, "get")
}

func (l leases) create(ctx context.Context, spec coordinationv1.LeaseSpec) (lease *coordinationv1.Lease, err error) {
	wanted := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.namespace, Name: l.name}, Spec: spec}
	err = l.client.ask(ctx, func(ctx context.Context) (err error) {
		lease, err = l.client.clientset.CoordinationV1().Leases(l.namespace).Create(ctx, wanted, metav1.CreateOptions{FieldManager: FieldManager})
		return err
	})
	return lease, l.typed(err, "create")
}

// update fails with Conflict when the lease is no longer as it was read.
func (l leases) update(ctx context.Context, wanted *coordinationv1.Lease) (lease *coordinationv1.Lease, err error) {
	err = l.client.ask(ctx, func(ctx context.Context) (err error) {
		lease, err = l.client.clientset.CoordinationV1().Leases(l.namespace).Update(ctx, wanted, metav1.UpdateOptions{FieldManager: FieldManager})
		return err
	})
	return lease, l.typed(err, "update")
}

func (l leases) typed(err error, verb string) error {
	return l.client.typed(err, request{verb: verb, resource: "leases.coordination.k8s.io", namespace: l.namespace})
}

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
