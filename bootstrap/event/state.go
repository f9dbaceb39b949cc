package event

import (
	"time"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// State is the fold of a run's events: the table, the log, the report and the
// summary all read it, so they cannot disagree.
type State struct {
	Run               string
	Started, Finished time.Time
	Plan              *tiers.Plan // as planned; later steps are in Steps only
	Tiers             []TierState // plan order
	Steps             []StepState // plan order, added steps last
	Preflight         []PreflightChecked
	Moves             []SourceMoved
	Warnings          []Warned
	Done              bool
	Err               error

	index map[tiers.StepID]int
}

// TierState is one tier and the indexes of its steps in State.Steps.
type TierState struct {
	Tier  tiers.PlanTier
	Steps []int
}

// StepState is what is known of one step.
type StepState struct {
	Step              tiers.Step
	Started, Finished time.Time
	Seen              waiters.Observation
	Nudges            int
	Resets            int // of HelmReleases that the object applied
	Resumed           bool
	PreApplied        bool // standup applied the step's object
	Outcome           Outcome
	Because           string
	Err               error
}

// Apply folds one event in.
func (s *State) Apply(e Event) {
	s.Run = e.Run
	switch b := e.Body.(type) {
	case PlanReady:
		s.Plan = b.Plan
		s.begin(e.Time)
		s.extend(b.Plan.Tiers, b.Plan.Steps)
	case PlanExtended:
		s.extend(b.Tiers, b.Steps)
	case PreflightChecked:
		s.begin(e.Time)
		s.Preflight = append(s.Preflight, b)
	case SourceMoved:
		s.Moves = append(s.Moves, b)
	case StepStarted:
		s.step(b.Step).Started = e.Time
	case StepObserved:
		s.step(b.Step).Seen = b.Seen
	case StepActed:
		s.acted(b)
	case StepFinished:
		st := s.step(b.Step)
		st.Finished, st.Outcome, st.Because, st.Err = e.Time, b.Outcome, b.Because, b.Err
	case Warned:
		s.Warnings = append(s.Warnings, b)
	case RunFinished:
		s.begin(e.Time)
		s.Finished, s.Done, s.Err = e.Time, true, b.Err
	}
}

// Count returns how many steps ended with o.
func (s *State) Count(o Outcome) int {
	n := 0
	for i := range s.Steps {
		if s.Steps[i].Outcome == o {
			n++
		}
	}
	return n
}

// Step returns what is known of one step, and false when it was never planned.
func (s *State) Step(id tiers.StepID) (StepState, bool) {
	i, ok := s.index[id]
	if !ok {
		return StepState{}, false
	}
	return s.Steps[i], true
}

func (s *State) begin(t time.Time) {
	if s.Started.IsZero() {
		s.Started = t
	}
}

func (s *State) acted(b StepActed) {
	st := s.step(b.Step)
	switch b.Action {
	case Nudged:
		st.Nudges++
	case Resumed:
		st.Resumed = true
	case PreApplied:
		st.PreApplied = true
	case Reset:
		st.Resets++
	case Restarted:
	}
}

func (s *State) extend(added []tiers.PlanTier, steps []tiers.Step) {
	if s.index == nil {
		s.index = make(map[tiers.StepID]int, len(steps))
	}
	for _, t := range added {
		s.Tiers = append(s.Tiers, TierState{Tier: t})
	}
	for _, st := range steps {
		i := len(s.Steps)
		s.index[st.ID] = i
		s.Steps = append(s.Steps, StepState{Step: st})
		for t := range s.Tiers {
			if s.Tiers[t].Tier.Name == st.Tier {
				s.Tiers[t].Steps = append(s.Tiers[t].Steps, i)
				break
			}
		}
	}
}

// step returns the state of a step; an event about a step that was never
// planned breaks a law that the sequencer's tests hold, so it lands nowhere.
func (s *State) step(id tiers.StepID) *StepState {
	if i, ok := s.index[id]; ok {
		return &s.Steps[i]
	}
	return &StepState{}
}
