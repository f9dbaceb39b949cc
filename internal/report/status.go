package report

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/internal/ui/wire"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// StatusSchema names the JSON of a status and its version.
const StatusSchema = "standup.status/v1"

// StatusRow is one Kustomization as it stands now.
type StatusRow struct {
	Tier   string
	Object tiers.Ref
	Seen   waiters.Observation
	// Age is how long it has been in this state; zero when that is not known.
	Age time.Duration
}

// StatusEarly is an object that was applied early and that Flux has not applied
// since.
type StatusEarly struct {
	Object, Owner tiers.Ref
	Run           string
}

// StatusTable lays rows out as kubectl does, in the order given, and what is
// not handed over yet beneath.
func StatusTable(rows []StatusRow, early ...StatusEarly) string {
	if len(rows) == 0 {
		return "No Kustomizations found.\n"
	}
	lines := [][]string{{"TIER", "KUSTOMIZATION", "STATE", "REVISION", "AGE", "MESSAGE"}}
	for _, r := range rows {
		lines = append(lines, []string{
			or(r.Tier, "-"), r.Object.NamespacedName(), r.Seen.State.String(),
			or(view.Revision(r.Seen.Revision), "-"), age(r.Age), view.Sight(r.Seen),
		})
	}
	text := columns(lines, "   ")
	if len(early) > 0 {
		text += "\nApplied early, and not yet applied by Flux:\n"
	}
	for _, e := range early {
		text += fmt.Sprintf("  %s %s, of %s, by run %s\n", e.Object.Kind, e.Object.NamespacedName(), e.Owner.NamespacedName(), e.Run)
	}
	return text
}

// StatusJSON is the same for programs.
func StatusJSON(rows []StatusRow, early ...StatusEarly) ([]byte, error) {
	type preApplied struct {
		Object        string `json:"object"`
		Kustomization string `json:"kustomization"`
		Run           string `json:"run"`
	}
	type row struct {
		Tier       string      `json:"tier"`
		Namespace  string      `json:"namespace"`
		Name       string      `json:"name"`
		State      string      `json:"state"`
		Reason     string      `json:"reason"`
		Revision   string      `json:"revision"`
		Message    string      `json:"message"`
		AgeSeconds float64     `json:"ageSeconds"`
		Cause      *wire.Cause `json:"cause"`
	}
	doc := struct {
		Schema         string       `json:"schema"`
		Kustomizations []row        `json:"kustomizations"`
		PreApplied     []preApplied `json:"preApplied"`
	}{Schema: StatusSchema, Kustomizations: make([]row, 0, len(rows)), PreApplied: []preApplied{}}
	for _, e := range early {
		doc.PreApplied = append(doc.PreApplied, preApplied{Object: e.Object.String(), Kustomization: e.Owner.NamespacedName(), Run: e.Run})
	}
	for _, r := range rows {
		doc.Kustomizations = append(doc.Kustomizations, row{
			Tier: r.Tier, Namespace: r.Object.Namespace, Name: r.Object.Name,
			State: r.Seen.State.String(), Reason: r.Seen.Reason, Revision: r.Seen.Revision, Message: r.Seen.Message,
			AgeSeconds: wire.Seconds(r.Age), Cause: wire.CauseOf(r.Seen),
		})
	}
	return wire.Marshal(doc, "  ")
}

// columns aligns lines of cells; every line has the same number of them.
func columns(lines [][]string, gap string) string {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, len(gap), ' ', 0)
	for _, cells := range lines {
		_, _ = fmt.Fprintln(tw, strings.Join(cells, "\t")) // a Builder does not fail
	}
	_ = tw.Flush() // nor does it here
	out := strings.Split(b.String(), "\n")
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return strings.Join(out, "\n")
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
