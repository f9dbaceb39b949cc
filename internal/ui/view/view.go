// Package view turns the state of a run into what people are shown: tiers,
// their members, what each waits for, and the causes behind what went wrong.
// The live table, the plain log, the summary and the reports all read a View,
// so they cannot tell different stories.
package view

import (
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// View is one look at a run.
type View struct {
	Cluster           string
	Run               string
	Started, Finished time.Time
	Planned           bool // the plan is known
	Done              bool
	Err               error
	Tiers             []Tier
	// Others are the items that are no tier's Kustomization: sources that had
	// to be resumed.
	Others []Item
	Left   []tiers.Left
	// Warnings of the plan and of the run, each once, in the order in which
	// they came.
	Warnings []event.Warned
	Moves    []event.SourceMoved
	// Preflight are the checks before the run.
	Preflight []event.PreflightChecked

	names Names
	items map[string]*Item // by key
	steps map[tiers.StepID]*Item
	state *event.State
}

// Tier is one row of a View.
type Tier struct {
	tiers.PlanTier
	Status Status
	// Ready of Total Kustomizations are Ready; what was left suspended on
	// purpose does not count.
	Ready, Total      int
	Started, Finished time.Time
	Members           []Item
	Probes            []Item
}

// Item is one thing that a run drives: a Kustomization, a source or a probe.
type Item struct {
	Name   string    // as people call it: "platform", "media/plex", "probe folded-in"
	Object tiers.Ref // zero for a probe
	Tier   string
	Status Status
	Seen   waiters.Observation

	Started, Finished time.Time
	Nudges, Resets    int
	Resumed           bool
	Optional          bool
	// BlockedBy names the root of what it was skipped for, as people call it.
	BlockedBy string
	// Err is why it was given up, where what was seen does not say it all.
	Err error

	key     string
	newest  [verbs]int // newest step of each verb: its index in State.Steps, plus one
	blocker string     // key of the root item, empty for a root
}

// Status is where an item or a tier stands.
type Status int

// Statuses.
const (
	Pending   Status = iota // not started
	Running                 // being driven
	Ready                   // where it should be
	Failed                  // given up
	Skipped                 // something it waits for did not get there
	Cancelled               // the run ended first
	Suspended               // left suspended on purpose
)

// String returns the name that people and JSON see.
func (s Status) String() string {
	switch s {
	case Pending:
		return "Pending"
	case Running:
		return "Running"
	case Ready:
		return "Ready"
	case Failed:
		return "Failed"
	case Skipped:
		return "Skipped"
	case Cancelled:
		return "Cancelled"
	case Suspended:
		return "Suspended"
	}
	return "Unknown"
}

// Of looks at s. It keeps a reference to s only for as long as the View is
// used, and changes nothing in it.
func Of(s *event.State) *View {
	v := &View{
		Run: s.Run, Started: s.Started, Finished: s.Finished,
		Planned: planned(s.Plan), Done: s.Done, Err: s.Err,
		Moves: s.Moves, Preflight: s.Preflight,
		items: make(map[string]*Item, len(s.Steps)),
		steps: make(map[tiers.StepID]*Item, len(s.Steps)),
		state: s,
	}
	if s.Plan != nil {
		v.Cluster, v.Left = s.Plan.Cluster, s.Plan.Left
	}
	v.names = namesOf(s)
	v.Warnings = warningsOf(s)
	v.collect()
	v.resolve()
	return v
}

// Elapsed is how long the run has taken so far.
func (v *View) Elapsed(now time.Time) time.Duration { return elapsed(v.Started, v.Finished, now) }

// Elapsed is how long the tier has taken so far; zero before it started.
func (t *Tier) Elapsed(now time.Time) time.Duration { return elapsed(t.Started, t.Finished, now) }

// Elapsed is how long the item has taken so far; zero before it started.
func (i *Item) Elapsed(now time.Time) time.Duration { return elapsed(i.Started, i.Finished, now) }

// Took is how long the item took; zero unless it has started and finished.
func (i *Item) Took() time.Duration {
	if i.Finished.IsZero() {
		return 0
	}
	return elapsed(i.Started, i.Finished, i.Finished)
}

func elapsed(from, to, now time.Time) time.Duration {
	if from.IsZero() {
		return 0
	}
	if to.IsZero() {
		to = now
	}
	return max(0, to.Sub(from))
}

// ReadyTiers returns how many tiers are Ready.
func (v *View) ReadyTiers() int {
	n := 0
	for i := range v.Tiers {
		if v.Tiers[i].Status == Ready {
			n++
		}
	}
	return n
}

// Name returns how people call the object of a plan or of an event.
func (v *View) Name(ref tiers.Ref) string { return v.names.Of(ref) }

// Item returns the item that a step belongs to.
func (v *View) Item(id tiers.StepID) (*Item, bool) {
	i, ok := v.steps[id]
	return i, ok
}

// Items calls yield for every item: sources first, then tier by tier.
func (v *View) Items(yield func(*Item) bool) {
	for i := range v.Others {
		if !yield(&v.Others[i]) {
			return
		}
	}
	for t := range v.Tiers {
		for _, part := range [][]Item{v.Tiers[t].Members, v.Tiers[t].Probes} {
			for i := range part {
				if !yield(&part[i]) {
					return
				}
			}
		}
	}
}

// warningsOf joins the plan's warnings and the run's. A sequencer repeats the
// plan's as events, so that sinks hear of them; people read each once.
func warningsOf(s *event.State) []event.Warned {
	var out []event.Warned
	seen := map[event.Warned]bool{}
	add := func(w event.Warned) {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	if s.Plan != nil {
		for _, m := range s.Plan.Warnings {
			add(event.Warned{Message: m})
		}
	}
	for _, w := range s.Warnings {
		add(w)
	}
	return out
}

// planned tells a plan from the empty one of a run that was refused before it
// had any.
func planned(p *tiers.Plan) bool {
	return p != nil && len(p.Tiers)+len(p.Steps)+len(p.Left) > 0
}

// TierCount is how many tiers of a plan people see: the row for sources is none
// to them.
func TierCount(all []tiers.PlanTier) int {
	n := 0
	for _, t := range all {
		if t.Listed || len(t.Members) > 0 {
			n++
		}
	}
	return n
}
