package uitest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
)

// A renderer that is tested with a stream that no run can send proves nothing.
func TestFinishedScriptsKeepTheLaws(t *testing.T) {
	for name, s := range map[string]*Script{
		"success": Success(), "wedged": Wedged(), "interrupted": Interrupted(), "partial": Partial(),
	} {
		if err := event.CheckLaws(s.Events); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAScriptUnderWayOnlyLacksItsEnd(t *testing.T) {
	if err := event.CheckLaws(UnderWay().Events); err == nil {
		t.Error("a run under way passed for a finished one")
	}
	s := UnderWay()
	if st := s.State(); st.Done || len(st.Steps) != len(Homelab().Steps) {
		t.Errorf("done %v, %d steps", st.Done, len(st.Steps))
	}
}

func TestRandomRunsKeepTheLaws(t *testing.T) {
	outcomes := map[event.Outcome]int{}
	for seed := range uint64(300) {
		s := Random(seed)
		if err := event.CheckLaws(s.Events); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, st := range s.State().Steps {
			outcomes[st.Outcome]++
		}
	}
	for o := event.Succeeded; o <= event.Cancelled; o++ {
		if outcomes[o] < 100 {
			t.Errorf("only %d steps ended %s: the runs are not varied", outcomes[o], o)
		}
	}
}

func TestRandomIsRepeatable(t *testing.T) {
	if diff := cmp.Diff(Random(7).Events, Random(7).Events, cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
		t.Error(diff)
	}
}

func TestScriptsTellTime(t *testing.T) {
	s := NewScript("r").Plan(Chain(1))
	s.After(time.Minute).Start(ReadyID("t1"))
	if got := s.Now(); !got.Equal(Start().Add(time.Minute)) || s.Events[1].Time != got || s.Events[1].Seq != 2 {
		t.Errorf("%v, %+v", got, s.Events[1])
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{{nil, 0}, {&StepError{ID: "a"}, 4}, {errors.New("interrupted"), 130}} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("ExitCode(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

func TestIDs(t *testing.T) {
	for got, want := range map[tiers.StepID]tiers.StepID{
		ResumeID("apps"):      "resume:Kustomization/flux-system/apps",
		ReadyID("media/plex"): "ready:Kustomization/media/plex",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
