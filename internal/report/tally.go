package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/standup-sh/standup/internal/ui/view"
)

// count sums the Kustomizations up: those that are Ready, those that should
// be, and those of optional tiers that are not.
func (w *writer) count() (ready, total, optional int) {
	for i := range w.view.Tiers {
		t := &w.view.Tiers[i]
		ready, total = ready+t.Ready, total+t.Total
		if t.Optional {
			optional += t.Total - t.Ready
		}
	}
	return ready, total, optional
}

// at is the revision that everything is at, where there is only one.
func (w *writer) at() string {
	revision := ""
	for it := range w.view.Items {
		switch {
		case it.Object.IsZero() || it.Status != view.Ready || it.Seen.Revision == "":
		case revision == "":
			revision = it.Seen.Revision
		case revision != it.Seen.Revision:
			return " at their sources' revisions"
		}
	}
	if revision == "" {
		return ""
	}
	return " at " + view.Revision(revision)
}

// writes says what was changed: a run that changed nothing says that.
func (w *writer) writes() string {
	resumed, nudges, resets := 0, 0, 0
	for it := range w.view.Items {
		if it.Resumed {
			resumed++
		}
		nudges += it.Nudges
		resets += it.Resets
	}
	var parts []string
	if resumed > 0 {
		parts = append(parts, fmt.Sprintf("%d un-suspended", resumed))
	}
	if nudges > 0 {
		parts = append(parts, view.Count(nudges, "nudge"))
	}
	if resets > 0 {
		parts = append(parts, view.Count(resets, "HelmRelease reset"))
	}
	if n := len(w.view.Early()); n > 0 {
		parts = append(parts, view.Count(n, "object")+" applied early")
	}
	if len(parts) == 0 {
		return "; nothing was changed"
	}
	return "; " + strings.Join(parts, ", ")
}

// names joins names, and counts the rest where they are many.
func names(all []string) string {
	const most = 12
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}

func namesOf(items []view.Item) []string {
	out := make([]string, 0, len(items))
	for i := range items {
		out = append(out, items[i].Name)
	}
	return out
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// age spells a duration as kubectl does: one or two units.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d <= 0:
		return "-"
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 3*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 2*day:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d/day))
}
