package wire

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func TestSpellings(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Time(time.Time{}), ""},
		{Time(time.Date(2026, 9, 5, 5, 0, 0, 123999999, time.FixedZone("CEST", 7200))), "2026-09-05T03:00:00.123Z"},
		{Object(tiers.Ref{}), ""},
		{Object(tiers.KustomizationRef("flux-system", "apps")), "Kustomization/flux-system/apps"},
		{Text(nil), ""},
		{Text(errors.New("why")), "why"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if got := Seconds(1234567 * time.Microsecond); got != 1.235 {
		t.Errorf("Seconds = %v", got)
	}
}

func TestCauseOf(t *testing.T) {
	if got := CauseOf(waiters.Observation{State: waiters.Progressing, Message: "working"}); got != nil {
		t.Errorf("a cause where nothing is explained: %+v", got)
	}
	got := CauseOf(waiters.Observation{
		Message: "auth required",
		Cause:   waiters.Cause{Kind: waiters.SourceUnauthorised, Class: waiters.NeedsAction, Subject: "GitRepository a/b", Remedy: "Renew the token."},
	})
	want := &Cause{Kind: "SourceUnauthorised", Class: "needs action", Subject: "GitRepository a/b", Message: "auth required", Remedy: "Renew the token."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlanShapes(t *testing.T) {
	apps := tiers.KustomizationRef("flux-system", "apps")
	if diff := cmp.Diff(
		[]Tier{{Name: "apps", Optional: true, Listed: true, Parallel: 4, Kustomizations: []string{"flux-system/apps"}}, {Name: "none", Kustomizations: []string{}}},
		TiersOf([]tiers.PlanTier{{Name: "apps", Optional: true, Listed: true, Parallel: 4, Members: []tiers.Ref{apps}}, {Name: "none"}}),
	); diff != "" {
		t.Errorf("tiers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(
		[]Step{{ID: "ready:x", Verb: "ready", Tier: "apps", Object: "Kustomization/flux-system/apps", DependsOn: []string{"a"}, After: []string{"b"}, Why: "listed", TimeoutSeconds: 90, Optional: true}},
		StepsOf([]tiers.Step{{ID: "ready:x", Verb: tiers.Ready, Tier: "apps", Object: apps, DependsOn: []tiers.StepID{"a"}, After: []tiers.StepID{"b"}, Cause: "listed", Timeout: 90 * time.Second, Optional: true}}),
	); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(
		[]Left{{Object: "Kustomization/flux-system/apps", Why: "in git", Behind: []string{}}},
		LeftOf([]tiers.Left{{Object: apps, Why: "in git"}}),
	); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func TestMarshal(t *testing.T) {
	got, err := Marshal(map[string]string{"a": "<b> & c"}, "")
	if err != nil || string(got) != `{"a":"<b> & c"}`+"\n" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Marshal(func() {}, ""); err == nil {
		t.Error("a func was encoded")
	}
}
