package plain

import (
	"fmt"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
)

// shown bounds a heartbeat: it is a sign of life, not a report.
const shown = 3

// heartbeat says what is still waited for. The caller holds the lock.
func (s *Sink) heartbeat(now time.Time) {
	if s.state.Done {
		return
	}
	told := 0
	rest := 0
	seen := map[string]bool{}
	for i := range s.state.Steps {
		st := &s.state.Steps[i]
		if st.Started.IsZero() || st.Outcome != event.Pending {
			continue
		}
		label := s.label(st.Step)
		if seen[label] {
			continue // another step of the same object
		}
		seen[label] = true
		if told == shown {
			rest++
			continue
		}
		told++
		s.write(now, zapcore.InfoLevel, s.stillWaiting(st, label, now), append(s.fields("heartbeat", *st), zap.Bool("heartbeat", true))...)
	}
	if rest > 0 {
		s.write(now, zapcore.InfoLevel, fmt.Sprintf("still waiting: and for %d more", rest), zap.String("event", "heartbeat"))
	}
}

func (s *Sink) stillWaiting(st *event.StepState, label string, now time.Time) string {
	line := "still waiting: " + label
	if what := view.Sight(st.Seen); what != "" {
		line += ": " + what
	}
	since := st.Started
	if last, ok := s.since[st.Step.ID]; ok {
		since = last.at
	}
	return fmt.Sprintf("%s (%s)", line, view.Duration(now.Sub(since).Truncate(time.Second)))
}
