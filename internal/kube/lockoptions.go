package kube

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// LockOptions say which Lease is the lock. Zero fields have defaults.
type LockOptions struct {
	Namespace string // else the client's
	Name      string // else "standup"
	Identity  string // else Identity("")
	// Duration is how long the lock outlives a holder that cannot be looked
	// at; Renew is how often it says that it lives.
	Duration, Renew time.Duration
}

func (o LockOptions) withDefaults(c *Client) LockOptions {
	if o.Namespace == "" {
		o.Namespace = c.namespace
	}
	if o.Name == "" {
		o.Name = "standup"
	}
	if o.Identity == "" {
		o.Identity = Identity("")
	}
	if o.Duration == 0 {
		o.Duration = 15 * time.Second
	}
	if o.Renew == 0 {
		o.Renew = 4 * time.Second
	}
	return o
}

// LockedError says that another run holds the lock, or took it from us.
type LockedError struct {
	Lease          string // namespace/name
	Holder         string
	Since, Renewed time.Time
}

// Error implements error.
func (e *LockedError) Error() string {
	who := e.Holder
	if id, ours := parseIdentity(e.Holder); ours {
		who = fmt.Sprintf("run %s on %s (pid %d)", id.run, id.host, id.pid)
	}
	return fmt.Sprintf("another run holds the lock %s: %s, since %s, last seen %s", e.Lease, who, stamp(e.Since), stamp(e.Renewed))
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}

func lockedBy(lease *coordinationv1.Lease) error {
	e := &LockedError{Lease: lease.Namespace + "/" + lease.Name, Holder: deref(lease.Spec.HolderIdentity)}
	if lease.Spec.AcquireTime != nil {
		e.Since = lease.Spec.AcquireTime.Time
	}
	if lease.Spec.RenewTime != nil {
		e.Renewed = lease.Spec.RenewTime.Time
	}
	return e
}
