package view

import (
	"slices"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Trouble is one cause, and what it holds up.
type Trouble struct {
	Item Item
	// Behind are the Kustomizations that did not get there because of it, in
	// plan order.
	Behind []Item
}

// resolve finds the root of everything that was skipped, or that failed only
// because something else did.
func (v *View) resolve() {
	for it := range v.Items {
		v.items[it.key] = it
	}
	for i := range v.state.Steps {
		st := &v.state.Steps[i].Step
		key := st.Object.String()
		if st.Verb == tiers.Probe {
			key = probeKey(st)
		}
		if it, ok := v.items[key]; ok {
			v.steps[st.ID] = it
		}
	}
	for it := range v.Items {
		if it.blocker == "" {
			it.blocker = v.pointsAt(it)
		}
	}
	for it := range v.Items {
		if root := v.root(it); root != it.key {
			it.BlockedBy = v.keyName(root)
		}
	}
}

// pointsAt is the key of what it was skipped for, or of the failed dependency
// that explains its own failure; empty when it is a root.
func (v *View) pointsAt(it *Item) string {
	switch it.Status {
	case Skipped:
		st := v.ended(it)
		if st == nil || st.Because == "" {
			return ""
		}
		if other, ok := v.steps[tiers.StepID(st.Because)]; ok {
			return other.key
		}
		return st.Because
	case Failed:
		if !isConsequence(it.Seen) {
			return ""
		}
		for _, dep := range v.dependencies(it) {
			if dep.Status == Failed || dep.Status == Skipped || dep.Status == Suspended {
				return dep.key
			}
		}
	case Pending, Running, Ready, Cancelled, Suspended:
	}
	return ""
}

// isConsequence reports whether what was seen only points at another object.
func isConsequence(o waiters.Observation) bool {
	switch o.Cause.Kind { //nolint:exhaustive // the two causes that are another object's
	case waiters.DependencyNotReady, waiters.DependencySuspended:
		return true
	case waiters.NoCause:
		return o.State == waiters.Blocked
	}
	return false
}

// root follows the pointers to their end. Events cannot point in a circle, but
// a summary that hangs would be worse than one that stops half way.
func (v *View) root(it *Item) string {
	at := it.key
	for range len(v.items) + 1 {
		next, ok := v.items[at]
		if !ok || next.blocker == "" || next.blocker == at {
			return at
		}
		at = next.blocker
	}
	return at
}

// keyName is how people call the item or object behind a key.
func (v *View) keyName(key string) string {
	if it, ok := v.items[key]; ok {
		return it.Name
	}
	if ref, ok := parseRef(key); ok {
		return v.names.Of(ref)
	}
	return key
}

// dependencies are the items that it waits for, each once, nearest edges first.
func (v *View) dependencies(it *Item) []*Item {
	var out []*Item
	add := func(ids []tiers.StepID) {
		for _, id := range ids {
			dep, ok := v.steps[id]
			if !ok {
				dep, ok = v.steps[baseOf(id)]
			}
			if ok && dep.key != it.key && !slices.Contains(out, dep) {
				out = append(out, dep)
			}
		}
	}
	for st := range v.stepsOf(it) {
		add(st.Step.DependsOn)
	}
	for st := range v.stepsOf(it) {
		add(st.Step.After)
	}
	return out
}

// waitsFor is the first thing that holds a pending item back, nil when nothing
// does. It stops at the first: a barrier can have a hundred edges.
func (v *View) waitsFor(it *Item) *Item {
	for st := range v.stepsOf(it) {
		for _, ids := range [][]tiers.StepID{st.Step.DependsOn, st.Step.After} {
			for _, id := range ids {
				if dep, ok := v.steps[id]; ok && dep.key != it.key && dep.Status != Ready {
					return dep
				}
			}
		}
	}
	return nil
}

// Troubles lists what went wrong for good, causes only: what failed in a tier
// that matters first, then optional tiers, each in plan order.
func (v *View) Troubles() []Trouble {
	var must, may []Trouble
	behind := v.behind()
	for it := range v.Items {
		if it.Status != Failed || v.root(it) != it.key {
			continue
		}
		t := Trouble{Item: *it, Behind: behind[it.key]}
		if it.Optional {
			may = append(may, t)
		} else {
			must = append(must, t)
		}
	}
	return append(must, may...)
}

// BehindLeft lists the Kustomizations that a suspended object holds up: those
// that the plan knew of, then those that the run found.
func (v *View) BehindLeft(l tiers.Left) []tiers.Ref {
	out := slices.Clone(l.Behind)
	for _, it := range v.behind()[l.Object.String()] {
		if !slices.Contains(out, it.Object) {
			out = append(out, it.Object)
		}
	}
	return out
}

// Names returns how people call these objects.
func (v *View) Names(refs []tiers.Ref) []string {
	out := make([]string, 0, len(refs))
	for _, ref := range refs {
		out = append(out, v.names.Of(ref))
	}
	return out
}

// behind groups the Kustomizations by the root that holds them up.
func (v *View) behind() map[string][]Item {
	out := map[string][]Item{}
	for it := range v.Items {
		if it.isProbe() || it.isEarly() || it.Status != Skipped && it.Status != Failed {
			continue
		}
		if root := v.root(it); root != it.key {
			out[root] = append(out[root], *it)
		}
	}
	return out
}

// BlockedBy is the root that holds it up, as namespace/name for a Kustomization
// and as kind/namespace/name or probe:tier/name for anything else; false when
// it is its own root.
func (v *View) BlockedBy(it *Item) (string, bool) {
	root := v.root(it)
	if root == it.key {
		return "", false
	}
	if ref, ok := parseRef(root); ok && ref.Kind == tiers.KindKustomization {
		return ref.NamespacedName(), true
	}
	return root, true
}
