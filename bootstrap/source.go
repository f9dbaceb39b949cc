package bootstrap

import (
	"fmt"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// lookSource drives a source to having an artifact.
func (r *run) lookSource(s *step, now time.Time) {
	src, ok := r.seq.World.Source(s.Object)
	if !ok {
		r.observe(s, waiters.Observation{
			State: waiters.Missing, Message: fmt.Sprintf("%s does not exist", s.Object),
			Cause: waiters.Cause{
				Kind: waiters.SourceMissing, Class: waiters.NeedsAction, Subject: s.Object.String(),
				Remedy: fmt.Sprintf("Create %s, or correct the sourceRef that names it.", s.Object),
			},
		}, now)
		r.failWhenQuiet(s, now)
		return
	}
	r.observe(s, waiters.JudgeSource(src), now)
	switch s.seen.State {
	case waiters.Ready:
		r.succeed(s)
	case waiters.Suspended:
		r.suspended(s)
	case waiters.Retrying:
		r.retrySource(s, now)
	case waiters.Stalled:
		r.fail(s, nil)
	case waiters.Unknown, waiters.Missing, waiters.Blocked, waiters.Progressing, waiters.Stale:
	}
}

// retrySource nudges a source in back-off: source-controller's own grows to a
// quarter of an hour.
func (r *run) retrySource(s *step, now time.Time) {
	if s.drive.attempts > 0 && s.seen.Revision != "" {
		// What was fetched before is still there and consumers use it.
		r.emit(event.Warned{Object: s.Object, Message: fmt.Sprintf("%s cannot be fetched (%s); going on with revision %s", s.Object, s.seen.Message, s.seen.Revision)})
		r.succeed(s)
		return
	}
	if s.drive.attempts > 0 && s.seen.Cause.Class == waiters.Terminal {
		r.fail(s, nil)
		return
	}
	if s.drive.attempts > 0 && s.seen.Cause.Class == waiters.NeedsAction && r.failWhenQuiet(s, now) {
		return
	}
	r.nudge(s, now, s.drive.failed, fmt.Sprintf("its last fetch failed: %s", causeText(s.seen)))
}

// sourceChanged moves the wanted revision with the source.
func (r *run) sourceChanged(ref tiers.Ref) {
	src, ok := r.seq.World.Source(ref)
	if !ok || src.Artifact == nil {
		return
	}
	from, to := r.revisions[ref], src.Artifact.Revision
	if from == to {
		return
	}
	r.revisions[ref] = to
	if from == "" {
		return // its first artifact is not a move
	}
	r.moved = time.Now()
	r.emit(event.SourceMoved{Source: ref, From: from, To: to})
	r.reverify(ref, fmt.Sprintf("%s moved from %s to %s", ref, from, to))
}
