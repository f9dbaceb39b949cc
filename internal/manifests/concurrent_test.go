package manifests_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/standup-sh/standup/internal/manifests"
)

// Sets with and without a schema of their own, at the same time: the schema is
// the process's, and yet each set is as if built alone.
func TestBuildsDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for _, file := range []string{"own-schema", "no-schema", "overlay", "substitute"} {
		c := readCase(t, "testdata/build/"+file+".txtar")
		tree := open(t, c.dir)
		for range 4 {
			group.Go(func() {
				values := &fakeValues{configMaps: c.values.configMaps, secrets: c.values.secrets}
				set, err := tree.Build(t.Context(), c.ks, values, manifests.Options{Strict: true})
				if got := render(set, err); got != c.want {
					t.Errorf("%s:\n%s", file, got)
				}
			})
		}
	}
	group.Wait()
}

func BenchmarkBuild(b *testing.B) {
	const count = 200
	var archive strings.Builder
	for i := range count {
		fmt.Fprintf(&archive, "-- apps/%d/kustomization.yaml --\nresources: [all.yaml]\n-- apps/%d/all.yaml --\n", i, i)
		for _, name := range []string{"a", "b", "c"} {
			archive.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata: {host: '${domain}'}\n---\n")
		}
	}
	tree := open(b, tree(b, archive.String()))
	values := &fakeValues{configMaps: map[string]map[string]string{"flux-system/vars": {"domain": "example.org"}}}
	for b.Loop() {
		for i := range count {
			ks := kustomization(b, fmt.Sprintf("path: apps/%d\npostBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}", i))
			set, err := tree.Build(b.Context(), ks, values, manifests.Options{Strict: true})
			if err != nil || len(set.Objects) != 3 {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*count), "ms/build")
}

func BenchmarkOpen(b *testing.B) {
	var archive strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&archive, "-- apps/%d/%d.yaml --\n%s", i/10, i, configMap)
	}
	dir := tree(b, archive.String())
	for b.Loop() {
		open(b, dir)
	}
}
