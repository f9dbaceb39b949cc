// Package report tells how a run went, after it: a summary for people, a result
// for programs, a record on disk, and the plan and status tables. Everything is
// made from the state that the run's events fold into.
package report

import (
	"fmt"
	"strings"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/waiters"
)

// SummaryOptions shape a summary.
type SummaryOptions struct {
	// Verbose adds how long each tier took.
	Verbose bool
	// Again is the command that carries on where the run stopped. Empty means
	// "the same command".
	Again string
	// Record is where the run was recorded, if it was.
	Record string
}

// Summary is the closing word to a person: what was done, or the cause that
// stopped it, what that holds up, the remedy, and how to carry on. It ends with
// a newline.
func Summary(s *event.State, opts SummaryOptions) string {
	w := &writer{view: view.Of(s), opts: opts}
	switch {
	case !w.view.Planned:
		w.refused()
	case w.view.Err == nil && w.view.Done:
		w.succeeded()
	default:
		w.stopped()
	}
	w.early()
	w.left()
	w.warnings()
	if opts.Verbose {
		w.durations()
	}
	if opts.Record != "" {
		w.gap()
		w.line("Record: %s", opts.Record)
	}
	return strings.TrimRight(w.b.String(), "\n") + "\n"
}

type writer struct {
	b    strings.Builder
	view *view.View
	opts SummaryOptions
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// gap sets what follows apart, by one empty line.
func (w *writer) gap() {
	if s := w.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		w.b.WriteString("\n")
	}
}

// refused tells of a run that ended before it had a plan.
func (w *writer) refused() {
	reason := "the run was not started"
	if w.view.Err != nil {
		reason = view.Line(w.view.Err.Error())
	}
	w.line("Nothing was changed: %s", reason)
	w.checks()
}

// checks tells which preflight checks failed, where the error does not.
func (w *writer) checks() {
	for _, c := range w.view.Preflight {
		if c.Err == nil || w.view.Err != nil && strings.Contains(w.view.Err.Error(), c.Err.Error()) {
			continue
		}
		w.line("Check %s: %s", c.Name, view.Line(c.Err.Error()))
	}
}

func (w *writer) succeeded() {
	v := w.view
	if len(v.Tiers) == 0 {
		w.repaired()
		return
	}
	ready, _, optional := w.count()
	all := view.Count(len(v.Tiers), "tier")
	if n := v.ReadyTiers(); n < len(v.Tiers) {
		all = fmt.Sprintf("%d of %s", n, all)
	}
	w.line("%s, %s Ready%s in %s%s.", all, view.Count(ready, "Kustomization"),
		w.at(), view.Duration(v.Elapsed(v.Finished)), w.writes())
	if optional > 0 {
		w.line("%s in optional tiers did not get there:", view.Count(optional, "Kustomization"))
		w.gap()
		w.troubles()
	}
}

// stopped tells of a run that did not get everything there.
func (w *writer) stopped() {
	v := w.view
	ready, total, _ := w.count()
	head := "Stopped after " + view.Duration(v.Elapsed(v.Finished))
	switch {
	case !v.Done:
		head = "Still running"
	case len(v.Troubles()) > 0:
		head = "Failed after " + view.Duration(v.Elapsed(v.Finished))
	}
	if len(v.Tiers) == 0 { // it was to break wedges
		w.line("%s%s.", head, w.writes())
	} else {
		w.line("%s: %d of %s ready, %d of %s%s.", head, v.ReadyTiers(), view.Count(len(v.Tiers), "tier"), ready, view.Count(total, "Kustomization"), w.writes())
	}
	w.gap()
	if len(v.Troubles()) == 0 {
		w.interrupted()
	}
	w.troubles()
	again := w.opts.Again
	if again == "" {
		again = "the same command"
	}
	w.line("Then run %s again: it carries on where it stopped.", again)
}

// interrupted tells of a run that was stopped from outside.
func (w *writer) interrupted() {
	if w.view.Err != nil {
		w.line("Why: %s", view.Line(w.view.Err.Error()))
	}
	var flight []string
	for it := range w.view.Items {
		if it.Status == view.Cancelled && !it.Started.IsZero() {
			flight = append(flight, it.Name)
		}
	}
	if len(flight) > 0 {
		w.line("In flight: %s (Flux goes on with them by itself)", names(flight))
	}
	w.checks()
	w.gap()
}

// troubles tells each cause once, with what it holds up and what to do.
func (w *writer) troubles() {
	for _, t := range w.view.Troubles() {
		it := t.Item
		w.line("%s", w.where(&it))
		if given := view.GivenUp(it.Err); given != "" {
			w.line("  why:    %s", given)
		}
		if it.Seen.State != waiters.Unknown {
			w.line("  seen:   %s", sight(it.Seen))
		}
		if len(t.Behind) > 0 {
			w.line("  behind: %s: %s", view.Count(len(t.Behind), "Kustomization"), names(namesOf(t.Behind)))
		}
		if remedy := view.Line(it.Seen.Cause.Remedy); remedy != "" {
			w.line("  remedy: %s", remedy)
		}
		w.gap()
	}
}

// where names the item in full, and for how long it was tried.
func (w *writer) where(it *view.Item) string {
	s := "Cause: "
	switch {
	case it.Object.IsZero():
		s += it.Name
	default:
		s += it.Object.Kind + " " + it.Object.NamespacedName()
	}
	if it.Tier != "" && it.Tier != it.Name {
		s += ", tier " + it.Tier
	}
	if it.Optional {
		s += " (optional)"
	}
	if d := it.Took(); !it.Started.IsZero() {
		s += fmt.Sprintf(", given up after %s", view.Duration(d))
	}
	return s
}

// sight is what was seen: the state, the class of the cause, and the words.
func sight(o waiters.Observation) string {
	s := o.State.String()
	if o.Cause.Kind != waiters.NoCause {
		s += ", " + string(o.Cause.Kind)
		if class := o.Cause.Class.String(); class != "" {
			s += " (" + class + ")"
		}
	}
	if words := view.Sight(o); words != "" && words != string(o.Cause.Kind) {
		s += ": " + words
	}
	return s
}

func (w *writer) left() {
	if len(w.view.Left) == 0 {
		return
	}
	w.gap()
	w.line("Left suspended:")
	for _, l := range w.view.Left {
		s := fmt.Sprintf("  %s: %s", w.view.Name(l.Object), view.Line(l.Why))
		if behind := w.view.BehindLeft(l); len(behind) > 0 {
			s += fmt.Sprintf("; behind it: %s", names(w.view.Names(behind)))
		}
		w.line("%s", s)
	}
}

func (w *writer) warnings() {
	if len(w.view.Warnings) == 0 {
		return
	}
	w.gap()
	w.line("%s:", capital(view.Count(len(w.view.Warnings), "warning")))
	for _, warned := range w.view.Warnings {
		w.line("  %s", w.view.WarningText(warned))
	}
}

func (w *writer) durations() {
	w.gap()
	w.line("Tiers:")
	width := 0
	for i := range w.view.Tiers {
		width = max(width, len(w.view.Tiers[i].Name))
	}
	for i := range w.view.Tiers {
		t := &w.view.Tiers[i]
		took := ""
		if d := t.Elapsed(w.view.Finished); d > 0 {
			took = "  " + view.Duration(d)
		}
		w.line("  %-*s  %d/%d  %-9s%s", width, t.Name, t.Ready, t.Total, t.Status, took)
	}
}
