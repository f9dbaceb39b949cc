package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/lab"
)

// preApplied is the annotation of what standup applied and Flux has not yet.
const preApplied = "standup/pre-applied"

// hurried is a cluster whose controllers look at dependencies again after 3 s
// instead of 30: what stays wedged there stays wedged everywhere.
func hurried(t *testing.T) *lab.Cluster {
	t.Helper()
	c, err := lab.Start(t.Context(), lab.Options{KustomizeController: []string{"--requeue-dependency=3s"}})
	if err != nil {
		t.Fatalf("start the lab: %v", err)
	}
	t.Cleanup(c.Stop)
	return c
}

// warm pushes a tree, leaves Flux to it, and returns its revision.
func warm(t *testing.T, c *lab.Cluster, tree string) string {
	t.Helper()
	revision := push(t, c, files(tree))
	if err := c.Bootstrap(t.Context(), lab.BootstrapOptions{Path: "cluster"}); err != nil {
		t.Fatal(err)
	}
	return revision
}

// readyMessage is what a Kustomization's Ready condition says, with its status.
func readyMessage(t *testing.T, c *lab.Cluster, name string) (status, message string) {
	t.Helper()
	k, err := c.Get(context.WithoutCancel(t.Context()), lab.Kustomizations(), lab.FluxNamespace, name)
	if err != nil {
		return "", err.Error()
	}
	conditions, _, _ := unstructured.NestedSlice(k.Object, "status", "conditions")
	for _, entry := range conditions {
		if c, _ := entry.(map[string]any); c["type"] == "Ready" {
			status, _ = c["status"].(string)
			message, _ = c["message"].(string)
		}
	}
	return status, message
}

// staysWedged shows that Flux does not help itself: three attempts in a row end
// on the same words.
func staysWedged(t *testing.T, c *lab.Cluster, name string, words ...string) {
	t.Helper()
	staysWedgedFor(t, c, 3, name, words...)
}

func staysWedgedFor(t *testing.T, c *lab.Cluster, attempts int, name string, words ...string) {
	t.Helper()
	fails := func() bool {
		status, message := readyMessage(t, c, name)
		return status == "False" && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(message, w) })
	}
	t.Cleanup(func() {
		if t.Failed() {
			status, message := readyMessage(t, c, name)
			t.Logf("%s: Ready=%s: %s", name, status, message)
		}
	})
	eventually(t, c, name+" to fail on "+strings.Join(words, ", "), fails)
	for range attempts {
		before := handled(t, c, name)
		if err := c.Nudge(t.Context(), lab.Kustomizations(), lab.FluxNamespace, name); err != nil {
			t.Fatal(err)
		}
		eventually(t, c, "an attempt of "+name, func() bool {
			status, _ := readyMessage(t, c, name)
			return handled(t, c, name) != before && status != "Unknown"
		})
		if !fails() {
			_, message := readyMessage(t, c, name)
			t.Fatalf("%s did not stay wedged: %s", name, message)
		}
	}
}

// handled is the last request that the controller answered.
func handled(t *testing.T, c *lab.Cluster, name string) string {
	t.Helper()
	k, err := c.Get(t.Context(), lab.Kustomizations(), lab.FluxNamespace, name)
	if err != nil {
		t.Fatal(err)
	}
	at, _, _ := unstructured.NestedString(k.Object, "status", "lastHandledReconcileAt")
	return at
}

// handedOver checks that Flux alone owns an object, and that nothing of ours is
// left on it.
func handedOver(t *testing.T, c *lab.Cluster, gvr schema.GroupVersionResource, namespace, name, owner string) {
	t.Helper()
	o, err := c.Get(t.Context(), gvr, namespace, name)
	if err != nil {
		t.Fatal(err)
	}
	if _, ours := o.GetAnnotations()[preApplied]; ours {
		t.Errorf("%s %s still has our annotation", o.GetKind(), name)
	}
	if got := o.GetLabels()["kustomize.toolkit.fluxcd.io/name"]; got != owner {
		t.Errorf("%s %s belongs to %q, want %q", o.GetKind(), name, got, owner)
	}
	for _, f := range o.GetManagedFields() {
		if f.Subresource == "" && f.Operation == metav1.ManagedFieldsOperationApply && f.Manager != "kustomize-controller" {
			t.Errorf("%s %s is also managed by %s", o.GetKind(), name, f.Manager)
		}
	}
}
