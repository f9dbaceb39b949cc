package bootstrap

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// maxRepeats bounds how often one object is driven again in one run: an object
// that falls out of Ready more often than that is not going to stay there.
const maxRepeats = 10

var errNeverStays = errors.New("it turned Ready again and again and did not stay so")

// adopt extends the plan by Kustomizations that appeared in mid-run: on a cold
// cluster a child exists only after its parent was applied.
func (r *run) adopt(changed []tiers.Ref) {
	if r.seq.Narrow {
		return
	}
	fresh := false
	for _, ref := range changed {
		if ref.Kind != tiers.KindKustomization || r.seq.World.Kustomization(ref) == nil {
			continue
		}
		r.returned(ref)
		// A listed one that was absent now has edges that were not known.
		if !r.known[ref] || r.absent[ref] {
			fresh = true
			delete(r.absent, ref)
		}
	}
	if !fresh {
		return
	}
	now, err := tiers.Build(tiers.Input{Order: r.seq.Order, Snapshot: Snapshot(r.seq.World)})
	if err != nil {
		r.abandon(err) // a cycle, or an unlisted one where that is an error
		return
	}
	added, steps, left, warnings := tiers.Extension(r.plan, now)
	for _, w := range warnings {
		r.emit(event.Warned{Message: w})
	}
	r.plan = r.plan.Extended(nil, nil, left, warnings)
	for _, ref := range changed {
		r.known[ref] = true // one that TIER_ORDER says to ignore must not be looked up again
	}
	r.learnEdges(now)
	r.addLeft(left)
	r.addTiers(added)
	if len(steps) > 0 {
		r.extend(added, steps, "Kustomizations appeared that their parent has just applied")
	}
}

// returned drives an object again that was deleted in mid-run and is there once
// more: moving it between two pruning parents does that.
func (r *run) returned(ref tiers.Ref) {
	s := r.newest(stepID(tiers.Ready, ref))
	if s == nil || s.outcome != event.Skipped || repeats(s.ID) >= maxRepeats {
		return
	}
	resume := r.newest(stepID(tiers.Resume, ref))
	if s.drive.gone || resume != nil && resume.drive.gone {
		r.extend(nil, []tiers.Step{repetition(s, fmt.Sprintf("%s was deleted and made anew", ref))}, fmt.Sprintf("%s is back", ref))
	}
}

// learnEdges gives steps that were planned for objects that did not exist the
// edges that their objects turned out to have. Only steps that have not
// started can learn; a started one is ordered by Flux's own dependsOn.
func (r *run) learnEdges(now *tiers.Plan) {
	for i := range now.Steps {
		s := r.newest(now.Steps[i].ID)
		if s != nil && s.started.IsZero() && s.outcome == event.Pending && s.ID == s.base {
			s.DependsOn = now.Steps[i].DependsOn
			s.After = now.Steps[i].After
		}
	}
}

func (r *run) extend(added []tiers.PlanTier, steps []tiers.Step, cause string) {
	if r.ended {
		return // nothing more is planned
	}
	r.emit(event.PlanExtended{Tiers: added, Steps: steps, Cause: cause})
	r.addSteps(steps)
	r.plan = r.plan.Extended(added, steps, nil, nil)
}

// reverify plans everything of a source once more that was Ready at the old
// revision: a new commit walks the whole chain again, in order.
func (r *run) reverify(source tiers.Ref, cause string) {
	var again []tiers.Step
	for _, s := range r.steps {
		if s.Verb != tiers.Ready || s.outcome != event.Succeeded || r.byID[r.latest[s.base]] != s {
			continue
		}
		if k := r.seq.World.Kustomization(s.Object); k != nil && sourceOf(k) == source {
			again = append(again, repetition(s, cause))
		}
	}
	if len(again) > 0 {
		r.extend(nil, again, cause)
	}
}

// unlatch drives an object again that was Ready and has since turned not
// ready for the same revision. A pass that is merely running is not that:
// every object reconciles on its own timer.
func (r *run) unlatch(touched map[tiers.Ref]bool) {
	var again []tiers.Step
	for _, s := range r.steps {
		if touched[s.Object] && r.fellBack(s) && repeats(s.ID) < maxRepeats {
			again = append(again, repetition(s, fmt.Sprintf("%s was Ready and is no longer", s.Object)))
		}
	}
	if len(again) > 0 {
		r.extend(nil, again, "what was Ready is no longer")
	}
}

// sweep looks once more at everything that was Ready, before the run ends. It
// reports whether it found something to do.
func (r *run) sweep() bool {
	var again []tiers.Step
	for _, s := range r.steps {
		switch {
		case !r.fellBack(s) && !r.stale(s):
		case repeats(s.ID) < maxRepeats:
			again = append(again, repetition(s, "the final sweep found it not Ready at the current revision"))
		default:
			r.blame(&StepError{Step: s.Step, Seen: r.again(s), Waited: time.Since(s.started), Err: errNeverStays})
		}
	}
	if len(again) == 0 {
		return false
	}
	r.extend(nil, again, "the final sweep found work to do")
	return true
}

func (r *run) fellBack(s *step) bool {
	switch r.again(s).State {
	case waiters.Retrying, waiters.Stalled, waiters.Suspended:
		return true
	case waiters.Unknown, waiters.Missing, waiters.Blocked, waiters.Progressing, waiters.Stale, waiters.Ready:
	}
	return false
}

// stale also counts what is blocked: its dependencies moved under it.
func (r *run) stale(s *step) bool {
	state := r.again(s).State
	return state == waiters.Stale || state == waiters.Blocked
}

// again judges what a latched step's object looks like now. Steps that are not
// latched are Unknown.
func (r *run) again(s *step) waiters.Observation {
	if s.Verb != tiers.Ready || s.Object.Kind != tiers.KindKustomization || s.outcome != event.Succeeded ||
		r.byID[r.latest[s.base]] != s {
		return waiters.Observation{}
	}
	k := r.seq.World.Kustomization(s.Object)
	if k == nil {
		return waiters.Observation{}
	}
	return waiters.JudgeKustomization(k, wanted(r.seq.World, k))
}

// repetition is the same step once more, as a step of its own: every planned
// step has exactly one finish.
func repetition(s *step, cause string) tiers.Step {
	t := s.Step
	t.ID = tiers.StepID(fmt.Sprintf("%s#%d", s.base, repeats(s.ID)+1))
	t.Cause = cause
	return t
}

// repeats reads n from "…#n"; a first step is number 1.
func repeats(id tiers.StepID) int {
	n := 1
	if _, number, ok := strings.Cut(string(id), "#"); ok {
		_, _ = fmt.Sscanf(number, "%d", &n) // we wrote it
	}
	return n
}
