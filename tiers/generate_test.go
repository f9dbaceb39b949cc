package tiers

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGenerate(t *testing.T) {
	got := Generate(snapshot(t, `
flux-system
cilium by:flux-system
platform by:flux-system needs:cilium
apps by:flux-system needs:platform
media/plex by:apps needs:platform
tier-4 by:flux-system needs:platform
last needs:media/plex
`), "home: prod")
	want := `# Written by standup from the dependency graph: each tier is one level of it.
# Timeouts and probes are yours to add.
apiVersion: standup/v1
kind: TierOrder
cluster: 'home: prod'
tiers:
  - name: flux-system
  - name: cilium
  - name: platform
  - name: tier-4-of-many
    kustomizations:
      - apps
      - tier-4
  - name: tier-5
    kustomizations:
      - media/plex
  - name: last
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGenerateOfNothing(t *testing.T) {
	if order := mustParse(t, string(Generate(Snapshot{}, ""))); len(order.Tiers) != 1 {
		t.Errorf("got %+v", order.Tiers)
	}
}

func TestGenerateQuotes(t *testing.T) {
	order := mustParse(t, string(Generate(snapshot(t, "1.0\nno needs:1.0\nnull needs:no\n"), "true\n- x")))
	if names(order.Tiers[0].Members(DefaultNamespace)) != "1.0" || order.Tiers[1].Name != "no" || order.Tiers[2].Name != "null" || order.Cluster != "true\n- x" {
		t.Errorf("got %+v", order)
	}
}

// TestGenerateAgrees: Check has nothing against a generated file.
func TestGenerateAgrees(t *testing.T) {
	checked := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := world(r, r.IntN(14))
		if len(relate(s, nil).cycles()) > 0 || len(s.Kustomizations) == 0 {
			continue
		}
		checked++
		order := mustParse(t, string(Generate(s, "prod")))
		if found := Check(order, s); len(found) > 0 {
			t.Errorf("seed %d: %s", seed, driftText(found))
		}
		if _, err := Build(Input{Order: order, Snapshot: s}); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if checked < 25 {
		t.Errorf("only %d of 100 random clusters were checked", checked)
	}
}

func TestDraft(t *testing.T) {
	got := string(Draft([]string{"flux-system", "media/plex", "apps"}, "prod"))
	want := `# Written by standup from a script: one tier a name.
# Timeouts and probes are yours to add.
apiVersion: standup/v1
kind: TierOrder
cluster: prod
tiers:
  - name: flux-system
  - name: plex
    kustomizations:
      - media/plex
  - name: apps
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	mustParse(t, got)
}
