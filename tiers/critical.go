package tiers

import "time"

// CriticalPath returns the chain of Kustomizations that no number of hands can
// shorten: each depends on the one before it, or is applied by it, and their
// weights add up to the most.
func CriticalPath(s Snapshot, weight func(Ref) time.Duration) []Ref {
	return relate(s, nil).starts().CriticalPath(weight)
}
