package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/standup-sh/standup/lab"
)

// crd defines a kind of the group stale.example.org in one version.
func crd(kind, version string) string {
	plural := strings.ToLower(kind) + "s"
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.stale.example.org}
spec:
  group: stale.example.org
  scope: Cluster
  names: {kind: %s, plural: %s}
  versions:
    - name: %s
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`, plural, kind, plural, version)
}

// The poller of kustomize-controller looks kinds up without a version, among
// those versions of a group that it has seen: a version that a group gets later
// stays invisible to it until it is restarted (kustomize-controller#1680).
func TestAControllerWhoseMemoryIsOutOfDateIsNudgedAndThenRestarted(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	if err := c.Apply(t.Context(), []byte(crd("Alpha", "v1")), "operator"); err != nil {
		t.Fatal(err)
	}
	first := unit{name: "first", extra: "apiVersion: stale.example.org/v1\nkind: Alpha\nmetadata: {name: a}"}
	warm(t, c, tree(first))
	eventually(t, c, "first to be Ready", func() bool { status, _ := readyMessage(t, c, "first"); return status == "True" })
	if err := c.Apply(t.Context(), []byte(crd("Beta", "v2")), "operator"); err != nil {
		t.Fatal(err)
	}
	second := unit{name: "second", spec: "  timeout: 31s\n  retryInterval: 1h\n", extra: "apiVersion: stale.example.org/v2\nkind: Beta\nmetadata: {name: b}"}
	// Without the first, so that the new process learns of the group from the
	// second alone: two passes that do so at once may forget half of it again.
	source(t, c, push(t, c, files(tree(second))))
	staysWedgedFor(t, c, 1, "second", `no matches for kind "Beta"`)

	told := standup(t, c.Kubeconfig(), "crds", "--patience", "3s", "--timeout", "3m")
	told.exits(t, 3)
	told.says(t, "Beta.stale.example.org", "out of date", "--restart-controllers")

	// While its health checks run, what they end on is not known. A pass that is
	// under way already is enough: two in a row leave no moment to look between.
	status, _ := readyMessage(t, c, "second")
	if asked := kustomization(t, c, "second").GetAnnotations()["reconcile.fluxcd.io/requestedAt"]; status != "Unknown" && asked == handled(t, c, "second") {
		if err := c.Nudge(t.Context(), lab.Kustomizations(), lab.FluxNamespace, "second"); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, c, "second to be reconciled", func() bool { status, _ := readyMessage(t, c, "second"); return status == "Unknown" })
	early := standup(t, c.Kubeconfig(), "crds")
	early.exits(t, 0)
	early.says(t, "second is being reconciled")
	eventually(t, c, "second to fail again", func() bool { status, _ := readyMessage(t, c, "second"); return status == "False" })

	r := standup(t, c.Kubeconfig(), "crds", "--restart-controllers", "-o", "jsonl", "--timeout", "3m")
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(r.stdout)
		}
	})

	r.exits(t, 0)
	if n := strings.Count(r.stdout, `"action":"restarted"`); n != 1 {
		t.Errorf("restarted %d times, want once", n)
	}
	if strings.Contains(r.stdout, `"action":"pre-applied"`) {
		t.Error("something was applied")
	}
	eventually(t, c, "second to be Ready", func() bool { status, _ := readyMessage(t, c, "second"); return status == "True" })
}
