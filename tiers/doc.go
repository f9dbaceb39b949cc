// Package tiers holds the declared order of a cluster and turns it into a plan:
// the TIER_ORDER file, the dependency graph of the Flux Kustomizations, the
// drift between the two, and the steps of a run with the cause of each.
//
// It is pure: bytes and snapshots in, values out. It knows no cluster, no
// clock and no file system, so the same input gives the same bytes.
package tiers
