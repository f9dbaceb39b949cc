package jsonl

import (
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/wire"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Line types.
const (
	typePlan         = "plan"
	typePlanExtended = "plan.extended"
	typePreflight    = "preflight"
	typeSourceMoved  = "source.moved"
	typeStepStarted  = "step.started"
	typeStepObserved = "step.observed"
	typeStepActed    = "step.acted"
	typeStepFinished = "step.finished"
	typeWarning      = "warning"
	typeRunFinished  = "run.finished"
)

// line is every field that a line can have; those that a type does not use are
// left out.
type line struct {
	Schema string `json:"schema"`
	Seq    int    `json:"seq"`
	Time   string `json:"time"`
	Run    string `json:"run"`
	Type   string `json:"type"`

	Step   string `json:"step,omitempty"`
	Verb   string `json:"verb,omitempty"`
	Tier   string `json:"tier,omitempty"`
	Object string `json:"object,omitempty"`
	Probe  string `json:"probe,omitempty"`

	From     string      `json:"from,omitempty"`
	Revision string      `json:"revision,omitempty"`
	State    string      `json:"state,omitempty"`
	Reason   string      `json:"reason,omitempty"`
	Cause    *wire.Cause `json:"cause,omitempty"`
	Message  string      `json:"message,omitempty"`

	Action  string   `json:"action,omitempty"`
	Why     string   `json:"why,omitempty"`
	Name    string   `json:"name,omitempty"`
	Outcome string   `json:"outcome,omitempty"`
	Because string   `json:"because,omitempty"`
	Error   string   `json:"error,omitempty"`
	Seconds *float64 `json:"seconds,omitempty"`

	Cluster       string      `json:"cluster,omitempty"`
	Tiers         []wire.Tier `json:"tiers,omitempty"`
	Steps         []wire.Step `json:"steps,omitempty"`
	LeftSuspended []wire.Left `json:"leftSuspended,omitempty"`
	Warnings      []string    `json:"warnings,omitempty"`

	Counts   *counts `json:"counts,omitempty"`
	ExitCode *int    `json:"exitCode,omitempty"`
}

// counts says how the planned steps ended.
type counts struct {
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Cancelled int `json:"cancelled"`
}

// Encoder turns events into lines. It folds them as it goes, so that each line
// can be read alone: a step's line says which tier and object it is about.
type Encoder struct {
	opts  Options
	state event.State
}

// NewEncoder returns an Encoder for one run.
func NewEncoder(opts Options) *Encoder { return &Encoder{opts: opts} }

// Encode returns the event's line, with its newline.
func (c *Encoder) Encode(e event.Event) []byte {
	c.state.Apply(e)
	l := line{Schema: Schema, Seq: e.Seq, Time: wire.Time(e.Time), Run: e.Run}
	c.fill(&l, e)
	b, err := wire.Marshal(l, "")
	if err != nil { // strings, numbers and lists of them always encode
		return nil
	}
	return b
}

func (c *Encoder) fill(l *line, e event.Event) {
	switch b := e.Body.(type) {
	case event.PlanReady:
		l.Type, l.Cluster = typePlan, b.Plan.Cluster
		l.Tiers, l.Steps = wire.TiersOf(b.Plan.Tiers), wire.StepsOf(b.Plan.Steps)
		l.LeftSuspended, l.Warnings = wire.LeftOf(b.Plan.Left), b.Plan.Warnings
	case event.PlanExtended:
		l.Type, l.Why = typePlanExtended, b.Cause
		l.Tiers, l.Steps = wire.TiersOf(b.Tiers), wire.StepsOf(b.Steps)
	case event.PreflightChecked:
		l.Type, l.Name, l.Message, l.Error = typePreflight, b.Name, b.Detail, wire.Text(b.Err)
		l.Outcome = event.Succeeded.String()
		if b.Err != nil {
			l.Outcome = event.Failed.String()
		}
	case event.SourceMoved:
		l.Type, l.Object, l.From, l.Revision = typeSourceMoved, wire.Object(b.Source), b.From, b.To
	case event.StepStarted:
		l.Type = typeStepStarted
		c.about(l, b.Step)
	case event.StepObserved:
		l.Type = typeStepObserved
		c.about(l, b.Step)
		l.saw(b.Seen)
	case event.StepActed:
		l.Type, l.Action, l.Why = typeStepActed, string(b.Action), b.Cause
		c.about(l, b.Step)
	case event.StepFinished:
		c.finished(l, b)
	case event.Warned:
		l.Type, l.Object, l.Message = typeWarning, wire.Object(b.Object), b.Message
	case event.RunFinished:
		c.ended(l, b)
	}
}

// about names the step, and what it is about.
func (c *Encoder) about(l *line, id tiers.StepID) event.StepState {
	st, _ := c.state.Step(id)
	l.Step, l.Verb, l.Tier = string(id), string(st.Step.Verb), st.Step.Tier
	l.Object, l.Probe = wire.Object(st.Step.Object), st.Step.Probe
	return st
}

func (l *line) saw(o waiters.Observation) {
	if o.State == waiters.Unknown {
		return
	}
	l.State, l.Reason, l.Revision, l.Message = o.State.String(), o.Reason, o.Revision, o.Message
	if l.Cause = wire.CauseOf(o); l.Cause != nil {
		l.Cause.Message = "" // it is the line's own message
	}
}

func (c *Encoder) finished(l *line, b event.StepFinished) {
	l.Type, l.Outcome, l.Because, l.Error = typeStepFinished, b.Outcome.String(), b.Because, wire.Text(b.Err)
	st := c.about(l, b.Step)
	l.saw(st.Seen)
	if !st.Started.IsZero() {
		s := wire.Seconds(st.Finished.Sub(st.Started))
		l.Seconds = &s
	}
}

func (c *Encoder) ended(l *line, b event.RunFinished) {
	l.Type, l.Error = typeRunFinished, wire.Text(b.Err)
	s := wire.Seconds(c.state.Finished.Sub(c.state.Started))
	l.Seconds = &s
	l.Counts = &counts{
		Succeeded: c.state.Count(event.Succeeded), Failed: c.state.Count(event.Failed),
		Skipped: c.state.Count(event.Skipped), Cancelled: c.state.Count(event.Cancelled),
	}
	if c.opts.ExitCode != nil {
		code := c.opts.ExitCode(b.Err)
		l.ExitCode = &code
	}
}
