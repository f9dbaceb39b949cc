package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/ui/table"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/internal/ui/view"
)

// all are the scripted runs and many that nobody thought of.
func all() map[string]*uitest.Script {
	out := runs()
	for seed := range uint64(60) {
		out[fmt.Sprintf("random %d", seed)] = uitest.Random(seed)
	}
	return out
}

type readResult struct {
	Outcome string
	Error   string
	Tiers   []struct {
		Name, State    string
		Kustomizations []struct {
			Namespace, Name, State string
			Cause                  *struct{ Kind string }
			BlockedBy              *string
			Nudges                 int
			Resumed                bool
		}
		Probes []struct{ Name, State string }
	}
}

func read(t *testing.T, s *uitest.Script) readResult {
	t.Helper()
	var r readResult
	if err := json.Unmarshal([]byte(resultJSON(t, s)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// totals are what a result counts.
type totals struct{ tiers, readyTiers, ready, resumed, nudges int }

func totalsOf(r readResult) totals {
	n := totals{tiers: len(r.Tiers)}
	for _, tier := range r.Tiers {
		if tier.State == "Ready" {
			n.readyTiers++
		}
		for _, k := range tier.Kustomizations {
			if k.State == "Ready" {
				n.ready++
			}
			if k.Resumed {
				n.resumed++
			}
			n.nudges += k.Nudges
		}
	}
	return n
}

// said reports whether the summary's head line counts the same.
func (n totals) said(head string) bool {
	of := fmt.Sprintf("%d of %s", n.readyTiers, view.Count(n.tiers, "tier"))
	ks := view.Count(n.ready, "Kustomization")
	return strings.Contains(head, ": "+of+" ready, ") || // it was stopped
		strings.HasPrefix(head, of+", "+ks+" Ready") || // it left something out
		n.readyTiers == n.tiers && strings.HasPrefix(head, view.Count(n.tiers, "tier")+", "+ks+" Ready")
}

// The table, the summary and the result are looks at one state: they cannot
// tell different stories.
func TestAllLooksAgree(t *testing.T) {
	for name, s := range all() {
		if name == "refused" {
			continue // nothing to count
		}
		n := totalsOf(read(t, s))
		frame := table.Render(s.State(), 200, 100, s.Now(), table.Style{Unicode: true})
		if want := fmt.Sprintf("%d of %s ready", n.readyTiers, view.Count(n.tiers, "tier")); !strings.Contains(frame, want) {
			t.Errorf("%s: the table does not say %q:\n%s", name, want, frame)
		}
		head, _, _ := strings.Cut(Summary(s.State(), SummaryOptions{}), "\n")
		if !n.said(head) {
			t.Errorf("%s: the summary does not count %+v: %s", name, n, head)
		}
		if n.resumed > 0 && !strings.Contains(head, fmt.Sprintf("%d un-suspended", n.resumed)) {
			t.Errorf("%s: the summary does not count %d un-suspended: %s", name, n.resumed, head)
		}
		if n.nudges > 0 && !strings.Contains(head, view.Count(n.nudges, "nudge")) {
			t.Errorf("%s: the summary does not count %d nudges: %s", name, n.nudges, head)
		}
	}
}

// Each cause of a run that failed is in the summary, once, and red in the test
// report unless its tier is optional.
func TestCausesAreReportedOnce(t *testing.T) {
	for name, s := range all() {
		v := view.Of(s.State())
		summary := Summary(s.State(), SummaryOptions{})
		if got, want := strings.Count(summary, "Cause: "), len(v.Troubles()); got != want {
			t.Errorf("%s: %d causes in the summary, want %d:\n%s", name, got, want, summary)
		}
		must := 0
		for _, tr := range v.Troubles() {
			if !tr.Item.Optional {
				must++
			}
		}
		b, err := JUnit(s.State())
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Failures int `xml:"failures,attr"`
			Tests    int `xml:"tests,attr"`
			Skipped  int `xml:"skipped,attr"`
		}
		if err := xml.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Failures != must {
			t.Errorf("%s: %d failures in the test report, want %d", name, doc.Failures, must)
		}
		if n := strings.Count(string(b), "<testcase "); n != doc.Tests {
			t.Errorf("%s: %d cases, and tests is %d", name, n, doc.Tests)
		}
		if n := strings.Count(string(b), "<skipped"); n != doc.Skipped {
			t.Errorf("%s: %d skipped, and skipped is %d", name, n, doc.Skipped)
		}
	}
}

// Whoever did not get there has a cause of its own, or a root that has one, or
// was not reached: nobody is left without a word.
func TestNobodyIsLeftUnexplained(t *testing.T) {
	for name, s := range all() {
		st := s.State()
		if !st.Done {
			continue
		}
		for _, tier := range read(t, s).Tiers {
			for _, k := range tier.Kustomizations {
				switch k.State {
				case "Ready", "Failed", "Cancelled", "Suspended":
				case "Skipped":
					if k.BlockedBy == nil {
						t.Errorf("%s: %s/%s is skipped and nothing says why", name, k.Namespace, k.Name)
					}
				default:
					t.Errorf("%s: %s/%s is %s after the run", name, k.Namespace, k.Name, k.State)
				}
				if k.BlockedBy != nil && k.Cause != nil {
					t.Errorf("%s: %s/%s is a consequence and has a cause", name, k.Namespace, k.Name)
				}
			}
		}
	}
}

func TestPagesOfRandomRuns(t *testing.T) {
	for name, s := range all() {
		md, page := Markdown(s.State()), ""
		if b, err := HTML(s.State()); err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			page = string(b)
		}
		for _, tier := range read(t, s).Tiers {
			for _, k := range tier.Kustomizations {
				if !strings.Contains(md, k.Name) || !strings.Contains(page, k.Name) {
					t.Errorf("%s: a page leaves %s out", name, k.Name)
				}
			}
		}
	}
}
