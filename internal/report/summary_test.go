package report

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
)

func runs() map[string]*uitest.Script {
	return map[string]*uitest.Script{
		"success": uitest.Success(), "wedged": uitest.Wedged(), "interrupted": uitest.Interrupted(),
		"partial": uitest.Partial(), "underway": uitest.UnderWay(),
		"healthy": healthy(), "optional": optional(), "refused": refused(),
	}
}

// healthy is a run on a cluster that is Ready already.
func healthy() *uitest.Script {
	s := uitest.NewScript("h3al").Plan(uitest.Chain(3))
	for _, name := range []string{"t1", "t2", "t3"} {
		s.Start(uitest.ResumeID(name)).Succeed(uitest.ResumeID(name))
		s.Start(uitest.ReadyID(name)).See(uitest.ReadyID(name), uitest.ReadyAt(uitest.Old)).Succeed(uitest.ReadyID(name))
	}
	return s.After(120 * time.Millisecond).Finish(nil)
}

// optional is a run that succeeds although an optional tier does not.
func optional() *uitest.Script {
	p := uitest.NewPlan("dev")
	p.Tier("base", "base")
	p.Tier("apps", "apps")
	s := uitest.NewScript("0pt1").Plan(&p.Plan)
	s.Resume(uitest.ResumeID("base")).Ready("base", time.Second)
	id := uitest.ReadyID("apps")
	s.Resume(uitest.ResumeID("apps")).Start(id).See(id, uitest.Unhealthy()).After(10 * time.Minute)
	return s.Fail(id, errors.New("out of time")).Finish(nil)
}

// refused is a run that preflight stopped.
func refused() *uitest.Script {
	return uitest.NewScript("n0pe").
		Emit(event.PreflightChecked{Name: "api", Detail: "v1.36.3 answers"}).
		Emit(event.PreflightChecked{Name: "controllers", Err: errors.New("kustomize-controller is not running")}).
		Finish(errors.New("preflight: 1 check failed"))
}

func TestSummaryWhole(t *testing.T) {
	for name, s := range runs() {
		uitest.Golden(t, "summary-"+name+".txt", Summary(s.State(), SummaryOptions{}))
	}
	uitest.Golden(t, "summary-verbose.txt", Summary(uitest.Partial().State(), SummaryOptions{
		Verbose: true, Again: "standup resume --keep-going", Record: "/home/op/.local/state/standup/runs/x.jsonl",
	}))
}

// The operator at 3 a.m. reads one cause, not eleven consequences.
func TestSummaryNamesTheCauseOnce(t *testing.T) {
	got := Summary(uitest.Wedged().State(), SummaryOptions{})
	if n := strings.Count(got, "Cause:"); n != 1 {
		t.Errorf("%d causes in\n%s", n, got)
	}
	for _, want := range []string{
		"Kustomization flux-system/platform-config", "MissingKind (terminal)", "StorageProfile",
		"behind: 9 Kustomizations: ", "remedy: standup crds", "again: it carries on where it stopped",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestSummaryCountsWhatIsTooManyToName(t *testing.T) {
	p := uitest.NewPlan("lab")
	p.Tier("first", "first")
	s := uitest.NewScript("r")
	for _, name := range []string{"a", "b", "c", "d"} {
		p.Tier("tier-"+name, name+"1", name+"2", name+"3", name+"4")
	}
	s.Plan(&p.Plan).Start(uitest.ReadyID("first")).See(uitest.ReadyID("first"), uitest.NoKind()).Fail(uitest.ReadyID("first"), nil)
	for _, st := range p.Steps[2:] {
		s.Skip(string(uitest.ReadyID("first")), st.ID)
	}
	got := Summary(s.Finish(errors.New("failed")).State(), SummaryOptions{})
	if want := "behind: 16 Kustomizations: a1, a2, a3, a4, b1, b2, b3, b4, c1, c2, c3, c4 and 4 more"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

func TestSummaryOfTwoRevisions(t *testing.T) {
	s := uitest.NewScript("r").Plan(uitest.Chain(2))
	s.Resume(uitest.ResumeID("t1")).Ready("t1", time.Second).Resume(uitest.ResumeID("t2"))
	id := uitest.ReadyID("t2")
	s.Start(id).See(id, uitest.ReadyAt(uitest.New)).Succeed(id).Finish(nil)
	if got := Summary(s.State(), SummaryOptions{}); !strings.Contains(got, "Ready at their sources' revisions in") {
		t.Errorf("got\n%s", got)
	}
}

func TestSummaryOfAFailedSource(t *testing.T) {
	repo := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}
	id := tiers.StepID("resume:" + repo.String())
	p := uitest.Chain(1)
	p.Steps = append([]tiers.Step{{ID: id, Verb: tiers.Resume, Object: repo, Cause: "it is suspended"}}, p.Steps...)
	s := uitest.NewScript("r").Plan(p).Start(id).Fail(id, errors.New("forbidden"))
	s.Skip(string(id), uitest.ResumeID("t1"), uitest.ReadyID("t1"))
	got := Summary(s.Finish(errors.New("forbidden")).State(), SummaryOptions{})
	for _, want := range []string{"Cause: GitRepository flux-system/flux-system", "why:    forbidden", "behind: 1 Kustomization: t1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "-", 5 * time.Second: "5s", 119 * time.Second: "119s", 2 * time.Minute: "2m",
		179 * time.Minute: "179m", 3 * time.Hour: "3h", 47 * time.Hour: "47h", 48 * time.Hour: "2d",
	} {
		if got := age(d); got != want {
			t.Errorf("age(%s) = %q, want %q", d, got, want)
		}
	}
}
