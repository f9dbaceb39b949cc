package uitest

import (
	"testing"

	"github.com/standup-sh/standup/bootstrap/event"
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
