package tiers

import (
	"errors"
	"strings"
	"testing"
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
	stages := []struct{ name, cluster, want string }{
		{"nothing is new", "root from:main\nsource main\n", ""},
		{
			"the root has applied its children, one of them in no tier, one of them suspended in git",
			`
root from:main
infra by:root from:main
apps by:root from:main needs:stray
stray by:root from:main
gpu by:root git
behind by:root needs:gpu
source main
`,
			`infra ready:Kustomization/flux-system/stray <- [ready:GitRepository/flux-system/main ready:Kustomization/flux-system/root] after [ready:Kustomization/flux-system/infra] # no tier lists it
left Kustomization/flux-system/gpu: suspended in git, behind it [Kustomization/flux-system/behind]
warning: Kustomization flux-system/stray is in no tier; it is driven in tier "apps"; write ` + "`kustomizations: [apps, gpu, stray]`" + ` in tier "apps"
`,
		},
	}
	_ = stages
	for _, stage := range stages[:1] {
		if got := extend(t, &plan, order, stage.cluster); got != stage.want {
			t.Errorf("%s: got\n%s", stage.name, got)
		}
	}
	got := extend(t, &plan, order, stages[1].cluster)
	for _, want := range []string{
		"ready:Kustomization/flux-system/stray", "left Kustomization/flux-system/gpu", "warning: Kustomization flux-system/stray is in no tier",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "ready:Kustomization/flux-system/infra <-") || strings.Contains(got, "ready:Kustomization/flux-system/apps <-") {
		t.Errorf("what was planned is planned again:\n%s", got)
	}
	if again := extend(t, &plan, order, stages[1].cluster); again != "" {
		t.Errorf("the second time, this is new:\n%s", again)
	}
}

// extend adds what is new to the plan and prints it.
func extend(t *testing.T, plan **Plan, order *TierOrder, cluster string) string {
	t.Helper()
	before := (*plan).String()
	old := *plan
	rows, steps, left, warnings, err := Extension(old, Input{Order: order, Snapshot: snapshot(t, cluster)})
	if err != nil {
		t.Fatal(err)
	}
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

func TestExtensionReportsNewFaults(t *testing.T) {
	plan, err := Build(Input{Snapshot: snapshot(t, "a\n")})
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, _, err = Extension(plan, Input{Snapshot: snapshot(t, "a needs:b\nb needs:a\n")})
	var cycle *CycleError
	if !errors.As(err, &cycle) {
		t.Errorf("got %v, want a CycleError", err)
	}
}
