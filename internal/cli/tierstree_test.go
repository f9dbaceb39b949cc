package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
)

// ranIn is ranAs without the directory that the test made up.
func ranIn(t *testing.T, dir string, args ...string) (text string, code int) {
	t.Helper()
	text, code = ranAs(t, args...)
	return normal().apply(strings.ReplaceAll(text, dir, "TREE")), code
}

func TestTiersCheckOfACheckout(t *testing.T) {
	dir := plant(t, aTree)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("apiVersion: standup/v1\nkind: TierOrder\nentry: clusters/prod\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	drift := file("drift.yaml", "tiers:\n  - name: flux-system\n  - name: infra\n  - name: db\n  - name: never\n  - name: tenant\n")
	unsure := file("unsure.yaml", "unlisted: ignore\ntiers:\n  - name: flux-system\n  - name: one\n")
	for _, tt := range []struct {
		name string
		args []string
		code int
	}{
		{"tiers-check-homelab", []string{"--path", homelab}, ExitOK},
		{"tiers-check-tree", []string{"--path", dir, "-f", drift}, ExitVerdict},
		{"tiers-check-tree.json", []string{"--path", dir, "-f", drift, "-o", "json"}, ExitVerdict},
		// The cycle stands whatever the sets that cannot be seen hold.
		{"tiers-check-tree-unsure", []string{"--path", dir, "-f", unsure}, ExitVerdict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, code := ranIn(t, dir, append([]string{"tiers", "check"}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			uitest.Golden(t, tt.name, text)
		})
	}
}

// What a set that cannot be seen may hold is no drift; once it can be seen, it is.
func TestTiersCheckFailsNobodyForWhatItCannotSee(t *testing.T) {
	dir := plant(t, strings.NewReplacer("dependsOn: [{name: apps}], ", "", ", {name: gone}", "").Replace(aTree))
	order := filepath.Join(dir, "TIER_ORDER.yaml") // found in the checkout
	text := "apiVersion: standup/v1\nkind: TierOrder\nentry: clusters/prod\ntiers:\n  - name: flux-system\n  - name: infra\n  - name: db\n  - name: apps\n  - name: tenants\n  - name: absent\n"
	if err := os.WriteFile(order, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, code := ranIn(t, dir, "tiers", "check", "--path", dir)
	for _, want := range []string{
		"TREE/TIER_ORDER.yaml agrees with what can be seen of the tree\n",
		`tier "absent" lists Kustomization flux-system/absent, which does not exist, unless in a set that cannot be seen`,
	} {
		if code != ExitOK || !strings.Contains(got, want) {
			t.Errorf("exit code %d, want 0 and %q in\n%s", code, want, got)
		}
	}
	seen := "GitRepository/flux-system/elsewhere=" + dir + ":infra"
	if got, code := ranIn(t, dir, "tiers", "check", "--path", dir, "--source", seen); code != ExitVerdict || !strings.Contains(got, "flux-system/absent, which does not exist; remove it\n") {
		t.Errorf("exit code %d, want 3\n%s", code, got)
	}
}

func TestTiersGenerateOfACheckout(t *testing.T) {
	text, code := ranAs(t, "tiers", "generate", "--path", homelab)
	if code != ExitOK {
		t.Errorf("exit code %d, want 0", code)
	}
	uitest.Golden(t, "tiers-generate-homelab", text)
	_, file, _ := strings.Cut(text, "--- stdout\n")
	file, _, _ = strings.Cut(file, "--- stderr\n")
	if _, err := tiers.Parse("generated", []byte(file)); err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	path := filepath.Join(t.TempDir(), "generated.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, code := ranAs(t, "tiers", "check", "--path", homelab, "--entry", "clusters/prod", "-f", path); code != ExitOK {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

// The cluster that a checkout makes, and the checkout, are one graph.
func TestACheckoutHasTheTiersOfItsCluster(t *testing.T) {
	children := append(chain(), kustomization("monitoring", behind("cilium")), kustomization("1.0"))
	var docs []string
	tree := ""
	for _, k := range children {
		tree += fmt.Sprintf("-- %s/a.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n", k.Name)
		spec, err := yaml.Marshal(map[string]any{"apiVersion": k.APIVersion, "kind": k.Kind, "metadata": map[string]any{"name": k.Name, "namespace": k.Namespace}, "spec": k.Spec})
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, string(spec))
		k.Labels = map[string]string{wedge.OwnerName: "flux-system", wedge.OwnerNamespace: namespace}
	}
	dir := plant(t, tree+"-- clusters/fleet/all.yaml --\n"+strings.Join(docs, "---\n"))
	root := kustomization("flux-system", func(k *kustomizev1.Kustomization) { k.Spec.Wait = false })
	f := newFleet(t, append(children, root)...)
	order := f.order(t, "tiers:\n  - name: apps\n  - name: platform\n  - name: cilium\n  - name: none\n")
	for _, command := range [][]string{
		{"tiers", "generate"},
		{"tiers", "check", "-f", order},
		{"tiers", "check", "-f", order, "-o", "json"},
		{"graph"},
		{"graph", "-f", order, "-o", "dot"},
	} {
		r := f.start(t, command...)
		code := r.end(t)
		live := fmt.Sprintf("%s--- exit code %d\n", r.out.String(), code)
		text, _ := ranAs(t, append(command, "--path", dir, "--entry", "clusters/fleet")...)
		_, offline, _ := strings.Cut(text, "--- stdout\n")
		offline = strings.Replace(offline, "--- stderr\n", "", 1)
		if live != offline {
			t.Errorf("%v, live:\n%s\nof the checkout:\n%s", command, live, offline)
		}
	}
}
