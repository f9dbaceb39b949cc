package report

import (
	"strings"

	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/tiers"
)

// repaired tells of a run that had no tiers to drive: it broke wedges.
func (w *writer) repaired() {
	v := w.view
	applied := 0
	for _, it := range v.Others {
		if it.Object.Kind == tiers.KindKustomization {
			applied++
		}
	}
	w.line("%s no longer wedged, after %s%s.", view.Count(applied, "Kustomization"), view.Duration(v.Elapsed(v.Finished)), w.writes())
}

// early tells what was applied before its Kustomization could, and whose it is
// now.
func (w *writer) early() {
	all := w.view.Early()
	if len(all) == 0 {
		return
	}
	w.gap()
	w.line("Applied early:")
	for _, e := range all {
		owner := "Flux has made it its own"
		if !e.HandedOver {
			owner = "Flux makes it its own when it applies its set; `standup status` shows whether it has"
		}
		w.line("  %s: %s. %s.", e.Name, strings.TrimSuffix(e.Why, "."), capital(owner))
	}
}
