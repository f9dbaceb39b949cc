package wedge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
)

func lacking(kind string, shape wedge.Shape, hint string) wedge.Missing {
	return wedge.Missing{GroupVersionKind: schema.GroupVersionKind{Group: "acme.io", Version: "v1", Kind: kind}, Shape: shape, Hint: hint}
}

func TestAWedgeThatCannotBeBrokenNamesEveryKindOfEveryKustomization(t *testing.T) {
	err := &wedge.Error{Diagnoses: []*wedge.Diagnosis{
		{
			Kustomization: tiers.KustomizationRef("flux-system", "a"),
			Missing:       []wedge.Missing{lacking("Widget", wedge.NoCreator, "Install it."), lacking("Gadget", wedge.SameSet, "")},
			Unmet:         []wedge.Unmet{{What: "Secret/x/y is needed", Remedy: "Create it."}},
		},
		{
			Kustomization: tiers.KustomizationRef("flux-system", "b"),
			Missing:       []wedge.Missing{lacking("Widget", wedge.NoCreator, "Install it.")},
			Unmet:         []wedge.Unmet{{What: "Secret/x/y is needed", Remedy: "Create it."}},
		},
	}}
	want := "Kustomization/flux-system/a is wedged: Widget.acme.io: nothing brings it; " +
		"Gadget.acme.io comes with /, which is in the same set and kept from being applied by it; Secret/x/y is needed\n" +
		"Kustomization/flux-system/b is wedged: Widget.acme.io: nothing brings it; Secret/x/y is needed"
	if got := strings.ReplaceAll(err.Error(), (tiers.Ref{}).String(), "/"); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if diff := cmp.Diff([]string{"Create it.", "Widget.acme.io: Install it."}, err.Remedies()); diff != "" {
		t.Errorf("remedies (-want +got):\n%s", diff)
	}
}

// What only lacks a precondition says nothing against the tree.
func TestOnlyWhatIsUnmetIsAPrecondition(t *testing.T) {
	unmet, seeds := []wedge.Unmet{{What: "a Secret"}}, []wedge.Seed{{}}
	for name, c := range map[string]struct {
		diagnoses []*wedge.Diagnosis
		want      bool
	}{
		"a provider that lacks a Secret":        {[]*wedge.Diagnosis{{Missing: []wedge.Missing{lacking("A", wedge.SameSet, "")}, Seeds: seeds, Unmet: unmet}}, true},
		"a kind that nothing brings":            {[]*wedge.Diagnosis{{Missing: []wedge.Missing{lacking("A", wedge.NoCreator, "")}}}, false},
		"both":                                  {[]*wedge.Diagnosis{{Missing: []wedge.Missing{lacking("A", wedge.SameSet, ""), lacking("B", wedge.NoCreator, "")}, Seeds: seeds, Unmet: unmet}}, false},
		"one of each":                           {[]*wedge.Diagnosis{{Missing: []wedge.Missing{lacking("A", wedge.SameSet, "")}, Unmet: unmet}, {Missing: []wedge.Missing{lacking("A", wedge.NoCreator, "")}}}, false},
		"one beside a wedge that can be broken": {[]*wedge.Diagnosis{{Missing: []wedge.Missing{lacking("A", wedge.SameSet, "")}, Unmet: unmet}, {Missing: []wedge.Missing{lacking("A", wedge.SameSet, "")}, Seeds: seeds}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&wedge.Error{Diagnoses: c.diagnoses}).OnlyUnmet(); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestAShapeIsAWedgeUnlessTheKindComes(t *testing.T) {
	for shape, want := range map[wedge.Shape]bool{
		wedge.SameSet: true, wedge.Ancestor: true, wedge.GateOrder: true, wedge.NoCreator: true, wedge.Coming: false,
	} {
		d := &wedge.Diagnosis{Missing: []wedge.Missing{lacking("A", wedge.Coming, ""), lacking("B", shape, "")}}
		if got := d.Wedged(); got != want {
			t.Errorf("%s: wedged %v, want %v", shape, got, want)
		}
	}
	if (&wedge.Diagnosis{Missing: []wedge.Missing{lacking("A", wedge.SameSet, "")}}).Repairable() {
		t.Error("repairable without a seed")
	}
}

func TestAnObjectThatIsNotInTheSetIsNamedWithWhatIs(t *testing.T) {
	e := &wedge.NotInSetError{Object: tiers.Ref{Kind: "CDI", Name: "cdi"}, Kustomization: tiers.KustomizationRef("flux-system", "k")}
	if got := e.Error(); got != "CDI/cdi is not in the set of Kustomization/flux-system/k, nor is any other CDI" {
		t.Errorf("got %q", got)
	}
}
