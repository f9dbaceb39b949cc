package view

import (
	"strings"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
)

// Names knows which namespace goes without saying. The zero Names spells every
// namespace out.
type Names struct{ home string }

// namesOf asks the plan, and not what was added since: names must not change in
// mid-run.
func namesOf(s *event.State) Names {
	if s.Plan == nil {
		return Names{}
	}
	return NamesIn(s.Plan.Tiers)
}

// NamesIn returns how the objects of these tiers are called: the namespace that
// most of their Kustomizations live in (of equals, the first by name) is left
// out.
func NamesIn(ts []tiers.PlanTier) Names {
	count := map[string]int{}
	best := Names{}
	for _, t := range ts {
		for _, m := range t.Members {
			count[m.Namespace]++
		}
	}
	for ns, n := range count {
		if n > count[best.home] || n == count[best.home] && ns < best.home {
			best.home = ns
		}
	}
	return best
}

// Of is how people call ref: a Kustomization goes by its name, other kinds say
// what they are, and a foreign namespace is spelled out.
func (n Names) Of(ref tiers.Ref) string {
	if ref.IsZero() {
		return ""
	}
	name := ref.Name
	if ref.Namespace != n.home || n.home == "" {
		name = ref.NamespacedName()
	}
	if ref.Kind == tiers.KindKustomization {
		return name
	}
	return ref.Kind + " " + name
}

// parseRef reads the spelling of tiers.Ref.String.
func parseRef(s string) (tiers.Ref, bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return tiers.Ref{}, false
	}
	return tiers.Ref{Kind: parts[0], Namespace: parts[1], Name: parts[2]}, true
}
