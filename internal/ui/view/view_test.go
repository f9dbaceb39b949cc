package view

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// dump is a View as text: a line a tier and a line an item.
func dump(v *View) string {
	var b strings.Builder
	for _, t := range v.Tiers {
		fmt.Fprintf(&b, "%s %s %d/%d\n", t.Name, t.Status, t.Ready, t.Total)
	}
	for it := range v.Items {
		fmt.Fprintf(&b, "  %s %s", it.Name, it.Status)
		if it.BlockedBy != "" {
			fmt.Fprintf(&b, " <- %s", it.BlockedBy)
		}
		if why := v.Why(it); why != "" {
			fmt.Fprintf(&b, ": %s", why)
		}
		b.WriteString("\n")
	}
	for _, t := range v.Troubles() {
		fmt.Fprintf(&b, "trouble %s, behind it", t.Item.Name)
		for _, it := range t.Behind {
			fmt.Fprintf(&b, " %s", it.Name)
		}
		b.WriteString("\n")
	}
	for _, l := range v.Left {
		fmt.Fprintf(&b, "left %s, behind it %v\n", v.Name(l.Object), v.Names(v.BehindLeft(l)))
	}
	return b.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPartial(t *testing.T) {
	same(t, dump(Of(uitest.Partial().State())), `
base Ready 1/1
apps Failed 1/3
gpu Suspended 0/0
edge Failed 0/2
  base Ready
  apps Ready
  media/plex Failed: out of time: Deployment longhorn-ui 0 of 1 available
  games Failed: out of time
  gpu Suspended: spec.suspend is declared in git
  edge Failed: ${DOMAIN}: variable not set (strict mode): "DOMAIN"
  edge-dns Skipped <- gpu: behind gpu
trouble edge, behind it
trouble media/plex, behind it
trouble games, behind it
left gpu, behind it [edge-dns]
`)
}

func TestUnderWay(t *testing.T) {
	v := Of(uitest.UnderWay().State())
	if got := v.ReadyTiers(); got != 2 {
		t.Errorf("%d tiers are ready", got)
	}
	if got := v.TierWhy(&v.Tiers[2]); got != "Deployment longhorn-ui 0 of 1 available" {
		t.Errorf("platform: %q", got)
	}
	if got := v.TierWhy(&v.Tiers[5]); got != "waiting for platform-config-cdi" {
		t.Errorf("oauth2-proxy: %q", got)
	}
	if v.Done || !v.Planned {
		t.Errorf("done %v, planned %v", v.Done, v.Planned)
	}
}

// A failure that only points at another object is a consequence: the report
// must name its cause, not it.
func TestAConsequenceIsNotACause(t *testing.T) {
	p := uitest.NewPlan("lab")
	p.Tier("all", "db", "api", "web")
	depends := func(i int, on string) {
		p.Steps[i].DependsOn = append(p.Steps[i].DependsOn, uitest.ReadyID(on))
	}
	depends(3, "db")  // api
	depends(5, "api") // web
	late := errors.New("out of time")
	blocked := func(on string) waiters.Observation {
		return waiters.Observation{
			State: waiters.Blocked, Reason: "DependencyNotReady", Message: "dependency 'flux-system/" + on + "' is not ready",
			Cause: waiters.Cause{Kind: waiters.DependencyNotReady, Class: waiters.Passing, Subject: "Kustomization flux-system/" + on},
		}
	}
	s := uitest.NewScript("r").Plan(&p.Plan)
	for _, m := range []string{"db", "api", "web"} {
		s.Resume(uitest.ResumeID(m)).Start(uitest.ReadyID(m))
	}
	s.See(uitest.ReadyID("db"), uitest.Unhealthy()).See(uitest.ReadyID("api"), blocked("db")).See(uitest.ReadyID("web"), blocked("api"))
	for _, m := range []string{"web", "api", "db"} {
		s.Fail(uitest.ReadyID(m), late)
	}
	same(t, dump(Of(s.Finish(late).State())), `
all Failed 0/3
  db Failed: out of time: Deployment longhorn-ui 0 of 1 available
  api Failed <- db: out of time: Kustomization flux-system/db: dependency 'flux-system/db' is not ready
  web Failed <- db: out of time: Kustomization flux-system/api: dependency 'flux-system/api' is not ready
trouble db, behind it api web
`)
}

// When nothing else failed, what is blocked is all there is to report.
func TestABlockedFailureWithoutACauseIsReported(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	id := uitest.ReadyID("t1")
	s.Start(id).See(id, waiters.Observation{State: waiters.Blocked, Message: "dependency is not ready"}).Fail(id, nil)
	if got := Of(s.State()).Troubles(); len(got) != 1 || got[0].Item.Name != "t1" {
		t.Errorf("got %v", got)
	}
}

func TestARepeatedStepSpeaksForItsItem(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(2))
	s.Resume(uitest.ResumeID("t1")).Ready("t1", time.Second)
	again := tiers.StepID(string(uitest.ReadyID("t1")) + "#2")
	s.Emit(event.PlanExtended{Cause: "it is Stale", Steps: []tiers.Step{{
		ID: again, Verb: tiers.Ready, Object: tiers.KustomizationRef("flux-system", "t1"), Tier: "t1",
	}}})
	if v := Of(s.State()); v.Tiers[0].Status != Running || !v.Tiers[0].Finished.IsZero() {
		t.Errorf("t1 is %s", v.Tiers[0].Status)
	}
	s.Start(again).See(again, uitest.ReadyAt(uitest.New)).Succeed(again)
	v := Of(s.State())
	if it, _ := v.Item(again); it.Status != Ready || it.Seen.Revision != uitest.New {
		t.Errorf("t1 is %s at %s", it.Status, it.Seen.Revision)
	}
	if first, _ := v.Item(uitest.ReadyID("t1")); first.Name != "t1" {
		t.Error("the first step has lost its item")
	}
}

func TestMembersWithoutSteps(t *testing.T) {
	ref := func(n string) tiers.Ref { return tiers.KustomizationRef("flux-system", n) }
	p := &tiers.Plan{
		Tiers: []tiers.PlanTier{{Name: "t", Members: []tiers.Ref{ref("left"), ref("behind"), ref("unknown")}}},
		Left:  []tiers.Left{{Object: ref("left"), Why: "declared in git", Behind: []tiers.Ref{ref("behind")}}},
	}
	same(t, dump(Of(uitest.NewScript("r").Plan(p).State())), `
t Skipped 0/2
  left Suspended: declared in git
  behind Skipped <- left: behind left
  unknown Pending
left left, behind it [behind]
`)
}

func TestAWaitingParentIsRunningUntilItIsReady(t *testing.T) {
	ref := tiers.KustomizationRef("flux-system", "flux-system")
	p := &tiers.Plan{Tiers: []tiers.PlanTier{{Name: "root", Members: []tiers.Ref{ref}}}, Steps: []tiers.Step{
		{ID: "applied:x", Verb: tiers.Applied, Object: ref, Tier: "root"},
		{ID: "ready:x", Verb: tiers.Ready, Object: ref, Tier: "root", DependsOn: []tiers.StepID{"applied:x"}},
	}}
	s := uitest.NewScript("r").Plan(p).Start("applied:x").Succeed("applied:x")
	if got := Of(s.State()).Tiers[0].Status; got != Running {
		t.Errorf("after applied: %s", got)
	}
	if got := Of(s.Start("ready:x").Succeed("ready:x").State()).Tiers[0].Status; got != Ready {
		t.Errorf("after ready: %s", got)
	}
}

func TestWarningsComeOnce(t *testing.T) {
	v := Of(uitest.Partial().State())
	if len(v.Warnings) != 1 {
		t.Errorf("%d warnings: the plan's is repeated by its event", len(v.Warnings))
	}
}

func TestPointersInACircleEnd(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(2))
	s.Skip(string(uitest.ReadyID("t2")), uitest.ReadyID("t1"), uitest.ResumeID("t1"))
	s.Skip(string(uitest.ReadyID("t1")), uitest.ReadyID("t2"), uitest.ResumeID("t2"))
	if got := Of(s.State()).Troubles(); len(got) != 0 { // that it returns is the test
		t.Errorf("got %v", got)
	}
}

func TestNoPlan(t *testing.T) {
	s := uitest.NewScript("r").Emit(event.PreflightChecked{Name: "api", Err: errors.New("refused")}).Finish(errors.New("refused"))
	v := Of(s.State())
	if v.Planned || !v.Done || len(v.Tiers) != 0 || len(v.Troubles()) != 0 {
		t.Errorf("%+v", v)
	}
}

func TestOfChangesNothing(t *testing.T) {
	for _, s := range []*uitest.Script{uitest.Success(), uitest.Wedged(), uitest.Partial()} {
		st := s.State()
		before := fmt.Sprintf("%+v", *st)
		first := dump(Of(st))
		if again := dump(Of(st)); again != first {
			t.Error("two looks at one state differ")
		}
		if after := fmt.Sprintf("%+v", *st); after != before {
			t.Error("looking changed the state")
		}
	}
}

func TestStatusNames(t *testing.T) {
	seen := map[string]bool{}
	for st := Pending; st <= Suspended; st++ {
		if seen[st.String()] || st.String() == "Unknown" {
			t.Errorf("status %d has no name of its own", st)
		}
		seen[st.String()] = true
	}
	if Status(99).String() != "Unknown" {
		t.Error("an unknown status has a name")
	}
}

// A repetition replaces a step, and not what the step has written.
func TestWritesOfReplacedStepsCount(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(1))
	id := uitest.ReadyID("t1")
	s.Resume(uitest.ResumeID("t1")).Start(id).Nudge(id, "due").Succeed(id)
	again := tiers.StepID(string(id) + "#2")
	s.Emit(event.PlanExtended{Steps: []tiers.Step{{ID: again, Verb: tiers.Ready, Object: tiers.KustomizationRef("flux-system", "t1"), Tier: "t1"}}})
	s.Start(again).Nudge(again, "due")
	if it := Of(s.State()).Tiers[0].Members[0]; it.Nudges != 2 || !it.Resumed {
		t.Errorf("%d nudges, resumed %v", it.Nudges, it.Resumed)
	}
}
