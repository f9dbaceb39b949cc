package report

import (
	"fmt"
	"strings"

	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/internal/ui/wire"
	"github.com/standup-sh/standup/tiers"
)

// PlanSchema names the JSON of a plan and its version.
const PlanSchema = "standup.plan/v1"

// PlanText is the plan for a person: numbered steps by tier, each with its
// cause. The numbers are the order in which steps may start.
func PlanText(p *tiers.Plan) string {
	var b strings.Builder
	names := view.NamesIn(p.Tiers)
	where := ""
	if p.Cluster != "" {
		where = " for " + p.Cluster
	}
	fmt.Fprintf(&b, "Plan%s: %s, %s\n", where, view.Count(view.TierCount(p.Tiers), "tier"), view.Count(len(p.Steps), "step"))
	var lines [][]string
	heads := map[int]string{} // index of a tier's first line -> its heading
	add := func(head string, match func(tiers.Step) bool) {
		first := len(lines)
		for i, s := range p.Steps {
			if match(s) {
				lines = append(lines, stepLine(i+1, s, names))
			}
		}
		if len(lines) > first {
			heads[first] = head
		}
	}
	known := map[string]bool{}
	for _, t := range p.Tiers {
		known[t.Name] = true
	}
	add("before the tiers", func(s tiers.Step) bool { return !known[s.Tier] })
	for i, t := range p.Tiers {
		add(tierHead(i+1, t), func(s tiers.Step) bool { return s.Tier == t.Name })
	}
	if len(lines) > 0 {
		for i, line := range strings.Split(strings.TrimSuffix(columns(lines, "  "), "\n"), "\n") {
			if head, ok := heads[i]; ok {
				fmt.Fprintf(&b, "\n%s\n", head)
			}
			b.WriteString(line + "\n")
		}
	}
	planTail(&b, p, names)
	return b.String()
}

func stepLine(n int, s tiers.Step, names view.Names) []string {
	what := names.Of(s.Object)
	if s.Verb == tiers.Probe {
		what = s.Probe
	}
	return []string{fmt.Sprintf("%4d", n), string(s.Verb), what, view.Line(s.Cause)}
}

func tierHead(n int, t tiers.PlanTier) string {
	var notes []string
	if t.Optional {
		notes = append(notes, "optional")
	}
	if !t.Listed {
		notes = append(notes, "not in TIER_ORDER")
	}
	if t.Parallel > 0 && len(t.Members) > 1 {
		notes = append(notes, fmt.Sprintf("%d at once", t.Parallel))
	}
	head := fmt.Sprintf("%d. %s", n, t.Name)
	if len(notes) > 0 {
		head += " (" + strings.Join(notes, ", ") + ")"
	}
	return head
}

func planTail(b *strings.Builder, p *tiers.Plan, names view.Names) {
	if len(p.Left) > 0 {
		b.WriteString("\nLeft suspended:\n")
	}
	for _, l := range p.Left {
		fmt.Fprintf(b, "  %s: %s", names.Of(l.Object), view.Line(l.Why))
		for i, ref := range l.Behind {
			sep := ", "
			if i == 0 {
				sep = "; behind it: "
			}
			b.WriteString(sep + names.Of(ref))
		}
		b.WriteString("\n")
	}
	if len(p.Warnings) > 0 {
		b.WriteString("\nWarnings:\n")
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(b, "  %s\n", view.Line(w))
	}
}

// PlanJSON is the plan for programs.
func PlanJSON(p *tiers.Plan) ([]byte, error) {
	warnings := p.Warnings
	if warnings == nil {
		warnings = []string{}
	}
	return wire.Marshal(struct {
		Schema        string      `json:"schema"`
		Cluster       string      `json:"cluster"`
		Tiers         []wire.Tier `json:"tiers"`
		Steps         []wire.Step `json:"steps"`
		LeftSuspended []wire.Left `json:"leftSuspended"`
		Warnings      []string    `json:"warnings"`
	}{PlanSchema, p.Cluster, wire.TiersOf(p.Tiers), wire.StepsOf(p.Steps), wire.LeftOf(p.Left), warnings}, "  ")
}
