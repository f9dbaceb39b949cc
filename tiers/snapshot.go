package tiers

import "time"

// Kustomization is what ordering needs to know of one Flux Kustomization. It
// is filled from the live object or from a tree; this package never looks.
type Kustomization struct {
	Ref       Ref
	Source    Ref
	DependsOn []Ref
	// Parent is the Kustomization that applies this one, from the owner labels
	// kustomize.toolkit.fluxcd.io/name and /namespace. Zero for a root, and
	// for one that applies itself.
	Parent Ref
	// Waits is true for spec.wait, or when spec.healthChecks names a child
	// Kustomization: it turns Ready only after its children did.
	Waits bool
	// WaitsFor narrows Waits to the Kustomizations that spec.healthChecks
	// names. Empty means every child.
	WaitsFor []Ref
	// Missing is true for one that is known from a tree and is not on the
	// cluster yet. One that is on neither is simply not in the snapshot.
	Missing bool
	// Suspension says whether and how the object is suspended.
	Suspension Suspension
	// Settled is true when a dependent is satisfied by the object as it stands
	// (Ready at the current revision), suspended or not.
	Settled bool
	// Interval and RetryInterval are Flux's own timers; what a failed pass
	// costs without standup.
	Interval, RetryInterval time.Duration
}

// Source is what ordering needs to know of one source object.
type Source struct {
	Ref        Ref
	Suspension Suspension
	// Settled is true when the source has an artifact, which it goes on
	// serving while it is suspended. It only matters for SuspendedInGit.
	Settled bool
}

// Suspension says whether an object is suspended, and who says so.
type Suspension int

// Suspensions. The zero value is a running object.
const (
	NotSuspended Suspension = iota
	// SuspendedLive was set on the cluster: standup lifts it.
	SuspendedLive
	// SuspendedInGit is owned by an applier (Flux itself): git wins, standup
	// leaves it.
	SuspendedInGit
)

// Snapshot is everything that a plan is made from. Order does not matter.
type Snapshot struct {
	Kustomizations []Kustomization
	Sources        []Source
}
