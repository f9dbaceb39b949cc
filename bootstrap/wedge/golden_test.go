package wedge_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
)

// TestDiagnoses runs every scenario of testdata. The file's comment says why the
// wanted text is right.
func TestDiagnoses(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			s := read(t, file)
			d, err := s.diagnose(t)
			s.check(t, strings.ReplaceAll(render(d, err), s.tree.Root(), "the tree"))
			if err != nil {
				return
			}
			for gvk, n := range s.cluster.asked {
				if n > 1 && len(s.spec.PreApply) == 0 {
					t.Errorf("the API server was asked %d times whether it serves %s", n, gvk)
				}
			}
			seedsAreSound(t, s, d)
			isSteady(t, s, d)
			breaks(t, s, d)
		})
	}
}

// seedsAreSound checks what holds of all seeds: each is there once, belongs to
// whose labels it has, comes after its namespace, and prints no secret.
func seedsAreSound(t *testing.T, s *scenario, d *wedge.Diagnosis) {
	t.Helper()
	var planted []tiers.Ref
	for _, seed := range d.Seeds {
		labels := seed.Object.GetLabels()
		owner := tiers.KustomizationRef(labels["kustomize.toolkit.fluxcd.io/namespace"], labels["kustomize.toolkit.fluxcd.io/name"])
		if owner != seed.Owner || s.find(owner.Name) == nil {
			t.Errorf("%s has the owner labels of %s, and is of %s", seed.Ref(), owner, seed.Owner)
		}
		if slices.Contains(planted, seed.Ref()) {
			t.Errorf("%s is there twice", seed.Ref())
		}
		if ns := seed.Object.GetNamespace(); ns != "" && d.Repairable() && !s.has("Namespace", "", ns) && !slices.Contains(planted, tiers.Ref{Kind: "Namespace", Name: ns}) {
			t.Errorf("%s comes before its namespace", seed.Ref())
		}
		if seed.Object.GetKind() == "Secret" {
			for _, field := range []string{"data", "stringData"} {
				values, _, _ := unstructured.NestedStringMap(seed.Printable.Object, field)
				for key, value := range values {
					if !strings.Contains(value, "redacted") {
						t.Errorf("%s would be printed with %s: %s", seed.Ref(), key, value)
					}
				}
			}
		}
		planted = append(planted, seed.Ref())
	}
}

func (s *scenario) has(kind, namespace, name string) bool {
	return slices.ContainsFunc(s.cluster.live, func(o unstructured.Unstructured) bool {
		return o.GetKind() == kind && o.GetNamespace() == namespace && o.GetName() == name
	})
}

// isSteady checks that the same cluster gives the same diagnosis.
func isSteady(t *testing.T, s *scenario, d *wedge.Diagnosis) {
	t.Helper()
	again, err := s.diagnose(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(render(d, nil), render(again, nil)); diff != "" {
		t.Errorf("a second look says something else:\n%s", diff)
	}
	for i := range d.Seeds {
		if diff := cmp.Diff(d.Seeds[i].Object.Object, again.Seeds[i].Object.Object); diff != "" {
			t.Errorf("a second look applies something else:\n%s", diff)
		}
	}
}

// breaks plays the repair: once the seeds exist and the kinds have come,
// nothing is wedged any more.
func breaks(t *testing.T, s *scenario, d *wedge.Diagnosis) {
	t.Helper()
	if !d.Wedged() || !d.Repairable() {
		return
	}
	for _, seed := range d.Seeds {
		s.cluster.live = append(s.cluster.live, *seed.Object)
		for _, gvk := range seed.Await {
			s.cluster.served = append(s.cluster.served, gvk.Group+"/"+gvk.Kind)
		}
	}
	for i := range d.Missing {
		s.cluster.served = append(s.cluster.served, d.Missing[i].Group+"/"+d.Missing[i].Kind)
	}
	for i := range d.Namespaces {
		made := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
		made.SetName(d.Namespaces[i].Name)
		s.cluster.live = append(s.cluster.live, made)
	}
	healed, err := s.doctor().Diagnose(t.Context(), s.question(t))
	if err != nil {
		t.Fatal(err)
	}
	if healed.Wedged() || len(healed.Seeds) > 0 {
		t.Errorf("after the repair it says: %s", render(healed, nil))
	}
}
