package tiers

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const coldOrder = `
tiers:
  - name: root
  - name: infra
  - name: apps
    leaveSuspended: [gpu]
`

// TestExtension follows a cold cluster: each time it has become more, only what
// is new is planned, and what was planned is not planned again.
func TestExtension(t *testing.T) {
	order := mustParse(t, coldOrder)
	plan, err := Build(Input{Order: order, Snapshot: snapshot(t, "root from:main\nsource main\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got := extend(t, &plan, order, "root from:main\nsource main\n"); got != "" {
		t.Errorf("nothing has changed, and this is new:\n%s", got)
	}
	// The root has applied its children: one is in no tier, one is suspended in git.
	const applied = `
root from:main
infra by:root from:main
apps by:root from:main needs:stray
stray by:root from:main
gpu by:root git
behind by:root needs:gpu
source main
`
	want := `root ready:Kustomization/flux-system/stray <- [ready:GitRepository/flux-system/main ready:Kustomization/flux-system/root] # no tier lists it
left Kustomization/flux-system/gpu: suspended in git, behind it [Kustomization/flux-system/behind]
` + "warning: Kustomization flux-system/stray is in no tier; it is taken into tier \"root\"; add `- name: stray` to tiers, after tier \"root\"\n" +
		"warning: Kustomization flux-system/behind is in no tier; it is taken into tier \"apps\"; add `- name: behind` to tiers, after tier \"apps\"\n"
	if diff := cmp.Diff(want, extend(t, &plan, order, applied)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := extend(t, &plan, order, applied); again != "" {
		t.Errorf("the second time, this is new:\n%s", again)
	}
}

// extend adds what is new to the plan and prints it.
func extend(t *testing.T, plan **Plan, order *TierOrder, cluster string) string {
	t.Helper()
	before := (*plan).String()
	old := *plan
	now, err := Build(Input{Order: order, Snapshot: snapshot(t, cluster)})
	if err != nil {
		t.Fatal(err)
	}
	rows, steps, left, warnings := Extension(old, now)
	for _, s := range steps {
		if old.Has(s.ID) {
			t.Errorf("step %s is not new", s.ID)
		}
	}
	*plan = old.Extended(rows, steps, left, warnings)
	if old.String() != before {
		t.Error("the plan that others may be reading has changed")
	}
	return render(&Plan{Tiers: rows, Steps: steps, Left: left, Warnings: warnings}, nil)
}

func TestExtensionAddsATier(t *testing.T) {
	plan, err := Build(Input{Snapshot: snapshot(t, "a\n")})
	if err != nil {
		t.Fatal(err)
	}
	got := extend(t, &plan, nil, "a\nb needs:a from:main\n")
	want := `sources ready:GitRepository/flux-system/main <- [ready:Kustomization/flux-system/a] # does not exist yet; a Kustomization comes from it
2 ready:Kustomization/flux-system/b <- [ready:GitRepository/flux-system/main ready:Kustomization/flux-system/a] # level 2 of the dependency graph
tier sources listed=false optional=false parallel=4
tier 2 listed=false optional=false parallel=4 flux-system/b
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestExtensionReplacesALeft: what else stays behind a left object is told again.
func TestExtensionReplacesALeft(t *testing.T) {
	plan, err := Build(Input{Snapshot: snapshot(t, "db git\n")})
	if err != nil {
		t.Fatal(err)
	}
	extend(t, &plan, nil, "db git\napp needs:db\n")
	if len(plan.Left) != 1 || names(plan.Left[0].Behind) != "app" {
		t.Errorf("left: %+v", plan.Left)
	}
}

func TestPlanningAnewReportsNewFaults(t *testing.T) {
	if _, err := Build(Input{Snapshot: snapshot(t, "a\n")}); err != nil {
		t.Fatal(err)
	}
	_, err := Build(Input{Snapshot: snapshot(t, "a needs:b\nb needs:a\n")})
	var cycle *CycleError
	if !errors.As(err, &cycle) {
		t.Errorf("got %v, want a CycleError", err)
	}
}
