package tiers

import (
	"fmt"
	"os"
	"testing"
)

// homelab is the cluster of examples/homelab, wholly suspended.
const homelab = `
flux-system live from:flux-system
cilium live from:flux-system by:flux-system needs:flux-system waits
platform live from:flux-system by:flux-system needs:cilium waits
platform-config live from:flux-system by:flux-system needs:platform waits
platform-config-cdi live from:flux-system by:flux-system needs:platform-config waits
oauth2-proxy live from:flux-system by:flux-system needs:platform-config waits
headlamp live from:flux-system by:flux-system needs:platform-config waits
velero live from:flux-system by:flux-system needs:platform-config waits
crafty live from:flux-system by:flux-system needs:platform-config waits
apps live from:flux-system by:flux-system needs:platform-config waits
apps-vms live from:flux-system by:flux-system needs:platform-config-cdi waits
source flux-system live
`

// TestHomelab: the example's file agrees with the example's graph, and the
// storage profile is proved before apps-vms starts.
func TestHomelab(t *testing.T) {
	data, err := os.ReadFile("../examples/homelab/TIER_ORDER.yaml")
	if err != nil {
		t.Fatal(err)
	}
	order, err := Parse("TIER_ORDER.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	s := snapshot(t, homelab)
	if found := Check(order, s); len(found) > 0 {
		t.Errorf("drift:\n%s", driftText(found))
	}
	in := Input{Order: order, Snapshot: s}
	plan, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	holdsTheLaws(t, in, plan)
	if len(plan.Tiers) != 12 || len(plan.Steps) != 25 || len(plan.Warnings)+len(plan.Left) != 0 || plan.Cluster != "prod" {
		t.Errorf("%d tiers and %d steps:\n%s", len(plan.Tiers), len(plan.Steps), render(plan, nil))
	}
	at := map[StepID]int{}
	for i, step := range plan.Steps {
		at[step.ID] = i
	}
	if at["probe:platform-config-cdi/storage-profile-folded-in"] > at["resume:Kustomization/flux-system/apps-vms"] {
		t.Error("apps-vms starts before the storage profile is proved")
	}
}

// thousand has 1,000 Kustomizations under one root, in four tiers.
func thousand() Input {
	var s Snapshot
	order := &TierOrder{Barriers: true, Tiers: []Tier{{Name: "root"}}}
	s.Sources = []Source{{Ref: sourceRef("main"), Suspension: SuspendedLive}}
	s.Kustomizations = []Kustomization{{Ref: ref("root"), Source: sourceRef("main"), Suspension: SuspendedLive}}
	for tier := range 3 {
		t := Tier{Name: fmt.Sprintf("tier-%d", tier)}
		for i := range 333 {
			k := Kustomization{Ref: ref(fmt.Sprintf("k%d-%03d", tier, i)), Source: sourceRef("main"), Suspension: SuspendedLive, Parent: ref("root"), Waits: true}
			if tier > 0 {
				k.DependsOn = refs(fmt.Sprintf("k%d-%03d", tier-1, i), fmt.Sprintf("k%d-%03d", tier-1, (i*7)%333))
			}
			t.Kustomizations = append(t.Kustomizations, k.Ref.Name)
			s.Kustomizations = append(s.Kustomizations, k)
		}
		order.Tiers = append(order.Tiers, t)
	}
	return Input{Order: order, Snapshot: s}
}

func TestThousand(t *testing.T) {
	in := thousand()
	plan, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Steps) != 2*1001 || len(plan.Warnings) != 0 {
		t.Errorf("%d steps, warnings %v", len(plan.Steps), plan.Warnings)
	}
}

func BenchmarkBuildThousand(b *testing.B) {
	in := thousand()
	for b.Loop() {
		if _, err := Build(in); err != nil {
			b.Fatal(err)
		}
	}
}
