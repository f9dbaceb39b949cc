package event

import (
	"errors"
	"fmt"

	"github.com/standup-sh/standup/tiers"
)

// CheckLaws checks what every stream of a run that has ended promises to its
// readers, and returns every breach, joined:
//
//   - PlanReady is first, and there is only one;
//   - Seq counts from 1 without gaps, time does not go back, and all events
//     are of one run;
//   - a step is planned before anything is said of it, and only once (a
//     repetition is a step of its own);
//   - nothing is said of a step after it finished;
//   - every planned step finishes exactly once, with an outcome;
//   - a step that succeeded was started;
//   - RunFinished is last, and there is only one.
//
// Renderers lean on these laws and do not check them.
func CheckLaws(events []Event) error {
	if len(events) == 0 {
		return errors.New("the stream is empty")
	}
	c := lawChecker{steps: map[tiers.StepID]*lawStep{}}
	for i, e := range events {
		c.at = i + 1
		c.envelope(events, i)
		c.body(e, i == len(events)-1)
	}
	c.unfinished()
	return errors.Join(c.errs...)
}

type lawChecker struct {
	at    int
	errs  []error
	steps map[tiers.StepID]*lawStep
	order []tiers.StepID
}

type lawStep struct{ started, finished bool }

func (c *lawChecker) breach(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("event %d: "+format, append([]any{c.at}, args...)...))
}

// envelope checks what all events have in common.
func (c *lawChecker) envelope(events []Event, i int) {
	e := events[i]
	if e.Seq != i+1 {
		c.breach("seq is %d", e.Seq)
	}
	if i == 0 {
		return
	}
	if e.Time.Before(events[i-1].Time) {
		c.breach("time goes back by %s", events[i-1].Time.Sub(e.Time))
	}
	if e.Run != events[0].Run {
		c.breach("run is %q, and began as %q", e.Run, events[0].Run)
	}
}

func (c *lawChecker) body(e Event, last bool) {
	plan, first := e.Body.(PlanReady)
	if c.at == 1 && !first {
		c.breach("%T comes before PlanReady", e.Body)
	}
	if c.at > 1 && first {
		c.breach("a second PlanReady")
	}
	if _, ends := e.Body.(RunFinished); ends != last {
		if last {
			c.breach("%T is last, not RunFinished", e.Body)
		} else {
			c.breach("RunFinished is not last")
		}
	}
	switch b := e.Body.(type) {
	case PlanReady:
		c.planned(plan.Plan.Steps)
	case PlanExtended:
		c.planned(b.Steps)
	case StepStarted:
		c.started(b.Step)
	case StepObserved:
		c.open("StepObserved", b.Step)
	case StepActed:
		c.open("StepActed", b.Step)
	case StepFinished:
		c.finished(b)
	case PreflightChecked, SourceMoved, Warned, RunFinished:
	}
}

func (c *lawChecker) planned(steps []tiers.Step) {
	for _, s := range steps {
		if _, ok := c.steps[s.ID]; ok {
			c.breach("step %s is planned twice", s.ID)
			continue
		}
		c.steps[s.ID] = &lawStep{}
		c.order = append(c.order, s.ID)
	}
}

// open returns a step that something may be said of, else nil.
func (c *lawChecker) open(what string, id tiers.StepID) *lawStep {
	s, ok := c.steps[id]
	switch {
	case !ok:
		c.breach("%s of step %s, which was never planned", what, id)
	case s.finished:
		c.breach("%s of step %s, which has finished", what, id)
	default:
		return s
	}
	return nil
}

func (c *lawChecker) started(id tiers.StepID) {
	s := c.open("StepStarted", id)
	if s == nil {
		return
	}
	if s.started {
		c.breach("step %s is started twice", id)
	}
	s.started = true
}

func (c *lawChecker) finished(b StepFinished) {
	s := c.open("StepFinished", b.Step)
	if s == nil {
		return
	}
	s.finished = true
	switch {
	case b.Outcome == Pending:
		c.breach("step %s finishes without an outcome", b.Step)
	case b.Outcome == Succeeded && !s.started:
		c.breach("step %s succeeded without being started", b.Step)
	}
}

func (c *lawChecker) unfinished() {
	for _, id := range c.order {
		if !c.steps[id].finished {
			c.breach("the stream ends, and step %s has not finished", id)
		}
	}
}
