package view

import (
	"slices"
	"strings"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// collect groups the steps by what they drive, and the items by tier.
func (v *View) collect() {
	tierAt := make(map[string]int, len(v.state.Tiers))
	for _, t := range v.state.Tiers {
		if _, twice := tierAt[t.Tier.Name]; twice {
			continue
		}
		tierAt[t.Tier.Name] = len(v.Tiers)
		v.Tiers = append(v.Tiers, Tier{PlanTier: t.Tier})
	}
	items := v.group()
	for _, it := range items {
		v.judge(it)
	}
	for _, it := range items {
		at, ok := tierAt[it.Tier]
		switch {
		case !ok || it.Object.Kind != tiers.KindKustomization && !it.isProbe():
			v.Others = append(v.Others, *it)
		case it.isProbe():
			v.Tiers[at].Probes = append(v.Tiers[at].Probes, *it)
		default:
			v.Tiers[at].Members = append(v.Tiers[at].Members, *it)
		}
	}
	// The plan's row for sources has no Kustomizations: it is no tier to people.
	v.Tiers = slices.DeleteFunc(v.Tiers, func(t Tier) bool {
		return !t.Listed && len(t.Members) == 0 && len(t.Probes) == 0
	})
	for i := range v.Tiers {
		v.Tiers[i].fold()
	}
}

// group makes one item for each object and probe, in the order of the tiers'
// members, then of the steps.
func (v *View) group() []*Item {
	var items []*Item
	byKey := make(map[string]*Item, len(v.state.Steps))
	get := func(key string, ref tiers.Ref, tier, name string) *Item {
		if it, ok := byKey[key]; ok {
			return it
		}
		it := &Item{Name: name, Object: ref, Tier: tier, key: key}
		byKey[key] = it
		items = append(items, it)
		return it
	}
	for _, t := range v.Tiers {
		for _, ref := range t.PlanTier.Members {
			get(ref.String(), ref, t.Name, v.names.Of(ref)).Optional = t.Optional
		}
	}
	for i := range v.state.Steps {
		st := &v.state.Steps[i].Step
		key, name := st.Object.String(), v.names.Of(st.Object)
		if st.Verb == tiers.Probe {
			key, name = probeKey(st), "probe "+st.Probe
		}
		it := get(key, st.Object, st.Tier, name)
		it.newest[order(st.Verb)] = i + 1 // the newest step of a verb speaks for it
		it.Optional = it.Optional || st.Optional
		// What was written was written, whatever replaced the step.
		it.Nudges += v.state.Steps[i].Nudges
		it.Resets += v.state.Steps[i].Resets
		it.Resumed = it.Resumed || v.state.Steps[i].Resumed
	}
	return items
}

func probeKey(st *tiers.Step) string { return "probe:" + st.Tier + "/" + st.Probe }

func (i *Item) isProbe() bool { return i.Object.IsZero() }

// judge folds the item's steps.
func (v *View) judge(it *Item) {
	for st := range v.stepsOf(it) {
		if it.Started.IsZero() || !st.Started.IsZero() && st.Started.Before(it.Started) {
			it.Started = st.Started
		}
		if st.Finished.After(it.Finished) {
			it.Finished = st.Finished
		}
		// A later verb knows more, once it has seen something.
		if st.Seen.State != waiters.Unknown {
			it.Seen = st.Seen
		}
	}
	it.Status = v.statusOf(it)
	if it.Status == Pending || it.Status == Running {
		it.Finished = time.Time{}
	}
	if st := v.ended(it); st != nil {
		it.Err = st.Err
	}
}

// statusOf says where the item stands: the step that proves it Ready decides,
// else the worst of its steps.
func (v *View) statusOf(it *Item) Status {
	if it.newest == [verbs]int{} {
		return v.unplanned(it)
	}
	var failed, cancelled, skipped, open, started bool
	for st := range v.stepsOf(it) {
		proof := st.Step.Verb == tiers.Ready || st.Step.Verb == tiers.Probe
		switch {
		case proof && st.Outcome == event.Succeeded:
			return Ready
		case st.Outcome == event.Skipped && st.Because == it.key:
			return Suspended
		}
		failed = failed || st.Outcome == event.Failed
		cancelled = cancelled || st.Outcome == event.Cancelled
		skipped = skipped || st.Outcome == event.Skipped
		open = open || st.Outcome == event.Pending
		started = started || !st.Started.IsZero()
	}
	switch {
	case failed:
		return Failed
	case cancelled:
		return Cancelled
	case skipped:
		return Skipped
	case !open:
		return Ready
	case started:
		return Running
	}
	return Pending
}

// stepsOf yields the newest step of each of the item's verbs, in their order.
func (v *View) stepsOf(it *Item) func(func(*event.StepState) bool) {
	return func(yield func(*event.StepState) bool) {
		for _, n := range it.newest {
			if n > 0 && !yield(&v.state.Steps[n-1]) {
				return
			}
		}
	}
}

// verbs is how many verbs there are; order is the verb's place among them.
const verbs = 7

func order(verb tiers.Verb) int {
	switch verb {
	case tiers.Resume:
		return 0
	case tiers.Applied:
		return 1
	case tiers.Ready:
		return 2
	case tiers.Probe:
		return 3
	case tiers.PreApply:
		return 4
	case tiers.Served:
		return 5
	case tiers.Handover:
		return 6
	}
	return 0
}

// unplanned is the status of a member that has no step: it was left suspended,
// or it is behind something that was.
func (v *View) unplanned(it *Item) Status {
	for _, l := range v.Left {
		if l.Object == it.Object {
			return Suspended
		}
	}
	for _, l := range v.Left {
		for _, b := range l.Behind {
			if b == it.Object {
				it.blocker = l.Object.String()
				return Skipped
			}
		}
	}
	return Pending
}

// ended is the step that explains how the item ended, nil when there is none.
func (v *View) ended(it *Item) *event.StepState {
	for st := range v.stepsOf(it) {
		if outcomeStatus(st.Outcome) == it.Status {
			return st
		}
	}
	return nil
}

func outcomeStatus(o event.Outcome) Status {
	switch o {
	case event.Pending:
		return Pending
	case event.Succeeded:
		return Ready
	case event.Failed:
		return Failed
	case event.Skipped:
		return Skipped
	case event.Cancelled:
		return Cancelled
	}
	return Pending
}

// fold sums the tier up from its items.
func (t *Tier) fold() {
	count := map[Status]int{}
	open := false
	t.Ready, t.Total = 0, 0
	for _, part := range [][]Item{t.Members, t.Probes} {
		for i := range part {
			it := &part[i]
			count[it.Status]++
			if it.Status == Suspended {
				continue // its times are not the tier's
			}
			open = open || it.Status == Pending || it.Status == Running
			if !it.Started.IsZero() && (t.Started.IsZero() || it.Started.Before(t.Started)) {
				t.Started = it.Started
			}
			if it.Finished.After(t.Finished) {
				t.Finished = it.Finished
			}
		}
	}
	for i := range t.Members {
		if t.Members[i].Status != Suspended {
			t.Total++
		}
		if t.Members[i].Status == Ready {
			t.Ready++
		}
	}
	if open {
		t.Finished = time.Time{}
	}
	t.Status = tierStatus(count, open)
}

func tierStatus(count map[Status]int, open bool) Status {
	others := count[Failed] + count[Skipped] + count[Cancelled] + count[Pending] + count[Running]
	switch {
	case count[Failed] > 0:
		return Failed
	case others == 0 && count[Ready] > 0:
		return Ready
	case count[Running] > 0, open && count[Ready] > 0:
		return Running
	case count[Cancelled] > 0:
		return Cancelled
	case count[Skipped] > 0:
		return Skipped
	case count[Pending] == 0 && count[Suspended] > 0:
		return Suspended
	}
	return Pending
}

// baseOf strips the "#n" of a repeated step: edges name the first one.
func baseOf(id tiers.StepID) tiers.StepID {
	base, _, _ := strings.Cut(string(id), "#")
	return tiers.StepID(base)
}
