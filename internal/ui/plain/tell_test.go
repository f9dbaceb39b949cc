package plain

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// lastLines are the lines that the events after the plan make, without time.
func lastLines(t *testing.T, o Options, p *tiers.Plan, bodies ...event.Body) []string {
	t.Helper()
	s := uitest.NewScript("r").Plan(p)
	for _, b := range bodies {
		s.After(time.Second).Emit(b)
	}
	lines := strings.Split(strings.TrimSuffix(logOf(t, s, o), "\n"), "\n")
	var out []string
	for _, l := range lines[1:] { // the first is the plan
		_, l, _ = strings.Cut(l, " ")
		out = append(out, l)
	}
	return out
}

func TestALineForEachEvent(t *testing.T) {
	resume, ready := uitest.ResumeID("t1"), uitest.ReadyID("t1")
	started := event.StepStarted{Step: ready}
	end := func(id tiers.StepID, o event.Outcome, err error) event.Body {
		return event.StepFinished{Step: id, Outcome: o, Err: err}
	}
	seen := func(o waiters.Observation) event.Body { return event.StepObserved{Step: ready, Seen: o} }
	for _, c := range []struct {
		name   string
		bodies []event.Body
		want   string // the last line; empty when it is worth none
	}{
		{"started", []event.Body{started}, "INFO  t1: started"},
		{"resume started", []event.Body{event.StepStarted{Step: resume}}, ""},
		{"resume succeeded", []event.Body{event.StepStarted{Step: resume}, end(resume, event.Succeeded, nil)}, ""},
		{"un-suspended", []event.Body{event.StepActed{Step: resume, Action: event.Resumed}}, "INFO  t1: un-suspended"},
		{"nudged with why", []event.Body{event.StepActed{Step: ready, Action: event.Nudged, Cause: "the kind\nis served"}}, "INFO  t1: nudged: the kind is served"},
		{"another action", []event.Body{event.StepActed{Step: ready, Action: "restarted"}}, "INFO  t1: restarted"},
		{"ready", []event.Body{started, seen(uitest.ReadyAt(uitest.Old)), end(ready, event.Succeeded, nil)}, "INFO  t1: Ready at main@sha1:0f1e2d3 in 2s"},
		{"ready at no revision", []event.Body{started, end(ready, event.Succeeded, nil)}, "INFO  t1: Ready in 1s"},
		{
			"failed, and what was seen says it all",
			[]event.Body{started, seen(uitest.NoKind()), end(ready, event.Failed, &uitest.StepError{})},
			`ERROR t1: failed after 2s: StorageProfile/longhorn-vm dry-run failed: no matches for kind "StorageProfile" in version "cdi.kubevirt.io/v1beta1" (standup crds applies the CDI object that brings the kind.)`,
		},
		{"failed before it was seen", []event.Body{started, end(ready, event.Failed, &uitest.StepError{Err: errors.New("forbidden")})}, "ERROR t1: failed after 1s: forbidden"},
		{"skipped", []event.Body{event.StepFinished{Step: ready, Outcome: event.Skipped, Because: "x"}}, ""},
		{"cancelled", []event.Body{started, end(ready, event.Cancelled, errors.New("interrupted"))}, "INFO  t1: started"},
		{"warned", []event.Body{event.Warned{Message: "the API server is slow"}}, "WARN  the API server is slow"},
		{"warned of an object", []event.Body{event.Warned{Object: tiers.KustomizationRef("flux-system", "t2"), Message: "no retryInterval"}}, "WARN  t2: no retryInterval"},
		{
			"a source has moved",
			[]event.Body{event.SourceMoved{Source: tiers.Ref{Kind: "GitRepository", Namespace: "flux-system", Name: "apps"}, To: uitest.New}},
			"INFO  source apps moved to main@sha1:1a2b3c4: the new revision is what the run waits for now",
		},
		{"stopped before anything failed", []event.Body{event.RunFinished{Err: errors.New("interrupted")}}, "ERROR run ended after 1s: interrupted"},
		{"finished", []event.Body{event.RunFinished{}}, "INFO  run finished: 0 of 2 tiers ready in 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if lines := lastLines(t, Options{}, uitest.Chain(2), c.bodies...); len(lines) > 0 {
				got = lines[len(lines)-1]
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// What failed in an optional tier is told, and is no error of the run.
func TestAnOptionalFailureIsAWarning(t *testing.T) {
	p := uitest.NewPlan("lab")
	p.Tier("apps", "apps")
	id := uitest.ReadyID("apps")
	lines := lastLines(t, Options{}, &p.Plan,
		event.StepStarted{Step: id}, event.StepFinished{Step: id, Outcome: event.Failed, Err: errors.New("out of time")}, event.RunFinished{})
	want := []string{"INFO  apps: started", "WARN  apps: failed after 1s: out of time; its tier is optional", "INFO  run finished: 0 of 1 tier ready in 3s"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
}

func TestATierOfSeveralIsToldWhenItIsComplete(t *testing.T) {
	p := uitest.NewPlan("lab")
	p.Tier("t", "a", "b")
	p.Tier("single", "single")
	s := uitest.NewScript("r").Plan(&p.Plan)
	s.Resume(uitest.ResumeID("a")).Resume(uitest.ResumeID("b")).Ready("a", time.Second)
	if got := logOf(t, s, Options{}); strings.Contains(got, "tier t:") {
		t.Errorf("too early:\n%s", got)
	}
	s.Ready("b", time.Second).Resume(uitest.ResumeID("single")).Ready("single", time.Second)
	got := logOf(t, s, Options{})
	if strings.Count(got, "tier t: ready in 2s, 1 of 2 tiers") != 1 || strings.Contains(got, "tier single") {
		t.Errorf("got\n%s", got)
	}
}

func TestForeignNamespacesAreSpelledOut(t *testing.T) {
	p := uitest.NewPlan("lab")
	p.Tier("t", "a", "b", "media/plex")
	lines := lastLines(t, Options{}, &p.Plan, event.StepStarted{Step: uitest.ReadyID("media/plex")}, event.StepStarted{Step: uitest.ReadyID("a")})
	if lines[0] != "INFO  t: media/plex: started" || lines[1] != "INFO  t: a: started" {
		t.Errorf("got %q", lines)
	}
}

func TestJSONLinesCarryFields(t *testing.T) {
	text := logOf(t, uitest.Success(), Options{JSON: true})
	events := map[string]int{}
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		var got struct{ Level, Time, Msg, Event, Tier, Object, Probe string }
		if err := json.Unmarshal([]byte(l), &got); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		events[got.Event]++
		if got.Level == "" || got.Msg == "" || got.Time == "" {
			t.Errorf("incomplete: %s", l)
		}
		if strings.HasPrefix(got.Event, "step.") && (got.Tier == "" || got.Object == "" && got.Probe == "") {
			t.Errorf("no subject: %s", l)
		}
	}
	for _, name := range []string{"plan", "step.started", "step.acted", "step.finished", "tier.finished", "warning", "run.finished"} {
		if events[name] == 0 {
			t.Errorf("no line of %s", name)
		}
	}
}

// Every run makes lines that end, in both encodings, with what is left of it
// on the last.
func TestEveryRandomRunIsTold(t *testing.T) {
	for seed := range uint64(30) {
		s := uitest.Random(seed)
		for _, o := range []Options{{}, {JSON: true}, {Verbose: true}} {
			text := logOf(t, s, o)
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if last := lines[len(lines)-1]; !strings.Contains(last, "run f") && !strings.Contains(last, "run ended") {
				t.Fatalf("seed %d: the last line is %s", seed, last)
			}
			if again := logOf(t, s, o); again != text {
				t.Fatalf("seed %d: two logs differ", seed)
			}
		}
	}
}
