package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// bodyOf is the line of the last event, without what all lines have.
func bodyOf(t *testing.T, p *tiers.Plan, bodies ...event.Body) string {
	t.Helper()
	enc := NewEncoder(options())
	at := uitest.Start()
	enc.Encode(event.Event{Seq: 1, Time: at, Run: "r", Body: event.PlanReady{Plan: p}})
	var l []byte
	for i, b := range bodies {
		at = at.Add(1500 * time.Millisecond)
		l = enc.Encode(event.Event{Seq: i + 2, Time: at, Run: "r", Body: b})
	}
	_, body, ok := strings.Cut(string(l), `"run":"r",`)
	if !ok || !strings.HasSuffix(body, "}\n") {
		t.Fatalf("not a line: %s", l)
	}
	return "{" + strings.TrimSuffix(body, "\n")
}

func TestLineOfEachType(t *testing.T) {
	const id, object = "ready:Kustomization/flux-system/t1", `"verb":"ready","tier":"t1","object":"Kustomization/flux-system/t1"`
	const step = `"step":"` + id + `",` + object
	repo := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "apps"}
	started := event.StepStarted{Step: id}
	for _, c := range []struct {
		name   string
		bodies []event.Body
		want   string
	}{
		{"preflight passed", []event.Body{event.PreflightChecked{Name: "api", Detail: "answers"}}, `{"type":"preflight","message":"answers","name":"api","outcome":"Succeeded"}`},
		{"preflight failed", []event.Body{event.PreflightChecked{Name: "api", Err: errors.New("refused")}}, `{"type":"preflight","name":"api","outcome":"Failed","error":"refused"}`},
		{"source moved", []event.Body{event.SourceMoved{Source: repo, From: "a", To: "b"}}, `{"type":"source.moved","object":"GitRepository/flux-system/apps","from":"a","revision":"b"}`},
		{"started", []event.Body{started}, `{"type":"step.started",` + step + `}`},
		{"observed", []event.Body{event.StepObserved{Step: id, Seen: waiters.Observation{State: waiters.Missing}}}, `{"type":"step.observed",` + step + `,"state":"Missing"}`},
		{"observed with a cause", []event.Body{event.StepObserved{Step: id, Seen: waiters.Observation{
			State: waiters.Retrying, Reason: "BuildFailed", Message: "no such path", Revision: "b",
			Cause: waiters.Cause{Kind: waiters.PathMissing, Class: waiters.Terminal, Subject: "./apps", Remedy: "Fix spec.path."},
		}}}, `{"type":"step.observed",` + step + `,"revision":"b","state":"Retrying","reason":"BuildFailed","cause":{"kind":"PathMissing","class":"terminal","subject":"./apps","remedy":"Fix spec.path."},"message":"no such path"}`},
		{"acted", []event.Body{event.StepActed{Step: id, Action: event.Nudged, Cause: "it is due"}}, `{"type":"step.acted",` + step + `,"action":"nudged","why":"it is due"}`},
		{
			"succeeded",
			[]event.Body{started, event.StepObserved{Step: id, Seen: waiters.Observation{State: waiters.Ready, Revision: "b"}}, event.StepFinished{Step: id, Outcome: event.Succeeded}},
			`{"type":"step.finished",` + step + `,"revision":"b","state":"Ready","outcome":"Succeeded","seconds":3}`,
		},
		{
			"failed",
			[]event.Body{started, event.StepFinished{Step: id, Outcome: event.Failed, Err: errors.New("out of time")}},
			`{"type":"step.finished",` + step + `,"outcome":"Failed","error":"out of time","seconds":1.5}`,
		},
		{
			"skipped",
			[]event.Body{event.StepFinished{Step: id, Outcome: event.Skipped, Because: "Kustomization/flux-system/gpu"}},
			`{"type":"step.finished",` + step + `,"outcome":"Skipped","because":"Kustomization/flux-system/gpu"}`,
		},
		{"warning", []event.Body{event.Warned{Object: repo, Message: "slow"}}, `{"type":"warning","object":"GitRepository/flux-system/apps","message":"slow"}`},
		{"warning of the run", []event.Body{event.Warned{Message: "slow"}}, `{"type":"warning","message":"slow"}`},
		{"finished", []event.Body{event.RunFinished{}}, `{"type":"run.finished","seconds":1.5,"counts":{"succeeded":0,"failed":0,"skipped":0,"cancelled":0},"exitCode":0}`},
		{"finished badly", []event.Body{event.RunFinished{Err: errors.New("interrupted")}}, `{"type":"run.finished","error":"interrupted","seconds":1.5,"counts":{"succeeded":0,"failed":0,"skipped":0,"cancelled":0},"exitCode":130}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, bodyOf(t, uitest.Chain(1), c.bodies...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLineOfAPlan(t *testing.T) {
	ref := tiers.KustomizationRef("flux-system", "apps")
	p := &tiers.Plan{
		Cluster: "prod", Warnings: []string{"beware"},
		Tiers: []tiers.PlanTier{{Name: "apps", Optional: true, Members: []tiers.Ref{ref}}},
		Steps: []tiers.Step{{ID: "ready:x", Verb: tiers.Ready, Object: ref, Tier: "apps", Cause: "the graph has it", Optional: true}},
		Left:  []tiers.Left{{Object: ref, Why: "declared in git", Behind: []tiers.Ref{ref}}},
	}
	enc := NewEncoder(options())
	got := string(enc.Encode(event.Event{Seq: 1, Time: uitest.Start(), Run: "r", Body: event.PlanReady{Plan: p}}))
	want := `{"schema":"standup.event/v1","seq":1,"time":"2026-09-05T03:12:04.000Z","run":"r","type":"plan","cluster":"prod",` +
		`"tiers":[{"name":"apps","optional":true,"listed":false,"kustomizations":["flux-system/apps"]}],` +
		`"steps":[{"id":"ready:x","verb":"ready","tier":"apps","object":"Kustomization/flux-system/apps","why":"the graph has it","optional":true}],` +
		`"leftSuspended":[{"object":"Kustomization/flux-system/apps","why":"declared in git","behind":["flux-system/apps"]}],"warnings":["beware"]}` + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// reader is a program that believes the documentation.
type reader struct {
	planned, finished map[string]bool
	outcomes          map[string]int
	lines             int
}

// read takes one line in and says what the documentation does not allow.
func (r *reader) read(l string) error {
	var got struct {
		Type, Step, Outcome string
		Seq                 int
		Steps               []struct{ ID string }
		Counts              map[string]int
	}
	if err := json.Unmarshal([]byte(l), &got); err != nil {
		return err
	}
	if r.lines++; got.Seq != r.lines {
		return fmt.Errorf("line %d has seq %d", r.lines, got.Seq)
	}
	for _, st := range got.Steps {
		r.planned[st.ID] = true
	}
	if got.Type == typeStepFinished {
		if r.finished[got.Step] || !r.planned[got.Step] {
			return fmt.Errorf("a second or unplanned finish of %s", got.Step)
		}
		r.finished[got.Step] = true
		r.outcomes[strings.ToLower(got.Outcome)]++
	}
	for name, n := range got.Counts {
		if r.outcomes[name] != n {
			return fmt.Errorf("counts %d %s, the lines have %d", n, name, r.outcomes[name])
		}
	}
	return nil
}

// A reader can rebuild the end of a run from its lines: one finish a step, and
// counts that agree.
func TestRandomRunsCanBeReadBack(t *testing.T) {
	for seed := range uint64(30) {
		r := reader{planned: map[string]bool{}, finished: map[string]bool{}, outcomes: map[string]int{}}
		for l := range strings.Lines(lines(t, uitest.Random(seed))) {
			if err := r.read(l); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if len(r.planned) != len(r.finished) {
			t.Errorf("seed %d: %d steps, %d finishes", seed, len(r.planned), len(r.finished))
		}
	}
}
