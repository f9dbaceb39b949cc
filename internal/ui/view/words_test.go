package view

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                    "0s",
		0:                               "0s",
		40 * time.Millisecond:           "0s",
		400 * time.Millisecond:          "0.4s",
		4 * time.Second:                 "4s",
		4100 * time.Millisecond:         "4.1s",
		9940 * time.Millisecond:         "9.9s",
		9960 * time.Millisecond:         "10s",
		41 * time.Second:                "41s",
		59600 * time.Millisecond:        "1m",
		time.Minute:                     "1m",
		130 * time.Second:               "2m10s",
		10 * time.Minute:                "10m",
		time.Hour - time.Second:         "59m59s",
		time.Hour:                       "1h0m",
		64*time.Minute + 40*time.Second: "1h5m",
		26 * time.Hour:                  "26h0m",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%s) = %q, want %q", d, got, want)
		}
	}
}

func TestRevision(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"main@sha1:1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d":                             "main@sha1:1a2b3c4",
		"sha1:1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d":                                  "sha1:1a2b3c4",
		"latest@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef": "latest@sha256:0123456",
		"main/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d":                                  "main/1a2b3c4",
		"v1.2.3":        "v1.2.3",
		"main@sha1:abc": "main@sha1:abc",
		"feature/deadbeef-and-a-very-long-branch-name": "feature/deadbeef-and-a-very-long-branch-name",
	} {
		if got := Revision(in); got != want {
			t.Errorf("Revision(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                      "plain",
		"  two\n\tlines  ":           "two lines",
		"\x1b[31mred\x1b[0m":         "[31mred[0m",
		"bell\a zero\x00 bidi\u202e": "bell zero bidi",
		"日本語 é":                      "日本語 é",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\nb\x1b[2J")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Line(s) {
			if r < 0x20 || r == 0x7f {
				t.Errorf("%q holds the control character %U", Line(s), r)
			}
		}
	})
}

func TestSight(t *testing.T) {
	cause := func(kind waiters.CauseKind, subject string) waiters.Cause {
		return waiters.Cause{Kind: kind, Subject: subject}
	}
	for _, c := range []struct {
		seen waiters.Observation
		want string
	}{
		{waiters.Observation{}, ""},
		{waiters.Observation{State: waiters.Ready, Message: "Applied revision: x"}, ""},
		{waiters.Observation{State: waiters.Missing}, "does not exist yet"},
		{waiters.Observation{State: waiters.Suspended}, "is suspended"},
		{waiters.Observation{State: waiters.Stale}, "is at an older revision"},
		{waiters.Observation{State: waiters.Progressing, Reason: "Progressing"}, ""},
		{waiters.Observation{State: waiters.Progressing, Reason: "ArtifactUpToDate"}, "ArtifactUpToDate"},
		{waiters.Observation{State: waiters.Retrying, Message: "two\nlines"}, "two lines"},
		{waiters.Observation{State: waiters.Retrying, Cause: cause(waiters.SourceMissing, "GitRepository a/b")}, "SourceMissing GitRepository a/b"},
		{waiters.Observation{State: waiters.Retrying, Message: "not found", Cause: cause(waiters.SourceMissing, "GitRepository a/b")}, "GitRepository a/b: not found"},
		{waiters.Observation{State: waiters.Retrying, Message: "a/b is not there", Cause: cause(waiters.SourceMissing, "a/b")}, "a/b is not there"},
	} {
		if got := Sight(c.seen); got != c.want {
			t.Errorf("Sight(%+v) = %q, want %q", c.seen, got, c.want)
		}
	}
}

func TestGivenUp(t *testing.T) {
	late := errors.New("out of time")
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{late, "out of time"},
		{&uitest.StepError{Err: late}, "out of time"},
		{&uitest.StepError{}, ""}, // what was seen says it all
		{fmt.Errorf("step: %w", errors.New("a\nb")), "a b"},
	} {
		if got := GivenUp(c.err); got != c.want {
			t.Errorf("GivenUp(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	n := NamesIn([]tiers.PlanTier{
		{Members: []tiers.Ref{tiers.KustomizationRef("flux-system", "a"), tiers.KustomizationRef("media", "b")}},
		{Members: []tiers.Ref{tiers.KustomizationRef("flux-system", "c")}},
	})
	for ref, want := range map[tiers.Ref]string{
		{}: "",
		tiers.KustomizationRef("flux-system", "a"):                                     "a",
		tiers.KustomizationRef("media", "b"):                                           "media/b",
		{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}: "GitRepository flux-system",
		{Kind: tiers.KindBucket, Namespace: "media", Name: "films"}:                    "Bucket media/films",
	} {
		if got := n.Of(ref); got != want {
			t.Errorf("Of(%v) = %q, want %q", ref, got, want)
		}
	}
	if got := (Names{}).Of(tiers.KustomizationRef("flux-system", "a")); got != "flux-system/a" {
		t.Errorf("the zero Names says %q", got)
	}
	tie := NamesIn([]tiers.PlanTier{{Members: []tiers.Ref{tiers.KustomizationRef("b", "x"), tiers.KustomizationRef("a", "y")}}})
	if tie.Of(tiers.KustomizationRef("a", "y")) != "y" {
		t.Error("of equals, the first by name goes without saying")
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 tiers", 1: "1 tier", 2: "2 tiers"} {
		if got := Count(n, "tier"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMoveAndWarningText(t *testing.T) {
	v := Of(uitest.UnderWay().State())
	repo := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "apps"}
	for _, c := range []struct{ got, want string }{
		{MoveText(event.SourceMoved{Source: repo, From: uitest.Old, To: uitest.New}), "source apps moved from main@sha1:0f1e2d3 to main@sha1:1a2b3c4"},
		{MoveText(event.SourceMoved{Source: repo, To: uitest.New}), "source apps moved to main@sha1:1a2b3c4"},
		{v.WarningText(event.Warned{Message: "beware\nof it"}), "beware of it"},
		{v.WarningText(event.Warned{Object: repo, Message: "is slow"}), "GitRepository apps: is slow"},
		{v.WarningText(event.Warned{Object: repo, Message: "GitRepository apps is slow"}), "GitRepository apps is slow"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
