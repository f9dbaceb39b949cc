package bootstrap

import (
	"fmt"
	"strings"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
)

// admit starts what may start and skips what never will. It walks the plan in
// order, so that one pass settles a cascade of skips. It reports whether
// anything changed.
func (r *run) admit() bool {
	if !r.readmit {
		return false // nothing ended or was added since the last pass
	}
	r.readmit = false
	changed := false
	for _, s := range r.steps {
		if r.ended || s.outcome != event.Pending || !s.started.IsZero() {
			continue
		}
		verdict, because := r.verdict(s)
		switch {
		case verdict == event.Skipped:
			r.finish(s, event.StepFinished{Outcome: event.Skipped, Because: because})
			changed = true
		case verdict == event.Succeeded && r.mayDrive(s):
			r.start(s)
			changed = true
		}
	}
	return changed
}

// verdict folds the outcomes of what s waits for: Succeeded means go, Skipped
// means never, Pending means not yet.
func (r *run) verdict(s *step) (event.Outcome, string) {
	v := event.Succeeded
	fold := func(ids []tiers.StepID, letsGo func(*step) bool) *step {
		for _, id := range ids {
			dep := r.newest(id)
			switch {
			case dep == nil || dep.outcome == event.Succeeded || dep.drive.gone:
			case dep.outcome == event.Pending:
				v = event.Pending
			case !letsGo(dep):
				return dep
			}
		}
		return nil
	}
	if lost := fold(s.DependsOn, func(*step) bool { return false }); lost != nil {
		return event.Skipped, r.root(lost)
	}
	if lost := fold(s.After, r.barrierLetsGo); lost != nil {
		return event.Skipped, r.root(lost)
	}
	return v, ""
}

// barrierLetsGo reports whether a tier may start although dep, of the one in
// front, did not succeed: it ended, and its failure is reported.
func (r *run) barrierLetsGo(dep *step) bool {
	return dep.Optional || r.seq.KeepGoing || dep.outcome == event.Skipped && dep.drive.leftSuspended
}

// root names the cause behind a step that did not succeed: what a skipped
// step was skipped for, else the step itself.
func (r *run) root(s *step) string {
	if s.outcome == event.Skipped && s.drive.because != "" {
		return s.drive.because
	}
	return string(s.ID)
}

func (r *run) newest(id tiers.StepID) *step {
	if latest, ok := r.latest[baseOf(id)]; ok {
		return r.byID[latest]
	}
	return r.byID[id]
}

// mayDrive holds the tier's limit: an object takes a place from its un-suspend
// until it is Ready.
func (r *run) mayDrive(s *step) bool {
	if !r.counts(s) || r.busy[s.Tier][s.Object] {
		return true
	}
	t, ok := r.tiers[s.Tier]
	return !ok || t.Parallel <= 0 || len(r.busy[s.Tier]) < t.Parallel
}

// counts reports whether s needs a place in its tier's limit. A parent that
// waits for its children takes none: they could not start.
func (r *run) counts(s *step) bool {
	if s.Object.Kind != tiers.KindKustomization || s.Verb != tiers.Resume && s.Verb != tiers.Ready {
		return false
	}
	_, waitingParent := r.latest[stepID(tiers.Applied, s.Object)]
	return !waitingParent
}

func (r *run) takePlace(s *step) {
	if !r.counts(s) {
		return
	}
	if r.busy[s.Tier] == nil {
		r.busy[s.Tier] = map[tiers.Ref]bool{}
	}
	r.busy[s.Tier][s.Object] = true
}

// leavePlace keeps the place of an object that was un-suspended: it has yet to
// become Ready.
func (r *run) leavePlace(s *step) {
	if s.Verb == tiers.Resume && s.outcome == event.Succeeded {
		return
	}
	delete(r.busy[s.Tier], s.Object)
}

func (r *run) start(s *step) {
	s.started, s.dirty = time.Now(), true
	s.drive = newDrive(r.seq.Pace)
	if s.Timeout > 0 {
		s.drive.deadline = s.started.Add(s.Timeout)
	}
	r.takePlace(s)
	r.emit(event.StepStarted{Step: s.ID})
}

// finish ends a step, exactly once.
func (r *run) finish(s *step, f event.StepFinished) {
	if s.outcome != event.Pending {
		return
	}
	f.Step = s.ID
	s.outcome, s.drive.because = f.Outcome, f.Because
	r.leavePlace(s)
	r.readmit = true
	if s.drive.stopWriting != nil {
		s.drive.stopWriting() // what it was to bring about is settled
	}
	if f.Outcome == event.Succeeded {
		r.moved = time.Now()
	}
	r.emit(f)
}

// succeed ends a step well.
func (r *run) succeed(s *step) { r.finish(s, event.StepFinished{Outcome: event.Succeeded}) }

// fail ends a step badly, and the run with it unless the tier is optional or
// the run keeps going. err is nil when what was last seen says it all.
func (r *run) fail(s *step, err error) {
	failure := &StepError{Step: s.Step, Seen: s.seen, Waited: time.Since(s.started), Err: err}
	s.failure = failure
	r.finish(s, event.StepFinished{Outcome: event.Failed, Err: failure})
	if s.Optional {
		r.emit(event.Warned{Object: s.Object, Message: fmt.Sprintf("optional tier %s failed: %v", s.Tier, failure)})
		return
	}
	r.blame(failure)
	if r.seq.KeepGoing || r.ended {
		return
	}
	r.ended = true
	r.endRest(s)
}

// endRest ends what a failure leaves: what is behind it is skipped because of
// it, what is independent was merely not finished.
func (r *run) endRest(cause *step) {
	r.skipBehind(cause)
	for _, s := range r.steps {
		if s.outcome == event.Pending {
			r.finish(s, event.StepFinished{Outcome: event.Cancelled, Err: errEndedEarly})
		}
	}
}

// skipBehind skips everything that waits for cause, because of it.
func (r *run) skipBehind(cause *step) {
	behind := r.behind(cause)
	for _, s := range r.steps {
		if s.outcome == event.Pending && behind[s.ID] {
			r.finish(s, event.StepFinished{Outcome: event.Skipped, Because: string(cause.ID)})
		}
	}
}

// behind is everything that waits for cause, directly or not.
func (r *run) behind(cause *step) map[tiers.StepID]bool {
	out := map[tiers.StepID]bool{}
	for again := true; again; {
		again = false
		for _, s := range r.steps {
			if out[s.ID] || s == cause {
				continue
			}
			for _, id := range append(s.DependsOn[:len(s.DependsOn):len(s.DependsOn)], s.After...) {
				if dep := r.newest(id); dep != nil && (dep == cause || out[dep.ID]) {
					out[s.ID], again = true, true
					break
				}
			}
		}
	}
	return out
}

// stepID spells the ID of the first step for a verb and an object, as
// tiers.Build does.
func stepID(verb tiers.Verb, object tiers.Ref) tiers.StepID {
	return tiers.StepID(string(verb) + ":" + object.String())
}

// baseOf strips the "#n" of a repeated step.
func baseOf(id tiers.StepID) tiers.StepID {
	base, _, _ := strings.Cut(string(id), "#")
	return tiers.StepID(base)
}
