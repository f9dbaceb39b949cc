package rehearsal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The most that a hostile tree may cost. It is many times what the slowest takes
// on an idle machine: what these tests are against has no bound at all.
const (
	hostileTime   = 60 * time.Second
	hostileMemory = 3 << 30
)

const rootOf = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %s, namespace: flux-system}
spec: {path: %q, interval: 10m, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
---
`

func ks(name, path string) string { return fmt.Sprintf(rootOf, name, path) }

// hostile writes one tree each. What it wants is a word of the answer: that the
// fault is named, or that the tree is sound.
func hostile(t *testing.T) map[string]struct {
	tree map[string]string
	want string
} {
	t.Helper()
	cm := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\n---\n"
	var many, crowd strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, cm, fmt.Sprint("c", i))
	}
	for i := range 300 {
		crowd.WriteString(ks(fmt.Sprint("k", i), "empty"))
	}
	nested := map[string]string{"e/a.yaml": ks("deep", "d0")}
	for i := range 500 {
		nested[fmt.Sprintf("d%d/kustomization.yaml", i)] = fmt.Sprintf("resources: [../d%d]\n", i+1)
	}
	nested["d500/a.yaml"] = fmt.Sprintf(cm, "bottom")
	nested["d500/kustomization.yaml"] = "resources: [a.yaml]\n"
	return map[string]struct {
		tree map[string]string
		want string
	}{
		"spec.path leaves the tree":  {map[string]string{"e/a.yaml": ks("out", "../../../../etc")}, "does not exist"},
		"a resource leaves the tree": {map[string]string{"e/a.yaml": ks("out", "b"), "b/kustomization.yaml": "resources: [../../../../etc/passwd]\n"}, "DEADLOCK build"},
		"an absolute resource":       {map[string]string{"e/a.yaml": ks("out", "b"), "b/kustomization.yaml": "resources: [/etc/passwd]\n"}, "DEADLOCK build"},
		"bases of each other":        {map[string]string{"e/a.yaml": ks("loop", "b"), "b/kustomization.yaml": "resources: [../c]\n", "c/kustomization.yaml": "resources: [../b]\n"}, "DEADLOCK build"},
		"it applies itself":          {map[string]string{"e/a.yaml": ks("flux-system", "e") + ks("self", "s"), "s/a.yaml": ks("self", "s")}, "converges yes"},
		"not UTF-8":                  {map[string]string{"e/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"\xff\xfe\", namespace: default}\n"}, "converges no"},
		"NUL bytes":                  {map[string]string{"e/a.yaml": "apiVersion: v1\nkind: ConfigMap\x00\nmetadata: {name: a}\n"}, "converges no"},
		"300 objects":                {map[string]string{"e/a.yaml": many.String()}, "converges yes"},
		"nested 500 deep":            {nested, "converges"},
		"300 Kustomizations":         {map[string]string{"e/a.yaml": crowd.String(), "empty/a.yaml": fmt.Sprintf(cm, "a")}, "converges yes"},
	}
}

func TestHostileTreesCostLittle(t *testing.T) {
	for name, tt := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.tree {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			began := time.Now()
			r, err := Run(t.Context(), options(t, dir, "entry: e"))
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			said := fmt.Sprint("error: ", err)
			if err == nil {
				said = summary(r, false) + r.Text()
			}
			if !strings.Contains(said, tt.want) {
				t.Errorf("want %q in\n%.600s", tt.want, said)
			}
			if took > hostileTime || after.Sys-before.Sys > hostileMemory {
				t.Errorf("it took %s and %d MiB", took, (after.Sys-before.Sys)>>20)
			}
			t.Logf("%s, %d MiB", took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
}

func TestALoopOfLinksIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "e"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"e/loop": ".", "e/a.yaml": "b.yaml", "e/b.yaml": "a.yaml", "e/out": "/etc"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "e", "c.yaml"), []byte(ks("apps", "e/out")), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), options(t, dir, "entry: e"))
	if err != nil {
		t.Fatal(err)
	}
	if said := summary(r, false); !strings.Contains(said, "flux-system/apps DEADLOCK build") {
		t.Errorf("a link out of the tree was followed:\n%s", said)
	}
}
