package tiers

import (
	"fmt"
	"slices"
)

// placement says in which tier each Kustomization is driven.
type placement struct {
	tier map[Ref]int // index into the order's tiers
	// unlisted has one finding for each Kustomization that no tier lists. Its
	// fixes, made one after the other, give a file that has none.
	unlisted []Drift
}

// place puts listed Kustomizations into their tiers, existing or not, and finds
// a tier for each unlisted one that exists.
func place(order *TierOrder, r *relations) placement {
	p := placement{tier: map[Ref]int{}}
	for i := range order.Tiers {
		for _, ref := range order.Tiers[i].Members(order.Defaults.Namespace) {
			if _, taken := p.tier[ref]; !taken {
				p.tier[ref] = i
			}
		}
	}
	starts := r.starts()
	needed := neededBy(r, p.tier)
	advice := newAdvice(order, p.tier)
	for _, ref := range slices.Concat(starts.Components()...) { // what is needed comes first
		if _, listed := p.tier[ref]; listed {
			continue
		}
		by, isNeeded := needed[ref]
		u := unlisted{ref: ref, needs: starts.DependsOn(ref), neededBy: by, needed: isNeeded}
		u.parent, _ = r.parent(ref)
		u.loose = !isNeeded && len(r.dependencies(ref)) == 0
		at := u.tier(p.tier, len(order.Tiers)-1)
		p.tier[ref] = at
		p.unlisted = append(p.unlisted, Drift{
			Kind: DriftUnlisted, Object: ref, Tier: order.Tiers[at].Name,
			Message: fmt.Sprintf("Kustomization %s is in no tier", ref.NamespacedName()), Fix: advice.add(u),
		})
	}
	return p
}

// unlisted is what its place depends on.
type unlisted struct {
	ref Ref
	// needs is what it depends on and what that waits for, and the parent that
	// applies it.
	needs  []Ref
	parent Ref
	// neededBy is the first tier that needs it, if needed.
	neededBy int
	needed   bool
	// loose is true when it depends on nothing and nothing listed needs it.
	loose bool
}

// tier is the last one that it needs, else the first. A loose one goes into the
// last tier: anywhere else the barrier behind it would hold back tiers that
// have nothing to do with it, and that it may silently need itself, as every
// pod needs the network. A parent moves it back no further than to the tier
// that needs it: the edge to a parent is the one that can give way.
func (u unlisted) tier(placed map[Ref]int, last int) int {
	if u.loose {
		return last
	}
	at, behindParent := 0, 0
	for _, n := range u.needs {
		if n == u.parent {
			behindParent = placed[n]
			continue
		}
		at = max(at, placed[n])
	}
	if u.needed {
		behindParent = min(behindParent, u.neededBy)
	}
	return max(at, behindParent)
}
