package tiers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBuild compares whole plans; the cases are in testdata/plan.
func TestBuild(t *testing.T) {
	goldens(t, "plan", func(t *testing.T, g golden) string {
		t.Helper()
		in := Input{Order: g.order(t), Snapshot: snapshot(t, g.sections["snapshot"])}
		plan, err := Build(in)
		if err == nil {
			holdsTheLaws(t, in, plan)
		}
		return render(plan, err)
	})
}

// TestStepSettings: what Plan.String does not print.
func TestStepSettings(t *testing.T) {
	order := mustParse(t, `
defaults: {timeout: 3m, parallel: 7}
tiers:
  - {name: root}
  - name: apps
    timeout: 20m
    optional: true
    probes:
      - {name: quick, tcp: "h:1", timeout: 5s}
      - {name: slow, tcp: "h:1"}
`)
	plan, err := Build(Input{Order: order, Snapshot: snapshot(t, `
root live from:shared
apps live waits from:shared
child by:apps from:own
source shared live
source own
`)})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		step     string
		timeout  time.Duration
		optional bool
		verb     Verb
		probe    string
	}{
		{"resume:GitRepository/flux-system/shared", 3 * time.Minute, false, Resume, ""},
		{"ready:GitRepository/flux-system/shared", 3 * time.Minute, false, Ready, ""},
		{"ready:GitRepository/flux-system/own", 3 * time.Minute, true, Ready, ""}, // an optional tier alone uses it
		{"resume:Kustomization/flux-system/root", 3 * time.Minute, false, Resume, ""},
		{"ready:Kustomization/flux-system/root", 3 * time.Minute, false, Ready, ""},
		{"resume:Kustomization/flux-system/apps", 20 * time.Minute, true, Resume, ""},
		{"applied:Kustomization/flux-system/apps", 20 * time.Minute, true, Applied, ""},
		{"ready:Kustomization/flux-system/child", 20 * time.Minute, true, Ready, ""}, // it joined the tier
		{"ready:Kustomization/flux-system/apps", 20 * time.Minute, true, Ready, ""},
		{"probe:apps/quick", 5 * time.Second, true, Probe, "quick"},
		{"probe:apps/slow", 20 * time.Minute, true, Probe, "slow"},
	}
	if len(plan.Steps) != len(tests) {
		t.Errorf("%d steps, want %d:\n%s", len(plan.Steps), len(tests), plan)
	}
	for _, tt := range tests {
		i := slices.IndexFunc(plan.Steps, func(s Step) bool { return s.ID == StepID(tt.step) })
		if i < 0 {
			t.Errorf("there is no step %s", tt.step)
			continue
		}
		s := plan.Steps[i]
		if s.Timeout != tt.timeout || s.Optional != tt.optional || s.Verb != tt.verb || s.Probe != tt.probe || s.Object.IsZero() != (tt.verb == Probe) {
			t.Errorf("step %s is %+v", tt.step, s)
		}
	}
	for _, row := range plan.Tiers {
		if row.Parallel != 7 {
			t.Errorf("tier %s: parallel is %d", row.Name, row.Parallel)
		}
	}
}

// TestBuildErrors: each error is found by its type, with its findings.
func TestBuildErrors(t *testing.T) {
	build := func(order, cluster string) error {
		_, err := Build(Input{Order: mustParse(t, order), Snapshot: snapshot(t, cluster)})
		return fmt.Errorf("wrapped: %w", err)
	}
	var drift *DriftError
	if err := build("unlisted: fail\ntiers: [{name: a}]\n", "a\nx\ny\n"); !errors.As(err, &drift) || len(drift.Findings) != 2 || drift.Findings[0].Kind != DriftUnlisted {
		t.Errorf("unlisted: %v", err)
	}
	var invalid *InvalidOrderError
	if err := build("tiers: [{name: a}, {name: b}]\n", "a needs:b\nb\n"); !errors.As(err, &invalid) || len(invalid.Findings) != 1 ||
		invalid.Findings[0].Object != ref("a") || invalid.Findings[0].Other != ref("b") || invalid.Findings[0].Pos.Line != 3 {
		t.Errorf("order: %v", err)
	}
	var cycle *CycleError
	if err := build("tiers: [{name: a}, {name: b}]\n", "a needs:b\nb needs:a\n"); !errors.As(err, &cycle) || len(cycle.Cycles) != 1 {
		t.Errorf("a cycle is worse than a wrong order: %v", err)
	}
}

// TestBuildWithoutTiers: an order that lists nothing is no order.
func TestBuildWithoutTiers(t *testing.T) {
	s := snapshot(t, "a\nb needs:a\n")
	none, err := Build(Input{Snapshot: s})
	if err != nil {
		t.Fatal(err)
	}
	empty, err := Build(Input{Order: &TierOrder{Barriers: true}, Snapshot: s})
	if diff := cmp.Diff(render(none, nil), render(empty, err)); diff != "" {
		t.Errorf("(-none +empty):\n%s", diff)
	}
	if found := Check(&TierOrder{Barriers: true}, s); found != nil {
		t.Errorf("drift from nothing: %v", found)
	}
}

// TestInputIsUntouched: the caller's snapshot and order are read only, and what
// is done to one plan does not show in the next.
func TestInputIsUntouched(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := world(r, 1+r.IntN(12))
		in := Input{Order: randomOrder(r, s), Snapshot: s}
		before := fmt.Sprintf("%+v", in.Snapshot) + fmt.Sprintf("%+v", *in.Order)
		first, err := Build(in)
		if err != nil {
			continue
		}
		want := render(first, nil)
		for i := range first.Steps {
			for j := range first.Steps[i].After {
				first.Steps[i].After[j] = "overwritten"
			}
			first.Steps[i].DependsOn = append(first.Steps[i].DependsOn, "appended")
		}
		Check(in.Order, in.Snapshot)
		Generate(in.Snapshot, "x")
		second, err := Build(in)
		if got := render(second, err); got != want {
			t.Errorf("seed %d: the second plan is another one:\n%s", seed, cmp.Diff(want, got))
		}
		if after := fmt.Sprintf("%+v", in.Snapshot) + fmt.Sprintf("%+v", *in.Order); after != before {
			t.Errorf("seed %d: the input has changed", seed)
		}
	}
}
