package cli

import (
	"encoding/json"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
)

func TestPlan(t *testing.T) {
	half := chain(suspended)
	half[0] = kustomization("cilium") // a run that was killed behind the first tier
	wanted := chain(suspended)
	inGit(wanted[1])
	for name, cluster := range map[string][]*kustomizev1.Kustomization{
		"healthy":   chain(),
		"suspended": chain(suspended),
		"half-way":  half,
		"in-git":    wanted,
		"failing":   broken(),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, cluster...)
			order := f.order(t, threeTiers)
			f.golden(t, "plan-"+name, ExitOK, "plan", "-f", order)
			f.golden(t, "plan-"+name+".json", ExitOK, "plan", "-f", order, "-o", "json")
			f.unchanged(t)
		})
	}
}

func TestPlanShowsProbesAndOptionalTiers(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.golden(t, "plan-rich", ExitOK, "plan", "-f", f.order(t, `cluster: home
source: {kind: GitRepository, name: flux-system}
tiers:
  - name: network
    kustomizations: [cilium]
    timeout: 5m
    probes:
      - name: agents
        workload: {kind: DaemonSet, namespace: kube-system, name: cilium}
  - name: platform
  - name: apps
    optional: true
`))
}

// Without a TIER_ORDER file the graph's levels are the tiers, and what goes
// round has no plan.
func TestPlanFromTheGraph(t *testing.T) {
	newFleet(t, chain(suspended)...).golden(t, "plan-levels", ExitOK, "plan")
	newFleet(t, goingRound()...).golden(t, "plan-cycle", ExitVerdict, "plan")
}

// goingRound is two Kustomizations that wait for each other.
func goingRound() []*kustomizev1.Kustomization {
	return []*kustomizev1.Kustomization{
		kustomization("cilium", behind("apps"), waiting("apps")),
		kustomization("apps", behind("cilium"), waiting("cilium")),
	}
}

// An order that contradicts dependsOn would wait for ever.
func TestPlanRefusesAnOrderThatCannotBe(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	order := f.order(t, "tiers:\n  - name: apps\n  - name: platform\n  - name: cilium\n")
	f.golden(t, "plan-contradiction", ExitVerdict, "plan", "-f", order)
}

// Same input, same bytes: a plan can be kept and compared.
func TestPlanIsTheSameTwice(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	first, _ := f.run(t, "plan", "-o", "json")
	second, _ := f.run(t, "plan", "-o", "json")
	if first != second {
		t.Errorf("first\n%s\nthen\n%s", first, second)
	}
}

func TestJSONIsAllThatIsOnStdout(t *testing.T) {
	f := newFleet(t, chain()...)
	order := f.order(t, threeTiers)
	for schema, args := range map[string][]string{
		"standup.plan/v1":   {"plan"},
		"standup.status/v1": {"status"},
		"standup.check/v1":  {"check"},
		"standup.drift/v1":  {"tiers", "check"},
		"standup.result/v1": {"resume"},
	} {
		r := f.start(t, append(args, "-f", order, "-o", "json")...)
		code := r.end(t)
		var doc struct{ Schema string }
		if err := json.Unmarshal([]byte(r.out.String()), &doc); err != nil || doc.Schema != schema || code != ExitOK {
			t.Errorf("standup %v: schema %q, exit code %d, %v\n%s", args, doc.Schema, code, err, r.out)
		}
	}
}
