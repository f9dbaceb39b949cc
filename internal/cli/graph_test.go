package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/standup-sh/standup/internal/report"
	"github.com/standup-sh/standup/internal/ui/uitest"
)

// aTree has two parents of one Kustomization, a cycle, a dependsOn on nothing, a
// source that is elsewhere, and one that is suspended.
const aTree = `
-- clusters/prod/all.yaml --
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: infra, namespace: flux-system}
spec: {path: infra, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {path: apps, suspend: true, dependsOn: [{name: db}, {name: gone}], sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: db, namespace: flux-system}
spec: {path: apps, dependsOn: [{name: apps}], sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: tenants, namespace: flux-system}
spec: {path: ., sourceRef: {kind: GitRepository, name: elsewhere}}
-- infra/apps.yaml --
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {path: apps, suspend: true, dependsOn: [{name: db}, {name: gone}], sourceRef: {kind: GitRepository, name: flux-system}}
-- apps/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default}
-- tenants/one.yaml --
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: one, namespace: flux-system}
spec: {path: ../apps, sourceRef: {kind: GitRepository, name: elsewhere}}
`

// plant writes an archive's files into a directory of their own.
func plant(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestGraphOfACheckout(t *testing.T) {
	dir := plant(t, aTree)
	for name, args := range map[string][]string{
		"graph-homelab":         {"--path", homelab},
		"graph-homelab.mermaid": {"--path", homelab, "-o", "mermaid"},
		"graph-tree":            {"--path", dir, "--entry", "clusters/prod"},
		"graph-tree.dot":        {"--path", dir, "--entry", "clusters/prod", "-o", "dot"},
		"graph-tree.json":       {"--path", dir, "--entry", "clusters/prod", "-o", "json"},
		"graph-tree-mapped":     {"--path", dir, "--entry", "clusters/prod", "--source", "GitRepository/flux-system/elsewhere=" + dir + ":tenants"},
	} {
		t.Run(name, func(t *testing.T) {
			text, code := ranAs(t, append([]string{"graph"}, args...)...)
			if code != ExitOK {
				t.Errorf("exit code %d, want 0", code)
			}
			uitest.Golden(t, name, normal().apply(strings.ReplaceAll(text, dir, "TREE")))
		})
	}
}

func TestGraphOfACluster(t *testing.T) {
	f := newFleet(t, append(goingRound(), kustomization("alone", behind("gone"), suspended))...)
	order := f.order(t, "tiers:\n  - name: all\n    kustomizations: [cilium, apps]\n")
	f.golden(t, "graph-live", ExitOK, "graph")
	f.golden(t, "graph-live-tiers", ExitOK, "graph", "-f", order)
	f.golden(t, "graph-live.json", ExitOK, "graph", "-o", "json")
	f.unchanged(t)
}

func TestGraphWritesNothingButJSON(t *testing.T) {
	text, _ := ranAs(t, "graph", "--path", homelab, "-o", "json")
	_, text, _ = strings.Cut(text, "--- stdout\n")
	text, _, _ = strings.Cut(text, "--- stderr\n")
	var g report.Graph
	if err := json.Unmarshal([]byte(text), &g); err != nil || g.Schema != report.GraphSchema || len(g.Nodes) == 0 {
		t.Errorf("got %+v, %v", g, err)
	}
}

func TestGraphRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"graph needs --entry":                {"--path", dir},
		`entry "nowhere" is not a directory`: {"--path", homelab, "--entry", "nowhere"},
		"name it with --path":                {"--entry", "clusters/prod"},
		"none is not a directory":            {"--path", filepath.Join(dir, "none"), "--entry", "a"},
		`--output "junit" is not known`:      {"--path", homelab, "-o", "junit"},
	} {
		text, code := ranAs(t, append([]string{"graph"}, args...)...)
		if code != ExitUsage || !strings.Contains(text, want) {
			t.Errorf("%v: exit code %d, want 2 and %q in\n%s", args, code, want, text)
		}
	}
}
