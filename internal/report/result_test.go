package report

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/ui/uitest"
)

func resultJSON(t *testing.T, s *uitest.Script) string {
	t.Helper()
	st := s.State()
	b, err := JSON(st, uitest.ExitCode(st.Err))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestResultWhole(t *testing.T) {
	for name, s := range runs() {
		uitest.Golden(t, "result-"+name+".json", resultJSON(t, s))
	}
}

func TestResultOutcomes(t *testing.T) {
	for name, want := range map[string]string{
		"success": "succeeded", "healthy": "succeeded", "optional": "succeeded", "wedged": "failed",
		"partial": "failed", "interrupted": "cancelled", "refused": "refused", "underway": "running",
	} {
		var got struct{ Outcome string }
		if err := json.Unmarshal([]byte(resultJSON(t, runs()[name])), &got); err != nil || got.Outcome != want {
			t.Errorf("%s: outcome %q (%v), want %q", name, got.Outcome, err, want)
		}
	}
}

// The cause stands at its root and nowhere else.
func TestResultBlockedByNamesTheRoot(t *testing.T) {
	var got struct {
		Tiers []struct {
			Kustomizations []struct {
				Name, State string
				BlockedBy   *string
				Cause       *struct{ Kind string }
			}
		}
	}
	if err := json.Unmarshal([]byte(resultJSON(t, uitest.Wedged())), &got); err != nil {
		t.Fatal(err)
	}
	causes := 0
	for _, tier := range got.Tiers {
		for _, k := range tier.Kustomizations {
			if k.Cause != nil {
				causes++
			}
			if k.State == "Skipped" && (k.BlockedBy == nil || *k.BlockedBy != "flux-system/platform-config") {
				t.Errorf("%s is blocked by %v", k.Name, k.BlockedBy)
			}
		}
	}
	if causes != 1 {
		t.Errorf("%d causes, want one", causes)
	}
}

func TestResultFieldsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/reference/result.md")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	for _, s := range runs() {
		for _, m := range regexp.MustCompile(`"([a-zA-Z]+)":`).FindAllStringSubmatch(resultJSON(t, s), -1) {
			fields[m[1]] = true
		}
	}
	var missing []string
	for name := range fields {
		if !strings.Contains(string(doc), "`"+name+"`") {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("docs/reference/result.md does not name %v", missing)
	}
}

func TestSameInputSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	first := map[string]string{}
	for _, procs := range []int{1, 8} {
		runtime.GOMAXPROCS(procs)
		for range 10 {
			for name, s := range runs() {
				got := resultJSON(t, s) + Summary(s.State(), SummaryOptions{Verbose: true})
				if old, ok := first[name]; ok && old != got {
					t.Fatalf("%s: two results differ", name)
				}
				first[name] = got
			}
		}
	}
}
