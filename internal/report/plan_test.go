package report

import (
	"strings"
	"testing"
	"time"

	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func richPlan() *tiers.Plan {
	p := uitest.Homelab()
	repo := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}
	p.Steps = append([]tiers.Step{{ID: "resume:x", Verb: tiers.Resume, Object: repo, Cause: "it is suspended on the cluster"}}, p.Steps...)
	extra := tiers.KustomizationRef("flux-system", "extra")
	p.Tiers = append(p.Tiers, tiers.PlanTier{Name: "unlisted", Members: []tiers.Ref{extra}})
	p.Steps = append(p.Steps, tiers.Step{ID: "ready:extra", Verb: tiers.Ready, Object: extra, Tier: "unlisted", Cause: "no tier lists it, and\nunlisted is wait"})
	p.Left = []tiers.Left{
		{Object: tiers.KustomizationRef("flux-system", "gpu"), Why: "spec.suspend is declared in git", Behind: []tiers.Ref{tiers.KustomizationRef("media", "ai"), extra}},
		{Object: tiers.KustomizationRef("flux-system", "lab"), Why: "tier lab leaves it suspended"},
	}
	p.Warnings = []string{"no tier lists Kustomization flux-system/extra"}
	return p
}

func TestPlanTextWhole(t *testing.T) {
	uitest.Golden(t, "plan.txt", PlanText(richPlan()))
	uitest.Golden(t, "plan-empty.txt", PlanText(&tiers.Plan{}))
}

// A plan whose barriers are off mixes tiers: the numbers keep the order.
func TestPlanTextNumbersAreTheOrderOfSteps(t *testing.T) {
	p := uitest.Chain(2)
	p.Steps[1], p.Steps[2] = p.Steps[2], p.Steps[1]
	got := PlanText(p)
	if !strings.Contains(got, "   3  ready   t1") || !strings.Contains(got, "   2  resume  t2") {
		t.Errorf("got\n%s", got)
	}
}

func TestPlanJSONWhole(t *testing.T) {
	for name, p := range map[string]*tiers.Plan{"plan.json": richPlan(), "plan-empty.json": {}} {
		b, err := PlanJSON(p)
		if err != nil {
			t.Fatal(err)
		}
		uitest.Golden(t, name, string(b))
	}
}

func statusRows() []StatusRow {
	return []StatusRow{
		{Tier: "flux-system", Object: tiers.KustomizationRef("flux-system", "flux-system"), Seen: uitest.ReadyAt(uitest.Old), Age: 50 * time.Hour},
		{Tier: "platform", Object: tiers.KustomizationRef("flux-system", "platform"), Seen: uitest.Unhealthy(), Age: 130 * time.Second},
		{Tier: "platform-config", Object: tiers.KustomizationRef("flux-system", "platform-config"), Seen: uitest.NoKind(), Age: 3 * time.Minute},
		{Tier: "apps", Object: tiers.KustomizationRef("media", "plex"), Seen: waiters.Observation{State: waiters.Suspended, Revision: uitest.Old}},
		{Object: tiers.KustomizationRef("flux-system", "extra"), Seen: waiters.Observation{State: waiters.Missing}},
	}
}

func TestStatusWhole(t *testing.T) {
	uitest.Golden(t, "status.txt", StatusTable(statusRows()))
	b, err := StatusJSON(statusRows())
	if err != nil {
		t.Fatal(err)
	}
	uitest.Golden(t, "status.json", string(b))
	if got := StatusTable(nil); got != "No Kustomizations found.\n" {
		t.Errorf("got %q", got)
	}
}
