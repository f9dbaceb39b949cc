package event_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func fold(events []event.Event) *event.State {
	var s event.State
	for _, e := range events {
		s.Apply(e)
	}
	return &s
}

func at(seconds int) time.Time { return start().Add(time.Duration(seconds) * time.Second) }

func TestFoldWhole(t *testing.T) {
	repo := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}
	seen := waiters.Observation{State: waiters.Ready, Revision: "main@sha1:1"}
	late, stopped := errors.New("out of time"), errors.New("failed")
	p := plan("a", "b")
	moved := event.SourceMoved{Source: repo, From: "1", To: "2"}
	warned := event.Warned{Object: repo, Message: "slow"}
	checked := event.PreflightChecked{Name: "api", Detail: "answers"}
	got := fold(stream(
		p,          // 0 s
		checked,    // 1
		began("a"), // 2
		event.StepActed{Step: "a", Action: event.Resumed},
		event.StepActed{Step: "a", Action: event.Nudged},
		event.StepActed{Step: "a", Action: event.Nudged},
		event.StepObserved{Step: "a", Seen: waiters.Observation{State: waiters.Progressing}},
		event.StepObserved{Step: "a", Seen: seen},
		ended("a", event.Succeeded), // 8
		moved, warned,
		event.StepFinished{Step: "b", Outcome: event.Skipped, Because: "a", Err: late}, // 11
		event.RunFinished{Err: stopped}, // 12
	))
	want := &event.State{
		Run: "r", Started: at(0), Finished: at(12), Plan: p.Plan,
		Tiers: []event.TierState{{Tier: p.Plan.Tiers[0], Steps: []int{0, 1}}},
		Steps: []event.StepState{
			{Step: p.Plan.Steps[0], Started: at(2), Finished: at(8), Seen: seen, Nudges: 2, Resumed: true, Outcome: event.Succeeded},
			{Step: p.Plan.Steps[1], Finished: at(11), Outcome: event.Skipped, Because: "a", Err: late},
		},
		Preflight: []event.PreflightChecked{checked}, Moves: []event.SourceMoved{moved}, Warnings: []event.Warned{warned},
		Done: true, Err: stopped,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(event.State{}), cmpopts.EquateErrors()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAddedStepsJoinTheirTier(t *testing.T) {
	s := fold(stream(plan("a"), event.PlanExtended{
		Tiers: []tiers.PlanTier{{Name: "new"}},
		Steps: []tiers.Step{{ID: "b", Tier: "t"}, {ID: "c", Tier: "new"}, {ID: "d", Tier: "nowhere"}},
	}))
	if diff := cmp.Diff([][]int{{0, 1}, {2}}, [][]int{s.Tiers[0].Steps, s.Tiers[1].Steps}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(s.Steps) != 4 || len(s.Plan.Steps) != 1 {
		t.Errorf("%d steps, and %d in the plan as planned", len(s.Steps), len(s.Plan.Steps))
	}
}

func TestStepFindsWhatWasPlanned(t *testing.T) {
	s := fold(stream(plan("a"), extend("a#2"), began("a#2")))
	if st, ok := s.Step("a#2"); !ok || st.Started != at(2) {
		t.Errorf("a#2: %v, started %v", ok, st.Started)
	}
	if st, ok := s.Step("a"); !ok || !st.Started.IsZero() {
		t.Errorf("a: %v, started %v", ok, st.Started)
	}
	if _, ok := s.Step("x"); ok {
		t.Error("a step was found that was never planned")
	}
}

// The sequencer's tests hold the law; a renderer must not crash on a breach.
func TestAnEventOfAnUnknownStepLandsNowhere(t *testing.T) {
	s := fold(stream(plan("a"), began("x"), event.StepObserved{Step: "x"}, event.StepActed{Step: "x"}, ended("x", event.Failed)))
	if len(s.Steps) != 1 || s.Count(event.Failed) != 0 {
		t.Errorf("%d steps, %d failed", len(s.Steps), s.Count(event.Failed))
	}
}

func TestCount(t *testing.T) {
	s := fold(stream(plan("a", "b", "c"), ended("a", event.Failed), ended("b", event.Failed)))
	for o, want := range map[event.Outcome]int{event.Pending: 1, event.Failed: 2, event.Succeeded: 0} {
		if got := s.Count(o); got != want {
			t.Errorf("%s: %d, want %d", o, got, want)
		}
	}
}

func TestARunThatNeverHadAPlan(t *testing.T) {
	s := fold(stream(event.PreflightChecked{Name: "api", Err: errors.New("refused")}, event.RunFinished{}))
	if s.Plan != nil || !s.Done || !s.Started.Equal(at(0)) || !s.Finished.Equal(at(1)) {
		t.Errorf("%+v", s)
	}
}

func TestOutcomeNames(t *testing.T) {
	for o, want := range map[event.Outcome]string{
		event.Pending: "Pending", event.Succeeded: "Succeeded", event.Failed: "Failed",
		event.Skipped: "Skipped", event.Cancelled: "Cancelled", 99: "Outcome(99)",
	} {
		if got := o.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

type list []int

func (l *list) Emit(e event.Event) { *l = append(*l, e.Seq) }

func TestTeeSendsToEachInTurn(t *testing.T) {
	var all list
	tee := event.Tee{&all, &all}
	for _, e := range stream(plan(), event.RunFinished{}) {
		tee.Emit(e)
	}
	if diff := cmp.Diff(list{1, 1, 2, 2}, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
