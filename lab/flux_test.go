package lab

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestRealControllers tries what needs Flux, on one cluster.
func TestRealControllers(t *testing.T) { //nolint:tparallel // one cluster: each part begins where the last one ended
	t.Parallel()
	ctx, c := start(t, Options{})
	t.Run("the controllers' Deployments are available", func(t *testing.T) {
		for _, name := range []string{KustomizeController, SourceController} {
			eventually(ctx, t, c, resource("apps", "v1", "deployments"), FluxNamespace, name, is("Available", "True"))
		}
	})
	t.Run("chart repositories of the world become Ready", testInternet(ctx, c))
	t.Run("a suspended start reconciles no child", testSuspended(ctx, c))
	t.Run("un-suspending converges, and then nothing changes", testResume(ctx, c))
	t.Run("a repository that wants a password fails", testAuth(ctx, c))
	t.Run("a changed Deployment restarts its controller", testRestart(ctx, c))
}

func testInternet(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		apply(ctx, t, c, `apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: charts, namespace: default}
spec: {interval: 1h, url: "https://charts.example.org/stable"}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: chart, namespace: default}
spec: {interval: 1h, url: "oci://registry.example.org/charts/podinfo", ref: {tag: 6.7.0}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: helm, namespace: default}
spec:
  interval: 1h
  url: oci://registry.example.org/charts/podinfo
  ref: {semver: ">=1.0.0"}
  layerSelector: {mediaType: application/vnd.cncf.helm.chart.content.v1.tar+gzip, operation: copy}
`)
		eventually(ctx, t, c, resource("source.toolkit.fluxcd.io", "v1", "helmrepositories"), "default", "charts", is("Ready", "True"))
		for _, name := range []string{"chart", "helm"} {
			eventually(ctx, t, c, resource("source.toolkit.fluxcd.io", "v1", "ocirepositories"), "default", name, is("Ready", "True"))
		}
	}
}

func testSuspended(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		if _, err := c.Push(ctx, "fleet", chain(3)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := c.Bootstrap(ctx, BootstrapOptions{Path: "./clusters/prod", Suspended: true}); err != nil {
			t.Fatal(err)
		}
		t.Logf("cold and suspended after %s", time.Since(began).Round(10*time.Millisecond))
		list, err := c.Dynamic().Resource(Kustomizations()).List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Items) != 4 {
			t.Errorf("got %d Kustomizations, want the root and 3", len(list.Items))
		}
		for _, obj := range list.Items {
			if on, _, _ := unstructured.NestedBool(obj.Object, "spec", "suspend"); !on {
				t.Errorf("%s is not suspended", obj.GetName())
			}
			attempted, _, _ := unstructured.NestedString(obj.Object, "status", "lastAttemptedRevision")
			if root := obj.GetName() == FluxNamespace; root != (attempted != "") {
				t.Errorf("%s: lastAttemptedRevision is %q", obj.GetName(), attempted)
			}
		}
	}
}

func testResume(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		began := time.Now()
		for _, name := range []string{FluxNamespace, "t01", "t02", "t03"} {
			if err := c.Suspend(ctx, Kustomizations(), FluxNamespace, name, false, "standup"); err != nil {
				t.Fatal(err)
			}
			waitReady(within(ctx, t, time.Minute), t, c, name, "")
		}
		t.Logf("four tiers, one after the other, in %s", time.Since(began).Round(10*time.Millisecond))
		before, err := c.ResourceVersions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(before) < 5 {
			t.Errorf("got %d Flux objects, want at least 5", len(before))
		}
		if !pause(ctx, time.Second) {
			t.Fatal(ctx.Err())
		}
		after, err := c.ResourceVersions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if changed := Changed(before, after); len(changed) > 0 {
			t.Errorf("changed with nobody doing anything: %v", changed)
		}
	}
}

func testAuth(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		c.RequireAuth("fleet", true)
		defer c.RequireAuth("fleet", false)
		apply(ctx, t, c, `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: private, namespace: default}
spec: {interval: 1h, url: %q, ref: {branch: main}}
`, c.RepoURL("fleet"))
		obj := eventually(ctx, t, c, GitRepositories(), "default", "private", is("Ready", "False"))
		if _, _, message := Condition(obj, "Ready"); !strings.Contains(message, "auth") {
			t.Errorf("got %q, want a word about authentication", message)
		}
	}
}

func testRestart(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		before := c.pids(t)[KustomizeController]
		patch := map[string]any{"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{
			"annotations": map[string]any{"kubectl.kubernetes.io/restartedAt": "now"},
		}}}}
		gvr := resource("apps", "v1", "deployments")
		if err := c.Patch(ctx, gvr, FluxNamespace, KustomizeController, patch, "test"); err != nil {
			t.Fatal(err)
		}
		err := c.WaitFor(within(ctx, t, 30*time.Second), func() (bool, error) {
			now := c.pids(t)[KustomizeController]
			return now != before && alive(now), nil
		})
		if err != nil {
			t.Error(err)
		}
		if _, err := c.Get(ctx, configMaps(), "default", "t03"); apierrors.IsNotFound(err) {
			t.Error("the restart lost what was applied")
		}
	}
}

// TestTheIncident shows on real controllers that the set of the incident never
// converges by itself: a CDI object and a StorageProfile in one Kustomization.
func TestTheIncident(t *testing.T) {
	t.Parallel()
	ctx, c := start(t, Options{})
	files := map[string]string{
		"apps/crd.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cdis.cdi.kubevirt.io}
spec:
  group: cdi.kubevirt.io
  scope: Cluster
  names: {kind: CDI, plural: cdis, singular: cdi, listKind: CDIList}
  versions:
    - name: v1beta1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`,
		"apps/operator.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: cdi}\n---\n" +
			strings.ReplaceAll(fmt.Sprintf(workload, "Deployment", "cdi-operator", ""), "default", "cdi"),
		"apps/cdi.yaml": "apiVersion: cdi.kubevirt.io/v1beta1\nkind: CDI\nmetadata: {name: cdi}\nspec: {}\n",
		"apps/profile.yaml": `apiVersion: cdi.kubevirt.io/v1beta1
kind: StorageProfile
metadata: {name: longhorn-vm}
spec: {cloneStrategy: csi-clone}
`,
	}
	if _, err := c.Push(ctx, "fleet", tree(files)); err != nil {
		t.Fatal(err)
	}
	if err := c.Bootstrap(ctx, BootstrapOptions{Path: "./apps", RetryInterval: "3s"}); err != nil {
		t.Fatal(err)
	}
	obj := eventually(ctx, t, c, Kustomizations(), FluxNamespace, FluxNamespace, func(obj *unstructured.Unstructured) bool {
		status, reason, _ := Condition(obj, "Ready")
		return status == "False" && reason != "ArtifactFailed" // git is still being read
	})
	_, reason, message := Condition(obj, "Ready")
	t.Logf("%s: %s", reason, message)
	if !strings.Contains(message, `StorageProfile`) {
		t.Errorf("got %q, want a word about StorageProfile", message)
	}
	if _, err := c.Get(ctx, resource("cdi.kubevirt.io", "v1beta1", "cdis"), "", "cdi"); !apierrors.IsNotFound(err) {
		t.Errorf("the CDI object was applied, although its set fails: %v", err)
	}
	// The workaround: the one object, applied early.
	apply(ctx, t, c, "%s", files["apps/cdi.yaml"])
	apply(ctx, t, c, "%s", "apiVersion: v1\nkind: Namespace\nmetadata: {name: cdi}\n")
	apply(ctx, t, c, "%s", files["apps/operator.yaml"])
	waitReady(within(ctx, t, time.Minute), t, c, FluxNamespace, "")
}
