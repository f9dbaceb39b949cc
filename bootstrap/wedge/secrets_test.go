package wedge_test

import (
	"context"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/manifests"
)

// substituted is a set whose HelmRelease has a value that comes from a Secret of
// the cluster.
const substituted = `
-- case.yaml --
diagnose: k
-- live.yaml --
{name: k, path: ./k, postBuild: {substituteFrom: [{kind: Secret, name: vars}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: vars, namespace: flux-system}, stringData: {TOKEN: hunter2}}
-- tree/k/all.yaml --
{apiVersion: widgets.acme.io/v1, kind: Widget, metadata: {name: w, namespace: default}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: acme, namespace: default}
spec: {chart: {spec: {chart: acme, sourceRef: {kind: HelmRepository, name: x, namespace: flux-system}}}, values: {token: "${TOKEN}"}}
`

func TestWhatIsPrintedOfASeedLeavesSecretsOut(t *testing.T) {
	file := t.TempDir() + "/case.txtar"
	write(t, file, []byte(substituted))
	s := read(t, file)
	d, err := s.diagnose(t)
	if err != nil || len(d.Seeds) != 1 {
		t.Fatalf("%v", render(d, err))
	}
	applied, err := yaml.Marshal(d.Seeds[0].Object.Object)
	if err != nil {
		t.Fatal(err)
	}
	printed, err := yaml.Marshal(d.Seeds[0].Printable.Object)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(applied), "token: hunter2") {
		t.Errorf("not applied as its Kustomization would:\n%s", applied)
	}
	if strings.Contains(string(printed), "hunter2") || !strings.Contains(string(printed), "kustomize.toolkit.fluxcd.io/name: k") {
		t.Errorf("would print:\n%s", printed)
	}
}

// A Kustomization that cannot be built says so itself; it does not keep the
// others from being diagnosed.
func TestAnotherKustomizationThatCannotBeBuiltIsPassedOver(t *testing.T) {
	file := t.TempDir() + "/case.txtar"
	write(t, file, []byte(strings.Replace(substituted, "-- live.yaml --\n", "-- live.yaml --\n{name: broken, path: ./nowhere}\n---\n", 1)))
	s := read(t, file)
	d, err := s.diagnose(t)
	if err != nil || !d.Repairable() {
		t.Errorf("%s", render(d, err))
	}
}

// gone is a context that ends while the sets are built.
type gone struct {
	*scenario
	cancel context.CancelFunc
}

// Set implements wedge.Sets.
func (g gone) Set(ctx context.Context, k *kustomizev1.Kustomization) (*manifests.Set, error) {
	if k.Name == "other" {
		g.cancel()
		return nil, context.Cause(ctx)
	}
	return g.scenario.Set(ctx, k)
}

func TestADiagnosisThatIsInterruptedConcludesNothing(t *testing.T) {
	file := t.TempDir() + "/case.txtar"
	write(t, file, []byte(strings.Replace(substituted, "-- live.yaml --\n", "-- live.yaml --\n{name: other, path: ./k}\n---\n", 1)))
	s := read(t, file)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, err := (&wedge.Doctor{Sets: gone{s, cancel}, Cluster: s.cluster, Catalog: s.catalog}).Diagnose(ctx, s.question(t))
	if err == nil {
		t.Errorf("diagnosed: %s", render(d, nil))
	}
}

// Every look that fails is an error: "could not look" is not "absent".
func TestALookThatFailsIsNotAnAnswer(t *testing.T) {
	for name, c := range map[string]struct{ file, down string }{
		"for the workloads of an operator": {"testdata/operator-absent.txtar", "Deployment"},
		"for what a provider needs":        {"testdata/needs.txtar", "Secret"},
		"for its namespace":                {"testdata/E10-provider.txtar", "Namespace"},
		"for its kind":                     {"testdata/two-level.txtar", "CDI"},
		"for an encrypted Secret":          {"testdata/encrypted-secret.txtar", "Secret"},
		"for the stale kind":               {"testdata/not-used-any-more.txtar", "Widget"},
	} {
		t.Run(name, func(t *testing.T) {
			s := read(t, c.file)
			s.cluster.down = c.down
			d, err := s.diagnose(t)
			if err == nil || !strings.Contains(err.Error(), "the API server is away") {
				t.Errorf("%s", render(d, err))
			}
		})
	}
}
