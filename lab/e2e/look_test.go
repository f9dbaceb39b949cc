package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/lab"
)

func abs(t *testing.T, path string) string {
	t.Helper()
	out, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// index finds the first event that fits, or fails.
func index(t *testing.T, r result, kind, step string) int {
	t.Helper()
	for i, e := range events(t, r) {
		if of, _ := e["step"].(string); e["type"] == kind && of == step {
			return i
		}
	}
	t.Fatalf("no %s of %s in\n%s", kind, step, r.stdout)
	return 0
}

func started(t *testing.T, r result, step string) int {
	t.Helper()
	return index(t, r, "step.started", step)
}

func finished(t *testing.T, r result, step string) int {
	t.Helper()
	return index(t, r, "step.finished", step)
}

// at is when an event happened.
func at(t *testing.T, r result, i int) time.Time {
	t.Helper()
	text, _ := events(t, r)[i]["time"].(string)
	when, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func began(t *testing.T, r result, name string) time.Time {
	t.Helper()
	return at(t, r, started(t, r, "ready:Kustomization/flux-system/"+name))
}

func readyTime(t *testing.T, r result, name string) time.Time {
	t.Helper()
	return at(t, r, finished(t, r, "ready:Kustomization/flux-system/"+name))
}

// inOrder checks that the steps of a verb finished one after the other.
func inOrder(t *testing.T, r result, verb string, names ...string) {
	t.Helper()
	last := -1
	for _, name := range names {
		i := finished(t, r, verb+":Kustomization/flux-system/"+name)
		if i < last {
			t.Errorf("%s finished before the one in front of it", name)
		}
		last = i
	}
}

func versions(t *testing.T, c *lab.Cluster) map[string]string {
	t.Helper()
	v, err := c.ResourceVersions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// settled returns the versions once the controllers have stopped writing: they
// look at every object after a start and after a change.
func settled(t *testing.T, c *lab.Cluster) map[string]string {
	t.Helper()
	last, since := versions(t, c), time.Now()
	eventually(t, c, "controllers that rest", func() bool {
		now := versions(t, c)
		if len(lab.Changed(last, now)) > 0 {
			last, since = now, time.Now()
		}
		return time.Since(since) > 2*time.Second
	})
	return last
}

// unchanged checks that nothing of Flux was written since before.
func unchanged(t *testing.T, c *lab.Cluster, before map[string]string) {
	t.Helper()
	if changed := lab.Changed(before, versions(t, c)); len(changed) > 0 {
		t.Errorf("changed: %s", strings.Join(changed, ", "))
	}
}

// source waits until the GitRepository has the revision.
func source(t *testing.T, c *lab.Cluster, revision string) {
	t.Helper()
	if err := c.Nudge(t.Context(), lab.GitRepositories(), lab.FluxNamespace, lab.FluxNamespace); err != nil {
		t.Fatal(err)
	}
	eventually(t, c, "the source at "+revision, func() bool {
		g, err := c.Get(t.Context(), lab.GitRepositories(), lab.FluxNamespace, lab.FluxNamespace)
		if err != nil {
			return false
		}
		at, _, _ := unstructured.NestedString(g.Object, "status", "artifact", "revision")
		return at == revision
	})
}
