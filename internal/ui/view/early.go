package view

import (
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
)

// Early is an object that was applied before its Kustomization could.
type Early struct {
	Object tiers.Ref
	// Name is how people call it, Why what it was applied for.
	Name, Why string
	// HandedOver is set once Flux has applied it itself.
	HandedOver bool
}

// Early lists what the run applied early, in order.
func (v *View) Early() []Early {
	var out []Early
	for i := range v.state.Steps {
		st := &v.state.Steps[i]
		if st.Step.Verb != tiers.PreApply || !st.PreApplied {
			continue
		}
		e := Early{Object: st.Step.Object, Name: v.names.Of(st.Step.Object), Why: Line(st.Step.Cause)}
		for j := range v.state.Steps {
			h := &v.state.Steps[j]
			if h.Step.Verb == tiers.Handover && h.Step.Object == e.Object && h.Outcome == event.Succeeded {
				e.HandedOver = true
			}
		}
		out = append(out, e)
	}
	return out
}

// isEarly reports whether the item is about breaking a wedge: an object to apply
// early, or a kind to wait for.
func (i *Item) isEarly() bool {
	return i.newest[order(tiers.PreApply)]+i.newest[order(tiers.Served)]+i.newest[order(tiers.Handover)] > 0 &&
		i.Object.Kind != tiers.KindKustomization
}

// IsSource reports whether the item is a source that the run drives.
func (i *Item) IsSource() bool {
	return !i.isProbe() && !i.isEarly() && i.Object.Kind != tiers.KindKustomization
}
