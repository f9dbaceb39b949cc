package tiers

import (
	"fmt"
	"slices"
	"strings"
)

// Check compares a TIER_ORDER file with the graph and lists every difference,
// sorted. Without a file only the graph itself is checked.
func Check(order *TierOrder, s Snapshot) []Drift {
	r := relate(s, nil)
	found := checkGraph(r)
	if order != nil && len(order.Tiers) > 0 {
		order = order.fill()
		listed := checkListed(order, r)
		found = append(found, listed...)
		placed := place(order, r)
		if order.Unlisted != UnlistedIgnore {
			found = append(found, unlessMeant(placed.unlisted, listed)...)
		}
		if order.Barriers {
			found = append(found, contradictions(order, r, placed)...)
			found = append(found, parentsBehind(order, r, placed)...)
		}
	}
	slices.SortStableFunc(found, Drift.compare)
	return found
}

// checkGraph finds what is wrong whatever TIER_ORDER says.
func checkGraph(r *relations) []Drift {
	var found []Drift
	for _, c := range r.cycles() {
		found = append(found, Drift{Kind: DriftCycle, Object: c.Path[0], Message: "dependency cycle: " + c.String(), Fix: c.remedy()})
	}
	for _, ref := range r.refs() {
		for _, d := range r.all[ref].DependsOn {
			if !r.has(d) {
				message, fix, _ := strings.Cut(missingDependency(ref, d, r), "; ")
				found = append(found, Drift{Kind: DriftMissingDependency, Object: ref, Other: d, Message: message, Fix: fix})
			}
		}
	}
	return found
}

// missingDependency is one sentence and, behind a semicolon, what to do.
func missingDependency(ref, dependency Ref, r *relations) string {
	s := fmt.Sprintf("%s depends on %s, which does not exist", ref.NamespacedName(), dependency.NamespacedName())
	if near := NearestRef(dependency, r.refs()); !near.IsZero() && near != ref {
		return fmt.Sprintf("%s; did you mean %s?", s, near.NamespacedName())
	}
	return s + "; create it or remove the dependsOn"
}

// checkListed finds tiers that name nothing, and names of nothing.
func checkListed(order *TierOrder, r *relations) []Drift {
	var found []Drift
	free := unlistedIn(order, r)
	for i := range order.Tiers {
		t := &order.Tiers[i]
		members := t.Members(order.Defaults.Namespace)
		if len(members) == 0 {
			found = append(found, Drift{
				Kind: DriftEmptyTier, Tier: t.Name, File: order.File, Pos: t.Pos,
				Message: fmt.Sprintf("tier %q lists no Kustomization", t.Name), Fix: "list one, or remove the tier",
			})
		}
		for _, ref := range members {
			if r.has(ref) {
				continue
			}
			d := Drift{
				Kind: DriftNotFound, Object: ref, Tier: t.Name, File: order.File, Pos: t.Pos,
				Message: fmt.Sprintf("tier %q lists Kustomization %s, which does not exist", t.Name, ref.NamespacedName()), Fix: "remove it",
			}
			if near := NearestRef(ref, free); !near.IsZero() {
				d.Other = near
				d.Fix = fmt.Sprintf("did you mean %s?", memberName(order.Defaults.Namespace, near))
			}
			found = append(found, d)
		}
	}
	return found
}

// unlistedIn lists what no tier lists: what a wrong name may have meant.
func unlistedIn(order *TierOrder, r *relations) []Ref {
	listed := map[Ref]bool{}
	for i := range order.Tiers {
		for _, ref := range order.Tiers[i].Members(order.Defaults.Namespace) {
			listed[ref] = true
		}
	}
	return slices.DeleteFunc(r.refs(), func(ref Ref) bool { return listed[ref] })
}

// unlessMeant gives an unlisted Kustomization that a tier seems to mean by a
// wrong name that very tier as its fix.
func unlessMeant(unlisted, listed []Drift) []Drift {
	meant := map[Ref]string{}
	for _, d := range listed {
		if d.Kind == DriftNotFound {
			meant[d.Other] = d.Tier
		}
	}
	for i, d := range unlisted {
		if tier, is := meant[d.Object]; is {
			unlisted[i].Fix = fmt.Sprintf("tier %q seems to mean it", tier)
		}
	}
	return unlisted
}

// parentsBehind finds children that are driven in front of the parent that
// applies them: from cold they would not exist yet.
func parentsBehind(order *TierOrder, r *relations, p placement) []Drift {
	var found []Drift
	for _, ref := range r.refs() {
		parent, ok := r.parent(ref)
		if !ok || p.tier[parent] <= p.tier[ref] || slices.Contains(r.all[parent].DependsOn, ref) {
			continue
		}
		early, late := &order.Tiers[p.tier[ref]], &order.Tiers[p.tier[parent]]
		found = append(found, Drift{
			Kind: DriftOrder, Object: ref, Other: parent, Tier: early.Name, File: order.File, Pos: early.Pos,
			Message: fmt.Sprintf("tier %q is in front of tier %q, but %s applies %s", early.Name, late.Name, parent.NamespacedName(), ref.NamespacedName()),
			Fix:     fmt.Sprintf("move %s to tier %q or in front of it", parent.NamespacedName(), early.Name),
		})
	}
	return found
}
