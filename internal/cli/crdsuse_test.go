package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/internal/ui/uitest"
)

type kustomizationV1 = kustomizev1.Kustomization

func kindOf(plural, kind string) kubetest.Kind { return kubetest.Kind{Plural: plural, Kind: kind} }

// substitutes makes a Kustomization one that substitutes variables, which it
// takes from Secret vars.
func substitutes(k *kustomizev1.Kustomization) {
	k.Spec.PostBuild = &kustomizev1.PostBuild{SubstituteFrom: []kustomizev1.SubstituteReference{{Kind: "Secret", Name: "vars", Optional: true}}}
}

// What is wrong with the command line, or with a file that it names, is said
// before anything is written.
func TestCrdsUsageErrors(t *testing.T) {
	f := newWedged(t)
	own := filepath.Join(f.dir, "catalogue")
	if err := os.MkdirAll(own, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "faulty.yaml"), []byte("name: faulty\nchart: {names: [faulty]}\ncreated: magic\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	badOrder := f.order(t, "tiers:\n  - name: storage\nsecondOrder:\n  - provider: {group: acme.io, kind: Factory}\n    provides: [\"a/b/c\"]\n")
	var all strings.Builder
	for _, args := range [][]string{
		{"crds", "--kustomization", "nobody"},
		{"crds", "--kustomization", "a/b/c"},
		{"crds", "--kustomization", "/x"},
		{"crds", "--pre-apply", "CDI/cdi"},
		{"crds", "--kustomization", "storage", "--pre-apply", "CDI"},
		{"crds", "--kustomization", "storage", "--pre-apply", "CDI/"},
		{"crds", "--catalog", own},
		{"crds", "--catalog", filepath.Join(f.dir, "nowhere")},
		{"crds", "--path", filepath.Join(f.dir, "nowhere")},
		{"crds", "-f", badOrder},
		{"crds", "--patience", "0s"},
		{"crds", "-o", "xml"},
		{"crds", "--report", "run.pdf"},
		{"crds", "storage"},
		{"resume", "--crds", "sometimes"},
		{"resume", "--path", filepath.Join(f.dir, "nowhere")},
	} {
		text, code := f.run(t, args...)
		if code != ExitUsage {
			t.Errorf("standup %s: exit code %d, want 2", strings.Join(args, " "), code)
		}
		all.WriteString(strings.ReplaceAll(text, f.dir, "DIR") + "\n")
	}
	uitest.Golden(t, "crds-usage-errors", all.String())
	f.unchanged(t)
}

// resume leaves a wedge where it is told to, and says what stands.
func TestResumeThatIsNotToBreakWedges(t *testing.T) {
	f := newWedged(t)
	f.needsNoTime(t)
	text, code := f.run(t, "resume", "--crds", "never", "--path", f.storage(t), "--patience", "1s")
	if code != ExitVerdict || len(f.Applies()) > 0 || !strings.Contains(text, "StorageProfile") {
		t.Errorf("exit code %d, applied %v\n%s", code, f.Applies(), text)
	}
}

// secretVars is what substitutes takes its variables from.
func secretVars() map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": namespace, "name": "vars"},
		"data": map[string]any{"TOKEN": "aHVudGVyMg=="}, // hunter2
	}
}

// releaseSet has a provider of which values come from a Secret of the cluster,
// and from Secrets of the set: one in plain text, one encrypted.
const releaseSet = `apiVersion: node.acme.io/v1
kind: Widget
metadata: {name: w, namespace: default}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: acme, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: acme, sourceRef: {kind: HelmRepository, name: acme}}}
  values: {token: "${TOKEN}"}
  valuesFrom: [{kind: Secret, name: plain}]
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: acme, namespace: default}
spec: {interval: 1h, url: "https://charts.example.test"}
---
apiVersion: v1
kind: Secret
metadata: {name: plain, namespace: default}
stringData: {password: swordfish}
`

const encryptedSecret = `apiVersion: v1
kind: Secret
metadata: {name: plain, namespace: default}
stringData: {password: "ENC[AES256_GCM,data:c2VjcmV0,iv:aXY=,tag:dGFn,type:str]"}
sops: {mac: "ENC[AES256_GCM,data:bWFj,iv:aXY=,tag:dGFn,type:str]", version: 3.9.0}
`

// newRelease is a cluster that is wedged on what a chart brings.
func newRelease(t *testing.T) *fleet {
	t.Helper()
	f := newWedged(t, substitutes)
	f.Put(t, secretVars())
	f.Serve("helm.toolkit.fluxcd.io/v2", kindOf("helmreleases", "HelmRelease"))
	f.Serve("source.toolkit.fluxcd.io/v1", kindOf("gitrepositories", "GitRepository"), kindOf("ocirepositories", "OCIRepository"),
		kindOf("buckets", "Bucket"), kindOf("helmrepositories", "HelmRepository"))
	return f
}

// Nothing that came from a Secret is printed, whether of the cluster or of the
// set; it is applied nevertheless.
func TestCrdsDryRunLeavesSecretsOut(t *testing.T) {
	f := newRelease(t)
	root := f.tree(t, map[string]string{"storage/all.yaml": releaseSet, "apps/vars.yaml": appsSet})
	args := []string{"crds", "--path", root, "--dry-run", "-v"}
	text, _ := f.run(t, args...)
	without(t, text, "hunter2", "aHVudGVyMg", "swordfish")
	f.golden(t, "crds-secrets", ExitOK, args[:4]...)
	f.unchanged(t)
}

// What is encrypted in git is neither printed nor applied.
func TestCrdsDoesNotLookIntoWhatIsEncrypted(t *testing.T) {
	f := newRelease(t)
	plain := strings.Index(releaseSet, "apiVersion: v1\nkind: Secret")
	root := f.tree(t, map[string]string{"storage/all.yaml": releaseSet[:plain] + encryptedSecret, "apps/vars.yaml": appsSet})
	for _, flags := range [][]string{{}, {"--dry-run"}, {"-o", "json"}} {
		text, code := f.run(t, append([]string{"crds", "--path", root}, flags...)...)
		without(t, text, "ENC[", "c2VjcmV0", "hunter2")
		if code != ExitPrecondition || !strings.Contains(text, "Secret/default/plain is needed, is encrypted in git and does not exist in the cluster") {
			t.Errorf("%v: exit code %d\n%s", flags, code, text)
		}
	}
	f.unchanged(t)
}

// F03: what is applied early is the HelmRelease. Helm makes what its chart
// templates, and owns it; a definition that somebody else has made it refuses.
func TestF03HelmMakesTheDefinitionsOfItsChart(t *testing.T) {
	f := newRelease(t)
	f.Serve("cert-manager.io/v1") // not served
	root := f.tree(t, map[string]string{"storage/all.yaml": strings.NewReplacer(
		"node.acme.io/v1", "cert-manager.io/v1", "kind: Widget", "kind: ClusterIssuer", "chart: acme", "chart: cert-manager",
		"values: {token: \"${TOKEN}\"}", "values: {crds: {enabled: true}}").Replace(releaseSet), "apps/vars.yaml": appsSet})
	f.SetAfter(func(patched map[string]any) {
		if patched["kind"] == "HelmRelease" {
			f.Serve("cert-manager.io/v1", kindOf("clusterissuers", "ClusterIssuer"))
		}
	})
	r := f.start(t, "crds", "--path", root)
	f.applies(t, r.errs)
	if code := r.end(t); code != ExitOK {
		t.Errorf("exit code %d\n%s%s", code, r.out, r.errs)
	}
	want := []string{"Secret/plain", "HelmRepository/acme", "HelmRelease/acme"}
	if got := f.appliedEarly(t); !slices.Equal(got, want) {
		t.Errorf("applied %q, want %q", got, want)
	}
	without(t, r.out.String()+r.errs.String(), "hunter2", "swordfish")
}
