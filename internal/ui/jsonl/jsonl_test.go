package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/spool"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
)

func options() Options { return Options{ExitCode: uitest.ExitCode} }

func lines(t *testing.T, s *uitest.Script) string {
	t.Helper()
	var b bytes.Buffer
	sink := New(&b, options())
	s.Play(sink)
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// everything is a run with an event of every kind.
func everything() *uitest.Script {
	s := uitest.Wedged()
	end := s.Events[len(s.Events)-1].Body
	s.Events = s.Events[:len(s.Events)-1]
	repo := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}
	again := tiers.StepID(string(uitest.ReadyID("platform")) + "#2")
	s.Emit(event.PreflightChecked{Name: "api", Detail: "v1.36.3 answers in 4 ms"}).
		Emit(event.PreflightChecked{Name: "permissions", Err: errors.New("cannot patch kustomizations")}).
		Emit(event.SourceMoved{Source: repo, From: uitest.Old, To: uitest.New}).
		Emit(event.Warned{Object: repo, Message: "a <tag> & more"}).
		Emit(event.PlanExtended{
			Steps: []tiers.Step{{ID: again, Verb: tiers.Ready, Object: tiers.KustomizationRef("flux-system", "platform"), Tier: "platform", Cause: "it is Stale again"}},
			Cause: "source flux-system moved",
		}).
		Cancel(errors.New("the run ended first"), again)
	return s.Emit(end)
}

func TestLinesWhole(t *testing.T) {
	uitest.Golden(t, "everything.jsonl", lines(t, everything()))
	uitest.Golden(t, "success.jsonl", lines(t, uitest.Success()))
}

func TestEveryLineStandsAlone(t *testing.T) {
	for i, l := range strings.Split(strings.TrimSuffix(lines(t, everything()), "\n"), "\n") {
		var got struct {
			Schema, Time, Run, Type, Step, Object, Tier, Probe string
			Seq                                                int
		}
		if err := json.Unmarshal([]byte(l), &got); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if got.Schema != Schema || got.Run != "r7f3" || got.Seq != i+1 {
			t.Errorf("line %d: %+v", i+1, got)
		}
		if _, err := time.Parse(time.RFC3339, got.Time); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
		if strings.HasPrefix(got.Type, "step.") && (got.Tier == "" || got.Object == "" && got.Probe == "") {
			t.Errorf("line %d does not say what it is about: %s", i+1, l)
		}
	}
}

// Every event body has a type, and the documentation names each of them and
// every field.
func TestTypesAndFieldsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/reference/events.md")
	if err != nil {
		t.Fatal(err)
	}
	text := lines(t, everything()) + lines(t, uitest.Partial()) + lines(t, uitest.Success())
	types := map[string]bool{}
	for _, m := range regexp.MustCompile(`"type":"([^"]*)"`).FindAllStringSubmatch(text, -1) {
		types[m[1]] = true
	}
	if len(types) != 10 {
		t.Errorf("%d types, want one for each event body", len(types))
	}
	var missing []string
	for name := range types {
		if !bytes.Contains(doc, []byte("`"+name+"`")) {
			missing = append(missing, name)
		}
	}
	fields := map[string]bool{}
	for _, m := range regexp.MustCompile(`"([a-zA-Z]+)":`).FindAllStringSubmatch(text, -1) {
		fields[m[1]] = true
	}
	for name := range fields {
		if !bytes.Contains(doc, []byte("`"+name+"`")) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("docs/reference/events.md does not name %v", missing)
	}
}

func TestExitCodeIsLeftOutWhenNobodyKnowsIt(t *testing.T) {
	enc := NewEncoder(Options{})
	got := string(enc.Encode(event.Event{Seq: 1, Body: event.RunFinished{}}))
	if strings.Contains(got, "exitCode") {
		t.Error(got)
	}
}

func TestExitCodeZeroIsWritten(t *testing.T) {
	if got := lines(t, uitest.Success()); !strings.Contains(got, `"exitCode":0}`) {
		t.Error("no exitCode 0 in the last line")
	}
}

func TestAnEventOfAnUnknownStepIsStillALine(t *testing.T) {
	enc := NewEncoder(options())
	got := string(enc.Encode(event.Event{Seq: 3, Run: "r", Body: event.StepStarted{Step: "ready:x"}}))
	if want := `"type":"step.started","step":"ready:x"}` + "\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestAReaderThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		sink := New(w, options())
		start := time.Now()
		uitest.Success().Play(sink)
		if d := time.Since(start); d != 0 {
			t.Errorf("the run waited %s for a reader", d)
		}
		if err := sink.Close(); !errors.Is(err, spool.ErrStuck) {
			t.Errorf("Close = %v", err)
		}
		_ = r.Close()
	})
}

func TestTheFirstWriteErrorIsReported(t *testing.T) {
	r, w := io.Pipe()
	_ = r.CloseWithError(errors.New("broken pipe"))
	sink := New(w, options())
	uitest.Success().Play(sink)
	if err := sink.Close(); err == nil || err.Error() != "broken pipe" {
		t.Errorf("Close = %v", err)
	}
}
