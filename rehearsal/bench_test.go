package rehearsal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRehearse is a tree of the size of the largest public ones: 232
// Kustomizations with a release and eight ConfigMaps each.
func BenchmarkRehearse(b *testing.B) {
	dir := b.TempDir()
	var children strings.Builder
	for i := range 232 {
		fmt.Fprintf(&children, "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k%d, namespace: flux-system}\n"+
			"spec: {interval: 10m, path: ./apps/k%d, prune: true, wait: true, sourceRef: {kind: GitRepository, name: flux-system}, postBuild: {substitute: {A: b}}", i, i)
		if i > 2 {
			fmt.Fprintf(&children, ", dependsOn: [{name: k%d}]", i/3)
		}
		children.WriteString("}\n")
		objects := fmt.Sprintf("apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: default}\nspec: {chart: {spec: {chart: app-template, sourceRef: {kind: HelmRepository, name: charts}}}, releaseName: r%d}\n", i)
		for j := range 8 {
			objects += fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: default}\ndata: {a: \"${A}\"}\n", j)
		}
		put(b, filepath.Join(dir, "apps", fmt.Sprintf("k%d", i), "all.yaml"), objects)
	}
	put(b, filepath.Join(dir, "clusters/x/ks.yaml"), children.String())
	c, err := known()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Run(b.Context(), Options{Path: dir, Entry: "clusters/x", Catalog: c}); err != nil {
			b.Fatal(err)
		}
	}
}

func put(b *testing.B, path, text string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}
