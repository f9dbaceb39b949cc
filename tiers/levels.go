package tiers

import (
	"fmt"
	"strconv"
)

// levelOrder makes tiers of the levels of the graph: each Kustomization in the
// first tier that is behind all that it depends on and behind its parent. name
// is given the number of a level, from 1, and its members.
//
// It declares no barriers: nobody asked that unrelated branches wait for each
// other, and a level of a large cluster always has some member that is broken.
func levelOrder(r *relations, name func(n int, members []Ref) string) *TierOrder {
	order := &TierOrder{APIVersion: OrderAPIVersion, Kind: OrderKind}
	for i, level := range r.starts().Levels() {
		t := Tier{Name: name(i+1, level)}
		for _, ref := range level {
			t.Kustomizations = append(t.Kustomizations, memberName(DefaultNamespace, ref))
		}
		order.Tiers = append(order.Tiers, t)
	}
	return order.fill()
}

func numbered(n int, _ []Ref) string { return strconv.Itoa(n) }

// contradictions lists what cannot hold at once: a barrier that holds a
// Kustomization back, and an earlier tier that needs it.
func contradictions(order *TierOrder, r *relations, p placement) []Drift {
	var found []Drift
	report := func(ref, needed Ref, how string) {
		if p.tier[needed] <= p.tier[ref] {
			return
		}
		early, late := &order.Tiers[p.tier[ref]], &order.Tiers[p.tier[needed]]
		found = append(found, Drift{
			Kind: DriftOrder, Object: ref, Other: needed, Tier: early.Name, File: order.File, Pos: early.Pos,
			Message: fmt.Sprintf("tier %q is in front of tier %q, but %s %s", early.Name, late.Name, ref.NamespacedName(), how),
			Fix:     fmt.Sprintf("move %s to tier %q or behind it", ref.NamespacedName(), late.Name),
		})
	}
	for _, ref := range r.refs() {
		for _, d := range r.dependencies(ref) {
			report(ref, d, "depends on "+d.NamespacedName())
			for _, w := range r.waitedClosure(d) {
				report(ref, w, fmt.Sprintf("depends on %s, which waits for the health of %s", d.NamespacedName(), w.NamespacedName()))
			}
		}
	}
	return found
}
