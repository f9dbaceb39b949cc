package event_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func start() time.Time { return time.Date(2026, 9, 5, 3, 0, 0, 0, time.UTC) }

// stream numbers and dates bodies, a second apart.
func stream(bodies ...event.Body) []event.Event {
	var out []event.Event
	for i, b := range bodies {
		out = append(out, event.Event{Seq: i + 1, Time: start().Add(time.Duration(i) * time.Second), Run: "r", Body: b})
	}
	return out
}

func plan(ids ...tiers.StepID) event.PlanReady {
	p := &tiers.Plan{Tiers: []tiers.PlanTier{{Name: "t"}}}
	for _, id := range ids {
		p.Steps = append(p.Steps, tiers.Step{ID: id, Verb: tiers.Ready, Tier: "t"})
	}
	return event.PlanReady{Plan: p}
}

func extend(ids ...tiers.StepID) event.PlanExtended {
	return event.PlanExtended{Steps: plan(ids...).Plan.Steps, Cause: "it appeared"}
}

func began(id tiers.StepID) event.StepStarted { return event.StepStarted{Step: id} }

func ended(id tiers.StepID, o event.Outcome) event.StepFinished {
	return event.StepFinished{Step: id, Outcome: o}
}

func TestLawfulStreams(t *testing.T) {
	for name, s := range map[string][]event.Event{
		"nothing to do": stream(plan(), event.RunFinished{}),
		"one step":      stream(plan("a"), began("a"), ended("a", event.Succeeded), event.RunFinished{}),
		"everything": stream(
			plan("a", "b"), event.PreflightChecked{Name: "api"}, event.Warned{Message: "w"},
			began("a"), event.StepObserved{Step: "a", Seen: waiters.Observation{State: waiters.Progressing}},
			event.StepActed{Step: "a", Action: event.Nudged}, event.SourceMoved{}, extend("c"),
			ended("a", event.Failed), ended("b", event.Skipped), ended("c", event.Cancelled),
			event.RunFinished{Err: errors.New("failed")}),
		"a repetition is a step of its own": stream(
			plan("a"), began("a"), ended("a", event.Succeeded),
			extend("a#2"), began("a#2"), ended("a#2", event.Succeeded), event.RunFinished{}),
	} {
		if err := event.CheckLaws(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBreaches(t *testing.T) {
	gap := stream(plan(), event.Warned{}, event.RunFinished{})
	gap[1].Seq, gap[2].Seq = 3, 4
	back := stream(plan(), event.Warned{}, event.RunFinished{})
	back[1].Time = back[0].Time.Add(-time.Second)
	mixed := stream(plan(), event.Warned{}, event.RunFinished{})
	mixed[1].Run = "other"
	for name, c := range map[string]struct {
		events []event.Event
		want   string // all breaches, joined by "; "
	}{
		"empty":             {nil, "the stream is empty"},
		"a gap":             {gap, "event 2: seq is 3; event 3: seq is 4"},
		"time goes back":    {back, "event 2: time goes back by 1s"},
		"two runs":          {mixed, `event 2: run is "other", and began as "r"`},
		"no plan":           {stream(event.RunFinished{}), "event 1: event.RunFinished comes before PlanReady"},
		"late plan":         {stream(event.Warned{}, plan(), event.RunFinished{}), "event 1: event.Warned comes before PlanReady; event 2: a second PlanReady"},
		"cut off":           {stream(plan(), event.Warned{}), "event 2: event.Warned is last, not RunFinished"},
		"goes on":           {stream(plan(), event.RunFinished{}, event.RunFinished{}), "event 2: RunFinished is not last"},
		"never finished":    {stream(plan("a", "b"), began("a"), event.RunFinished{}), "event 3: the stream ends, and step a has not finished; event 3: the stream ends, and step b has not finished"},
		"added, unfinished": {stream(plan(), extend("c"), event.RunFinished{}), "event 3: the stream ends, and step c has not finished"},
		"finished twice":    {stream(plan("a"), ended("a", event.Failed), ended("a", event.Failed), event.RunFinished{}), "event 3: StepFinished of step a, which has finished"},
		"unknown":           {stream(plan(), began("x"), event.RunFinished{}), "event 2: StepStarted of step x, which was never planned"},
		"unknown finish":    {stream(plan(), ended("x", event.Failed), event.RunFinished{}), "event 2: StepFinished of step x, which was never planned"},
		"before its plan":   {stream(plan(), began("c"), extend("c"), ended("c", event.Failed), event.RunFinished{}), "event 2: StepStarted of step c, which was never planned"},
		"planned twice":     {stream(plan("a"), extend("a"), ended("a", event.Failed), event.RunFinished{}), "event 2: step a is planned twice"},
		"started twice":     {stream(plan("a"), began("a"), began("a"), ended("a", event.Failed), event.RunFinished{}), "event 3: step a is started twice"},
		"no outcome":        {stream(plan("a"), ended("a", event.Pending), event.RunFinished{}), "event 2: step a finishes without an outcome"},
		"success unstarted": {stream(plan("a"), ended("a", event.Succeeded), event.RunFinished{}), "event 2: step a succeeded without being started"},
		"seen afterwards": {
			stream(plan("a"), ended("a", event.Failed), event.StepObserved{Step: "a"}, event.StepActed{Step: "a"}, event.RunFinished{}),
			"event 3: StepObserved of step a, which has finished; event 4: StepActed of step a, which has finished",
		},
	} {
		err := event.CheckLaws(c.events)
		if err == nil {
			t.Errorf("%s: no breach was found", name)
			continue
		}
		if got := strings.ReplaceAll(err.Error(), "\n", "; "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// Take any one event out of a lawful stream, or send it twice, and a law is
// broken: the laws say something of every event that carries the run.
func TestEveryEventMatters(t *testing.T) {
	lawful := stream(
		plan("a", "b"), began("a"), ended("a", event.Succeeded), extend("c"), began("c"),
		ended("c", event.Succeeded), began("b"), ended("b", event.Succeeded), event.RunFinished{})
	if err := event.CheckLaws(lawful); err != nil {
		t.Fatal(err)
	}
	bodies := func(events []event.Event) []event.Body {
		var out []event.Body
		for _, e := range events {
			out = append(out, e.Body)
		}
		return out
	}
	for i := range lawful {
		without := append(bodies(lawful[:i]), bodies(lawful[i+1:])...)
		if event.CheckLaws(stream(without...)) == nil {
			t.Errorf("without %T at %d the stream still passes", lawful[i].Body, i+1)
		}
		twice := append(bodies(lawful[:i+1]), bodies(lawful[i:])...)
		if event.CheckLaws(stream(twice...)) == nil {
			t.Errorf("with %T at %d sent twice the stream still passes", lawful[i].Body, i+1)
		}
	}
}

func TestAllBreachesAreReported(t *testing.T) {
	err := event.CheckLaws(stream(event.Warned{}, began("x"), event.Warned{}))
	if n := strings.Count(err.Error(), "\n") + 1; n != 3 {
		t.Errorf("%d breaches: %v", n, err)
	}
}
