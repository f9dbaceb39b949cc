package tiers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// DriftKind classifies a difference between TIER_ORDER and the graph.
type DriftKind string

// Kinds of drift, in the order in which they are reported.
const (
	// DriftCycle is a cycle in the graph itself.
	DriftCycle DriftKind = "cycle"
	// DriftMissingDependency is a dependsOn on a Kustomization that does not exist.
	DriftMissingDependency DriftKind = "missing-dependency"
	// DriftUnlisted is a Kustomization that no tier lists.
	DriftUnlisted DriftKind = "unlisted"
	// DriftEmptyTier is a tier that lists no Kustomization.
	DriftEmptyTier DriftKind = "empty-tier"
	// DriftNotFound is a Kustomization that a tier lists and that does not exist.
	DriftNotFound DriftKind = "not-found"
	// DriftOrder is an order of tiers that contradicts the graph.
	DriftOrder DriftKind = "order"
)

func (k DriftKind) rank() int {
	return slices.Index([]DriftKind{DriftCycle, DriftMissingDependency, DriftUnlisted, DriftEmptyTier, DriftNotFound, DriftOrder}, k)
}

// Drift is one difference between TIER_ORDER and the graph.
type Drift struct {
	Kind DriftKind
	// Object is the Kustomization concerned; zero for an empty tier.
	Object Ref
	// Other is the second Kustomization of the finding, where there is one:
	// the dependency, or what was probably meant.
	Other Ref
	// Tier is the tier concerned, where there is one.
	Tier string
	// Message is one sentence without the file's place.
	Message string
	// Fix says what to do: the line to add or to change, and where.
	Fix string
	// File and Pos are the place in TIER_ORDER; zero when the fault is in the
	// graph alone.
	File string
	Pos  Position
}

// String prints the finding as a file error is printed.
func (d Drift) String() string {
	s := d.Message
	if d.File != "" && d.Pos.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d: %s", d.File, d.Pos.Line, d.Pos.Column, s)
	}
	if d.Fix != "" {
		s += "; " + d.Fix
	}
	return s
}

// compare leaves unlisted ones as they are: each of their fixes builds on the
// one before it. Sort with it stably.
func (d Drift) compare(o Drift) int {
	if d.Kind == DriftUnlisted && o.Kind == DriftUnlisted {
		return 0
	}
	return cmp.Or(
		cmp.Compare(d.Kind.rank(), o.Kind.rank()),
		cmp.Compare(d.Pos.Line, o.Pos.Line),
		cmp.Compare(d.Pos.Column, o.Pos.Column),
		d.Object.Compare(o.Object),
		d.Other.Compare(o.Other),
		cmp.Compare(d.Message, o.Message),
	)
}

func driftText(findings []Drift) string {
	lines := make([]string, len(findings))
	for i, f := range findings {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// DriftError means that TIER_ORDER says `unlisted: fail` and there are
// Kustomizations that it does not list.
type DriftError struct{ Findings []Drift }

func (e *DriftError) Error() string { return driftText(e.Findings) }

// InvalidOrderError means that the barriers of TIER_ORDER hold back something
// that an earlier tier depends on.
type InvalidOrderError struct{ Findings []Drift }

func (e *InvalidOrderError) Error() string { return driftText(e.Findings) }
