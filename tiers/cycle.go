package tiers

import (
	"fmt"
	"slices"
	"strings"
)

// Cycle is a closed chain of Kustomizations in which each needs the next one.
// Flux does not report it: the members wait for each other without end.
type Cycle struct {
	// Path begins at the smallest member; the last one needs the first.
	Path []Ref
	// Waits lists the members that do not depend on the next one but wait for
	// its health, because they apply it.
	Waits []Ref
}

// String names the members in order: a -> b -> a.
func (c Cycle) String() string {
	names := make([]string, 0, len(c.Path)+1)
	for _, ref := range c.Path {
		names = append(names, ref.NamespacedName())
	}
	return strings.Join(append(names, names[0]), " -> ")
}

// remedy says in one sentence what to do about it.
func (c Cycle) remedy() string {
	if len(c.Waits) == 0 {
		return "remove one of these dependsOn"
	}
	var words []string
	for i, ref := range c.Path {
		if slices.Contains(c.Waits, ref) {
			words = append(words, fmt.Sprintf("%s waits for the health of %s", ref.NamespacedName(), c.Path[(i+1)%len(c.Path)].NamespacedName()))
		}
	}
	return strings.Join(words, ", ") + ": take the wait away or one of the dependsOn"
}

// CycleError means that there is no order at all. Each cycle is named once.
type CycleError struct{ Cycles []Cycle }

func (e *CycleError) Error() string {
	lines := make([]string, len(e.Cycles))
	for i, c := range e.Cycles {
		lines[i] = "dependency cycle: " + c.String() + "; " + c.remedy()
	}
	return strings.Join(lines, "\n")
}
