package uitest

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// FoldedIn is the probe of the homelab's plan.
const FoldedIn = tiers.StepID("probe:platform-config-cdi/storage-profile-folded-in")

// ResumeID is the step that lifts a Kustomization's suspend.
func ResumeID(name string) tiers.StepID { return stepID(tiers.Resume, name) }

// ReadyID is the step that drives a Kustomization to Ready.
func ReadyID(name string) tiers.StepID { return stepID(tiers.Ready, name) }

func stepID(verb tiers.Verb, name string) tiers.StepID {
	return tiers.StepID(string(verb) + ":" + kustomization(name).String())
}

func kustomization(name string) tiers.Ref {
	for i := range name {
		if name[i] == '/' {
			return tiers.KustomizationRef(name[:i], name[i+1:])
		}
	}
	return tiers.KustomizationRef("flux-system", name)
}

// HomelabTiers are the tiers of mission.md, in the order of their barriers.
func HomelabTiers() []string {
	return []string{
		"flux-system", "cilium", "platform", "platform-config", "platform-config-cdi",
		"oauth2-proxy", "headlamp", "velero", "crafty", "apps", "apps-vms",
	}
}

// Homelab is a plan for the cluster of mission.md: all suspended, a probe, an
// optional tier of three.
func Homelab() *tiers.Plan {
	p := NewPlan("prod")
	for _, name := range HomelabTiers() {
		switch name {
		case "apps":
			p.Tier(name, "apps", "media/plex", "games")
		default:
			p.Tier(name, name)
		}
		if name == "platform-config-cdi" {
			p.Probe(FoldedIn, "storage-profile-folded-in")
		}
	}
	return &p.Plan
}

// Planner builds plans for tests.
type Planner struct {
	tiers.Plan
	barrier []tiers.StepID
}

// NewPlan begins a plan.
func NewPlan(cluster string) *Planner { return &Planner{Plan: tiers.Plan{Cluster: cluster}} }

// Tier adds a tier: each member is resumed and driven to Ready after the tier
// in front. A tier named apps is optional.
func (p *Planner) Tier(name string, members ...string) {
	t := tiers.PlanTier{Name: name, Listed: true, Parallel: 4, Optional: name == "apps"}
	before := p.barrier
	p.barrier = nil
	for _, m := range members {
		ref := kustomization(m)
		t.Members = append(t.Members, ref)
		p.Steps = append(p.Steps, tiers.Step{
			ID: ResumeID(m), Verb: tiers.Resume, Object: ref, Tier: name, After: before,
			Cause: "it is suspended on the cluster", Optional: t.Optional,
		}, tiers.Step{
			ID: ReadyID(m), Verb: tiers.Ready, Object: ref, Tier: name,
			DependsOn: []tiers.StepID{ResumeID(m)}, After: before,
			Cause: "tier " + name + " lists it", Timeout: 10 * time.Minute, Optional: t.Optional,
		})
		p.barrier = append(p.barrier, ReadyID(m))
	}
	p.Tiers = append(p.Tiers, t)
}

// Probe adds a probe to the last tier.
func (p *Planner) Probe(id tiers.StepID, name string) {
	t := p.Tiers[len(p.Tiers)-1]
	p.Steps = append(p.Steps, tiers.Step{
		ID: id, Verb: tiers.Probe, Tier: t.Name, Probe: name, DependsOn: slices.Clone(p.barrier),
		Cause: "tier " + t.Name + " has this probe", Timeout: 2 * time.Minute,
	})
	p.barrier = append(p.barrier, id)
}

// Chain is a plan of n tiers of one Kustomization.
func Chain(n int) *tiers.Plan {
	p := NewPlan("lab")
	for i := range n {
		name := "t" + strconv.Itoa(i+1)
		p.Tier(name, name)
	}
	return &p.Plan
}

// Wide is a plan of n tiers of m Kustomizations.
func Wide(n, m int) *tiers.Plan {
	p := NewPlan("lab")
	for i := range n {
		var members []string
		for j := range m {
			members = append(members, "k"+strconv.Itoa(i+1)+"-"+strconv.Itoa(j+1))
		}
		p.Tier("tier"+strconv.Itoa(i+1), members...)
	}
	return &p.Plan
}

// Success is the homelab from cold to converged.
func Success() *Script {
	s := NewScript("r7f3").Plan(Homelab())
	s.Emit(event.PreflightChecked{Name: "api", Detail: "v1.36.3 answers"})
	for _, tier := range HomelabTiers() {
		for _, m := range members(tier) {
			s.Resume(ResumeID(m)).Ready(m, 1500*time.Millisecond)
		}
		switch tier {
		case "platform":
			s.Emit(event.Warned{Object: kustomization("platform"), Message: "interval is 1h and retryInterval is not set"})
		case "platform-config-cdi":
			s.Start(FoldedIn).See(FoldedIn, Progressing("status.claimPropertySets is empty")).
				After(3*time.Second).See(FoldedIn, waiters.Observation{State: waiters.Ready}).Succeed(FoldedIn)
		case "velero":
			s.Nudge(ReadyID("crafty"), "all that it depends on is Ready")
		}
	}
	return s.Finish(nil)
}

func members(tier string) []string {
	if tier == "apps" {
		return []string{"apps", "media/plex", "games"}
	}
	return []string{tier}
}

// UnderWay is the homelab in the middle of its way: two tiers are done, the
// third waits for a Deployment.
func UnderWay() *Script {
	s := NewScript("r7f3").Plan(Homelab())
	for _, m := range []string{"flux-system", "cilium"} {
		s.Resume(ResumeID(m)).Ready(m, 2*time.Second)
	}
	s.Emit(event.SourceMoved{Source: tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}, From: Old, To: New})
	id := ReadyID("platform")
	return s.Resume(ResumeID("platform")).Start(id).See(id, Progressing("Detecting drift")).
		After(20*time.Second).See(id, Unhealthy()).After(110 * time.Second)
}

// Wedged is the incident of mission.md: platform-config lacks a kind and all
// behind it is skipped.
func Wedged() *Script {
	s := NewScript("r7f3").Plan(Homelab())
	for _, m := range []string{"flux-system", "cilium", "platform"} {
		s.Resume(ResumeID(m)).Ready(m, 2*time.Second)
	}
	id := ReadyID("platform-config")
	s.Resume(ResumeID("platform-config")).Start(id).See(id, Progressing("")).
		After(800*time.Millisecond).See(id, NoKind()).
		Nudge(id, "the kind may be served by now").After(12 * time.Second)
	s.Fail(id, nil)
	behind := false
	for _, tier := range HomelabTiers() {
		for _, m := range members(tier) {
			if behind {
				s.Skip(string(id), ResumeID(m), ReadyID(m))
			}
		}
		if tier == "platform-config-cdi" {
			s.Skip(string(id), FoldedIn)
		}
		behind = behind || tier == "platform-config"
	}
	return s.Finish(&StepError{ID: id})
}

// Interrupted is the homelab stopped by Ctrl-C while platform was in flight.
func Interrupted() *Script {
	s := UnderWay()
	err := errors.New("interrupted")
	open := false
	for _, st := range Homelab().Steps {
		open = open || st.ID == ReadyID("platform")
		if open {
			s.Cancel(err, st.ID)
		}
	}
	return s.Finish(err)
}

// Partial is a run that keeps going: an optional tier fails, a tier waits for
// an object that is left suspended, and two Kustomizations run into their time.
func Partial() *Script {
	p := NewPlan("dev")
	p.Tier("base", "base")
	p.Tier("apps", "apps", "media/plex", "games")
	p.Tier("gpu", "gpu")
	p.Tier("edge", "edge", "edge-dns")
	gpu := tiers.KustomizationRef("flux-system", "gpu")
	p.Left = []tiers.Left{{Object: gpu, Why: "spec.suspend is declared in git", Behind: []tiers.Ref{tiers.KustomizationRef("flux-system", "edge-dns")}}}
	p.Warnings = []string{"no tier lists Kustomization flux-system/edge-dns"}
	s := NewScript("p4rt").Plan(&p.Plan)
	s.Emit(event.Warned{Message: "no tier lists Kustomization flux-system/edge-dns"})
	s.Resume(ResumeID("base")).Ready("base", 4*time.Second)
	for _, m := range []string{"apps", "media/plex", "games"} {
		s.Resume(ResumeID(m)).Start(ReadyID(m)).See(ReadyID(m), Progressing(""))
	}
	s.After(3*time.Second).See(ReadyID("apps"), ReadyAt(Old)).Succeed(ReadyID("apps"))
	s.See(ReadyID("media/plex"), Unhealthy()).After(10 * time.Minute)
	s.Fail(ReadyID("media/plex"), errors.New("out of time"))
	s.Fail(ReadyID("games"), errors.New("out of time"))
	s.Skip(gpu.String(), ResumeID("gpu"), ReadyID("gpu"))
	s.Resume(ResumeID("edge")).Start(ReadyID("edge")).See(ReadyID("edge"), waiters.Observation{
		State: waiters.Stalled, Reason: "BuildFailed", Message: "variable not set (strict mode): \"DOMAIN\"",
		Cause: waiters.Cause{
			Kind: waiters.UndefinedVariable, Class: waiters.Terminal, Subject: "${DOMAIN}",
			Remedy: "Define DOMAIN in ConfigMap flux-system/cluster-vars.",
		},
	}).After(time.Second)
	s.Fail(ReadyID("edge"), nil)
	s.Skip(gpu.String(), ResumeID("edge-dns"), ReadyID("edge-dns"))
	return s.Finish(&StepError{ID: ReadyID("edge")})
}
