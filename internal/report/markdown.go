package report

import (
	"fmt"
	"strings"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
)

// Markdown is the run as a page for an issue, a wiki or a CI job's summary.
func Markdown(s *event.State) string {
	v := view.Of(s)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", title(v))
	fmt.Fprintf(&b, "Run `%s`, %s, %s.\n\n", v.Run, outcomeOf(v, s), view.Duration(v.Elapsed(v.Finished)))
	fmt.Fprintf(&b, "```text\n%s```\n", fenced(Summary(s, SummaryOptions{})))
	if len(v.Tiers) == 0 {
		return b.String()
	}
	b.WriteString("\n| tier | Kustomization | state | revision | took | why |\n|---|---|---|---|---:|---|\n")
	for it := range v.Items {
		took := ""
		if d := it.Took(); d > 0 {
			took = view.Duration(d)
		}
		cells := []string{it.Tier, it.Name, it.Status.String(), view.Revision(it.Seen.Revision), took, v.Why(it)}
		for i := range cells {
			cells[i] = cell(cells[i])
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

func title(v *view.View) string {
	if v.Cluster == "" {
		return "standup"
	}
	return "standup: " + v.Cluster
}

// cell keeps what others wrote from being markup.
func cell(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[").Replace(s)
}

// fenced keeps what others wrote from closing the fence.
func fenced(s string) string { return strings.ReplaceAll(s, "```", "'''") }
