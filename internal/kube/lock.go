package kube

import (
	"context"
	"errors"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Lock is a held lock. It is renewed until it is released or ctx ends.
type Lock struct {
	options LockOptions
	leases  leases
	lease   *coordinationv1.Lease // owned by the renewal while it runs
	lost    chan error
	stop    context.CancelFunc
	stopped chan struct{}
}

// AcquireLock takes the lock, or returns a *LockedError at once when another
// run holds it. A holder on this machine whose process has ended does not
// count. Where only clocks that may differ say that a holder is late, the
// lease is watched for one renewal.
func (c *Client) AcquireLock(ctx context.Context, o LockOptions) (*Lock, error) {
	o = o.withDefaults(c)
	l := &Lock{
		options: o, leases: leases{client: c, namespace: o.Namespace, name: o.Name},
		lost: make(chan error, 1), stopped: make(chan struct{}),
	}
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	l.stop = stop
	go l.keep(running)
	return l, nil
}

func (l *Lock) acquire(ctx context.Context) error {
	for {
		seen, err := l.leases.get(ctx)
		if apierrors.IsNotFound(err) {
			err = l.create(ctx)
		} else if err == nil {
			err = l.take(ctx, seen)
		}
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			continue // somebody was faster: look who
		}
		return err
	}
}

func (l *Lock) create(ctx context.Context) error {
	var spec coordinationv1.LeaseSpec
	l.options.claim(&spec, time.Now())
	return l.keepIfOK(l.leases.create(ctx, spec))
}

func (l *Lock) keepIfOK(lease *coordinationv1.Lease, err error) error {
	if err == nil {
		l.lease = lease
	}
	return err
}

// take claims a lease that was seen free; the server refuses when it is no
// longer as it was seen.
func (l *Lock) take(ctx context.Context, seen *coordinationv1.Lease) error {
	switch judge(&seen.Spec, time.Now()) {
	case leaseHeld:
		return lockedBy(seen)
	case leaseDoubtful:
		if err := l.observe(ctx, seen); err != nil {
			return err
		}
	case leaseFree:
	}
	l.options.claim(&seen.Spec, time.Now())
	return l.keepIfOK(l.leases.update(ctx, seen))
}

// observe waits for one renewal of a lease that may be held by a machine whose
// clock is not ours.
func (l *Lock) observe(ctx context.Context, seen *coordinationv1.Lease) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(l.options.Renew + time.Second):
	}
	now, err := l.leases.get(ctx)
	if err != nil {
		return err
	}
	if now.ResourceVersion != seen.ResourceVersion {
		return lockedBy(now)
	}
	return nil
}

// Lost receives one error when the lock is ours no more: a *LockedError when
// another run took it, an *UnauthorisedError or a *ForbiddenError when we may
// not renew it. A server that does not answer does not count: nobody else can
// take the lock from it either.
func (l *Lock) Lost() <-chan error { return l.lost }

// Release gives the lock back, so that the next run starts at once. It works
// after the context of AcquireLock has ended; a second call does nothing.
func (l *Lock) Release(ctx context.Context) error {
	l.stop()
	<-l.stopped
	if l.lease == nil {
		return nil
	}
	err := l.clear(ctx)
	if apierrors.IsConflict(err) && l.reclaim(ctx) == nil {
		err = l.clear(ctx)
	}
	l.lease = nil
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // somebody has it already, or removed it
	}
	return err
}

func (l *Lock) clear(ctx context.Context) error {
	var nobody string
	l.lease.Spec.HolderIdentity = &nobody
	_, err := l.leases.update(ctx, l.lease)
	return err
}

// keep renews until ctx ends or the lock is lost.
func (l *Lock) keep(ctx context.Context) {
	defer close(l.stopped)
	ticker := time.NewTicker(l.options.Renew)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := l.renew(ctx)
		var taken *LockedError
		if errors.As(err, &taken) || refused(err) {
			l.lease = nil
			l.lost <- err
			return
		}
		if err != nil && ctx.Err() == nil {
			l.leases.client.debugf("lock: %v", err)
		}
	}
}

// renew claims the lease once more. A conflict need not be an enemy: our last
// answer may have been lost on its way, or somebody labelled the lease.
func (l *Lock) renew(ctx context.Context) error {
	wanted := l.lease.DeepCopy()
	l.options.claim(&wanted.Spec, time.Now())
	err := l.keepIfOK(l.leases.update(ctx, wanted))
	switch {
	case apierrors.IsConflict(err):
		return l.reclaim(ctx)
	case apierrors.IsNotFound(err):
		return l.create(ctx)
	}
	return err
}

func (l *Lock) reclaim(ctx context.Context) error {
	now, err := l.leases.get(ctx)
	if err != nil {
		return err
	}
	if deref(now.Spec.HolderIdentity) != l.options.Identity {
		return lockedBy(now)
	}
	l.lease = now
	return nil
}
