package uitest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Random is a run that keeps the laws and nothing else: the same seed gives the
// same run. It is for tests of what must hold of every run.
func Random(seed uint64) *Script {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 1)), Script: NewScript(fmt.Sprintf("rand%d", seed))}
	p := NewPlan("lab")
	for t := range 1 + r.IntN(8) {
		var members []string
		for m := range 1 + r.IntN(4) {
			members = append(members, fmt.Sprintf("%sk%d-%d", []string{"", "", "media/"}[r.IntN(3)], t, m))
		}
		p.Tier([]string{fmt.Sprintf("tier%d", t), "apps"}[r.IntN(2)*min(1, t%3)], members...)
		if r.IntN(4) == 0 {
			p.Probe(tiers.StepID(fmt.Sprintf("probe:tier%d/ok", t)), "ok")
		}
	}
	if r.IntN(3) == 0 {
		p.Left = []tiers.Left{{Object: p.Tiers[0].Members[0], Why: "spec.suspend is declared in git"}}
	}
	r.plan, r.open = p.Steps, p.Steps
	r.started, r.lost = map[tiers.StepID]bool{}, map[tiers.StepID]bool{}
	r.Plan(&p.Plan)
	for len(r.open) > 0 && len(r.Events) < 400 {
		r.After(time.Duration(r.IntN(3000)) * time.Millisecond)
		r.step()
	}
	for len(r.open) > 0 {
		r.end(0)
	}
	if r.failed {
		return r.Finish(errors.New("failed"))
	}
	return r.Finish(nil)
}

type random struct {
	*rand.Rand
	*Script
	plan    []tiers.Step
	open    []tiers.Step          // planned and not finished
	lost    map[tiers.StepID]bool // ended without success
	started map[tiers.StepID]bool
	ended   []tiers.Step
	failed  bool
	added   int
}

// step lets one thing happen.
func (r *random) step() {
	i := r.IntN(min(len(r.open), 6)) // what is in front happens first
	id := r.open[i].ID
	switch n := r.IntN(12); {
	case n < 3 && !r.started[id]:
		r.started[id] = true
		r.Start(id)
	case n < 6 && r.started[id]:
		r.See(id, r.sight())
	case n == 6 && r.started[id] && r.open[i].Verb != tiers.Probe:
		r.Nudge(id, "it is due")
	case n == 7 && len(r.ended) > 0 && r.added < 5:
		r.added++
		again := r.open[i]
		again.ID = tiers.StepID(fmt.Sprintf("%s#%d", id, len(r.Events)))
		r.Emit(event.PlanExtended{Steps: []tiers.Step{again}, Cause: "it appeared"})
		r.open = append(r.open, again)
	case n == 8 && r.IntN(4) == 0:
		r.Emit(event.Warned{Object: r.open[i].Object, Message: "something is odd"})
	case n == 9 && r.IntN(4) == 0:
		r.Emit(event.SourceMoved{Source: tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}, From: Old, To: New})
	case n > 9:
		r.end(i)
	}
}

// end finishes the step in some way that is allowed.
func (r *random) end(i int) {
	st := r.open[i]
	f := event.StepFinished{Step: st.ID}
	switch n := r.IntN(10); {
	case n < 7 && r.started[st.ID]:
		f.Outcome = event.Succeeded
	case n == 7 && r.front(st) != "":
		f.Outcome, f.Because = event.Skipped, r.front(st)
	case n == 8 && st.Verb != tiers.Probe:
		f.Outcome, f.Because = event.Skipped, st.Object.String()
	case n == 9:
		f.Outcome, f.Err = event.Cancelled, errors.New("interrupted")
	default:
		f.Outcome, f.Err = event.Failed, &StepError{ID: st.ID, Err: errors.New("out of time")}
		r.failed = r.failed || !st.Optional
	}
	r.Emit(f)
	r.lost[st.ID] = f.Outcome != event.Succeeded
	r.ended = append(r.ended, st)
	r.open = append(r.open[:i:i], r.open[i+1:]...)
}

// front is a step that did not succeed, of something that the plan has before
// st: what st can be skipped for.
func (r *random) front(st tiers.Step) string {
	for _, other := range r.plan {
		if other.Object == st.Object {
			return ""
		}
		for _, e := range r.ended {
			if e.ID == other.ID && r.lost[e.ID] {
				return string(e.ID)
			}
		}
	}
	return ""
}

func (r *random) sight() waiters.Observation {
	return []waiters.Observation{
		Progressing(""), Progressing("Reconciliation in progress"), ReadyAt(Old), ReadyAt(New), Unhealthy(), NoKind(),
		{State: waiters.Missing},
		{State: waiters.Stale, Revision: Old},
		{State: waiters.Blocked, Message: "dependency is not ready", Cause: waiters.Cause{Kind: waiters.DependencyNotReady, Class: waiters.Passing}},
	}[r.IntN(9)]
}
