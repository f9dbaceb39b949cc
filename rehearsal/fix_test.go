package rehearsal

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTheFixOfTheIncident: the patch applies, makes of the wedged tree what the
// mission's authors made of it, and leaves the one race that they know of.
func TestTheFixOfTheIncident(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), options(t, "../examples/homelab-incident", "entry: clusters/prod"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Fixes) != 1 {
		t.Fatalf("got %d fixes", len(r.Fixes))
	}
	f := r.Fixes[0]
	want := "Move StorageProfile/longhorn-vm, StorageProfile/longhorn to a new Kustomization flux-system/platform-config-cdi that depends on flux-system/platform-config, and let flux-system/apps-vms depend on it."
	if f.Summary() != want || f.TierOrder != "- name: platform-config-cdi" || f.Prune == "" || f.ByHand != "" {
		t.Errorf("got %s\n%+v", f.Summary(), f)
	}
	proof, err := r.Prove(t.Context(), options(t, "../examples/homelab-incident", "entry: clusters/prod"))
	if err != nil || proof.Converges != ResultYes {
		t.Errorf("the proof: %v, %+v", err, proof)
	}
	for _, part := range []string{f.Manifest, f.Prune, "infrastructure/platform-config/storage-profiles.yaml:5", "flux-system/apps-vms"} {
		if !strings.Contains(f.Document(), part) {
			t.Errorf("the document does not say %q:\n%s", part, f.Document())
		}
	}
	dir := gitApplied(t, "../examples/homelab-incident", f.Patch)
	after, err := Run(t.Context(), options(t, dir, "entry: clusters/prod"))
	if err != nil {
		t.Fatal(err)
	}
	if after.Converges != ResultYes || after.Has(Deadlock) || !after.Has(Race) || len(after.Kustomizations) != len(r.Kustomizations)+1 {
		t.Errorf("after the patch: %s", summary(after, false))
	}
}

// gitApplied is a copy of a tree with a patch applied by git.
func gitApplied(t *testing.T, tree, patch string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	// Not to be taken for a part of the repository that the tests are in.
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, patch)
	}
	return dir
}

// TestFixesOfCases: where a case is a deadlock that a split ends, the patch
// applies and takes it away; else it says why there is none.
func TestFixesOfCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	patches := 0
	for _, file := range files {
		dir, head, _ := unpack(t, file)
		r, err := Run(t.Context(), options(t, dir, head))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Fixes {
			if (f.Patch == "") == (f.ByHand == "") || len(f.Moves) == 0 || f.Manifest == "" && f.Patch != "" {
				t.Errorf("%s: %+v", file, f)
			}
		}
		if len(r.Fixes) == 1 && r.Fixes[0].Patch != "" {
			patches++
			o := options(t, dir, head)
			o.Path = gitApplied(t, dir, r.Fixes[0].Patch)
			takesAway(t, o, r.Fixes[0])
		}
	}
	if patches < 5 {
		t.Errorf("only %d patches were tried", patches)
	}
}

// takesAway checks that what was moved is wedged no more.
func takesAway(t *testing.T, o Options, f Fix) {
	t.Helper()
	after, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range after.Findings {
		moved := found.Object != nil && slices.ContainsFunc(f.Moves, func(m Object) bool { return m.Kind == found.Object.Kind && m.Name == found.Object.Name })
		if moved && found.Verdict == Deadlock {
			t.Errorf("%s: after the patch still %+v", f.New, found)
		}
	}
}

// twoWedges are two sets that are each wedged by another provider.
const twoWedges = `
-- clusters/x/ks.yaml --
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: a
  namespace: flux-system
spec:
  interval: 10m
  path: ./a
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: b
  namespace: flux-system
spec:
  dependsOn:
    - name: a
  interval: 10m
  path: ./b
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
-- a/all.yaml --
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: cert-manager, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: cert-manager, sourceRef: {kind: HelmRepository, name: charts}}}
  values: {crds: {enabled: true}}
---
# the issuer
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: i}
spec: {}
-- b/kustomization.yaml --
resources: [release.yaml, store.yaml, certificate.yaml]
-- b/release.yaml --
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: external-secrets, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: external-secrets, sourceRef: {kind: HelmRepository, name: charts}}}
-- b/store.yaml --
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: s}
spec: {}
-- b/certificate.yaml --
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: c, namespace: default}
spec: {secretName: c}
`

func TestFixesOfTwoWedges(t *testing.T) {
	t.Parallel()
	dir := written(t, twoWedges)
	r, err := Run(t.Context(), options(t, dir, "entry: clusters/x"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Fixes) != 2 || len(r.Fixes[0].Dependents) != 1 || r.Fixes[0].Patch == "" {
		t.Fatalf("got %+v", r.Fixes)
	}
	// The list of b is written in one line, which is not changed line by line.
	if r.Fixes[1].ByHand == "" || r.Fixes[1].Manifest == "" {
		t.Errorf("got %+v", r.Fixes[1])
	}
	after, err := r.Prove(t.Context(), options(t, dir, "entry: clusters/x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range after.Kustomizations {
		if want := k.Name == "b"; (k.Verdict == Deadlock) != want {
			t.Errorf("after the patch %+v", k)
		}
	}
}
