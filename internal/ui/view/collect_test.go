package view

import (
	"testing"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func TestTierStatus(t *testing.T) {
	for _, c := range []struct {
		items []Status
		want  Status
	}{
		{nil, Pending},
		{[]Status{Pending, Pending}, Pending},
		{[]Status{Ready, Ready}, Ready},
		{[]Status{Ready, Suspended}, Ready},
		{[]Status{Suspended}, Suspended},
		{[]Status{Suspended, Pending}, Pending},
		{[]Status{Running, Pending}, Running},
		{[]Status{Ready, Pending}, Running}, // it is between two of its members
		{[]Status{Failed, Running}, Failed},
		{[]Status{Ready, Failed}, Failed},
		{[]Status{Skipped, Running}, Running},
		{[]Status{Skipped, Ready}, Skipped},
		{[]Status{Skipped, Suspended}, Skipped},
		{[]Status{Cancelled, Skipped}, Cancelled},
		{[]Status{Cancelled, Ready}, Cancelled},
	} {
		var tier Tier
		for _, st := range c.items {
			tier.Members = append(tier.Members, Item{Status: st})
		}
		if tier.fold(); tier.Status != c.want {
			t.Errorf("%v: %s, want %s", c.items, tier.Status, c.want)
		}
	}
}

func TestTierTimes(t *testing.T) {
	at := func(s int) time.Time { return uitest.Start().Add(time.Duration(s) * time.Second) }
	tier := Tier{
		Members: []Item{
			{Status: Ready, Started: at(5), Finished: at(9)},
			{Status: Ready, Started: at(3), Finished: at(4)},
			{Status: Suspended, Started: at(1), Finished: at(99)},
		},
		Probes: []Item{{Status: Ready, Started: at(9), Finished: at(12)}},
	}
	tier.fold()
	if tier.Started != at(3) || tier.Finished != at(12) || tier.Elapsed(at(50)) != 9*time.Second {
		t.Errorf("from %v to %v", tier.Started, tier.Finished)
	}
	tier.Probes[0].Status, tier.Probes[0].Finished = Running, time.Time{}
	tier.fold()
	if !tier.Finished.IsZero() || tier.Elapsed(at(50)) != 47*time.Second {
		t.Errorf("a tier in flight has finished at %v", tier.Finished)
	}
	if tier.Ready != 2 || tier.Total != 2 {
		t.Errorf("%d of %d; what is left suspended does not count, nor do probes", tier.Ready, tier.Total)
	}
}

// statusAfter is the status of one Kustomization with a resume and a ready step.
func statusAfter(bodies ...event.Body) Status {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	for _, b := range bodies {
		s.Emit(b)
	}
	return Of(s.State()).Tiers[0].Members[0].Status
}

func TestItemStatus(t *testing.T) {
	resume, ready := uitest.ResumeID("t1"), uitest.ReadyID("t1")
	end := func(id tiers.StepID, o event.Outcome) event.Body { return event.StepFinished{Step: id, Outcome: o} }
	because := func(id tiers.StepID, b string) event.Body {
		return event.StepFinished{Step: id, Outcome: event.Skipped, Because: b}
	}
	for _, c := range []struct {
		name   string
		bodies []event.Body
		want   Status
	}{
		{"planned", nil, Pending},
		{"resuming", []event.Body{event.StepStarted{Step: resume}}, Running},
		{"resumed", []event.Body{event.StepStarted{Step: resume}, end(resume, event.Succeeded)}, Running},
		{"ready", []event.Body{end(resume, event.Succeeded), end(ready, event.Succeeded)}, Ready},
		{"resume failed", []event.Body{end(resume, event.Failed), because(ready, string(resume))}, Failed},
		{"ready failed", []event.Body{end(resume, event.Succeeded), end(ready, event.Failed)}, Failed},
		{"cancelled in flight", []event.Body{end(resume, event.Succeeded), event.StepStarted{Step: ready}, end(ready, event.Cancelled)}, Cancelled},
		{"skipped", []event.Body{because(resume, "x"), because(ready, "x")}, Skipped},
		{"it is the suspended object itself", []event.Body{because(resume, "Kustomization/flux-system/t1"), because(ready, "Kustomization/flux-system/t1")}, Suspended},
	} {
		if got := statusAfter(c.bodies...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The step that failed says why, not the one that was skipped for it.
func TestTheStepThatFailedExplains(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	s.Start(uitest.ResumeID("t1")).Fail(uitest.ResumeID("t1"), forbiddenError{}).Skip(string(uitest.ResumeID("t1")), uitest.ReadyID("t1"))
	v := Of(s.State())
	it := v.Tiers[0].Members[0]
	if it.BlockedBy != "" || v.Why(&it) != "forbidden" {
		t.Errorf("blocked by %q: %q", it.BlockedBy, v.Why(&it))
	}
}

type forbiddenError struct{}

func (forbiddenError) Error() string { return "forbidden" }

func TestLaterVerbsKnowMore(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	resume, ready := uitest.ResumeID("t1"), uitest.ReadyID("t1")
	s.Start(resume).See(resume, waiters.Observation{State: waiters.Suspended})
	if got := Of(s.State()).Tiers[0].Members[0].Seen.State; got != waiters.Suspended {
		t.Errorf("seen %s", got)
	}
	s.Succeed(resume).Start(ready)
	if got := Of(s.State()).Tiers[0].Members[0].Seen.State; got != waiters.Suspended {
		t.Errorf("before the ready step has seen anything: %s", got)
	}
	s.See(ready, uitest.Progressing("working"))
	if got := Of(s.State()).Tiers[0].Members[0].Seen.State; got != waiters.Progressing {
		t.Errorf("afterwards: %s", got)
	}
}

func TestWritesAreSummedOverVerbs(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	s.Resume(uitest.ResumeID("t1")).Start(uitest.ReadyID("t1")).Nudge(uitest.ReadyID("t1"), "due").Nudge(uitest.ReadyID("t1"), "due again")
	if it := Of(s.State()).Tiers[0].Members[0]; !it.Resumed || it.Nudges != 2 {
		t.Errorf("resumed %v, %d nudges", it.Resumed, it.Nudges)
	}
}

func TestSourcesAreNoMembers(t *testing.T) {
	p := uitest.Chain(1)
	repo := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}
	p.Steps = append(p.Steps, tiers.Step{ID: "resume:repo", Verb: tiers.Resume, Object: repo, Tier: "t1"})
	v := Of(uitest.NewScript("r").Plan(p).State())
	if len(v.Tiers[0].Members) != 1 || len(v.Others) != 1 || v.Others[0].Name != "GitRepository flux-system" {
		t.Errorf("members %v, others %v", v.Tiers[0].Members, v.Others)
	}
}

func TestElapsedAndTook(t *testing.T) {
	at := uitest.Start()
	for _, c := range []struct {
		item          Item
		elapsed, took time.Duration
	}{
		{Item{}, 0, 0},
		{Item{Started: at}, time.Minute, 0},
		{Item{Started: at, Finished: at.Add(2 * time.Second)}, 2 * time.Second, 2 * time.Second},
		{Item{Finished: at.Add(2 * time.Second)}, 0, 0}, // skipped: it never began
		{Item{Started: at.Add(time.Hour)}, 0, 0},        // a clock that went back
	} {
		if e, k := c.item.Elapsed(at.Add(time.Minute)), c.item.Took(); e != c.elapsed || k != c.took {
			t.Errorf("%+v: elapsed %s, took %s", c.item, e, k)
		}
	}
}

// What holds of every run.
func TestEveryRandomRun(t *testing.T) {
	for seed := range uint64(200) {
		s := uitest.Random(seed)
		v := Of(s.State())
		troubles := map[string]bool{}
		for _, tr := range v.Troubles() {
			troubles[tr.Item.Name] = true
			if tr.Item.Status != Failed || tr.Item.BlockedBy != "" {
				t.Errorf("seed %d: %s is reported as a cause: %s, blocked by %q", seed, tr.Item.Name, tr.Item.Status, tr.Item.BlockedBy)
			}
		}
		for it := range v.Items {
			checkItem(t, seed, v, it, troubles)
		}
		for i := range v.Tiers {
			if tier := &v.Tiers[i]; tier.Ready > tier.Total || tier.Status == Ready && tier.Ready != tier.Total {
				t.Errorf("seed %d: tier %s is %s at %d/%d", seed, tier.Name, tier.Status, tier.Ready, tier.Total)
			}
		}
	}
}

func checkItem(t *testing.T, seed uint64, v *View, it *Item, troubles map[string]bool) {
	t.Helper()
	if it.Status == Running || it.Status == Pending {
		t.Errorf("seed %d: %s is %s after the run", seed, it.Name, it.Status)
	}
	if it.Status == Failed && it.BlockedBy == "" && !troubles[it.Name] {
		t.Errorf("seed %d: the failure of %s is not reported", seed, it.Name)
	}
	if root, ok := v.BlockedBy(it); ok && root == it.key {
		t.Errorf("seed %d: %s is blocked by itself", seed, it.Name)
	}
	if why := v.Why(it); it.Status == Skipped && why == "" || why != Line(why) {
		t.Errorf("seed %d: %s is %s: %q", seed, it.Name, it.Status, why)
	}
}
