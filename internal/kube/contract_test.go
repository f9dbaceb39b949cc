package kube

import (
	"errors"
	"os"
	"slices"
	"testing"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/tiers"
)

// contractCluster is a cluster that the contract runs against. The namespace
// contract exists in it, and Flux's definitions are served.
type contractCluster struct {
	t      *testing.T // of the part that runs
	client *Client
	// realServer is one that keeps managed fields and defaults by itself.
	realServer bool
}

const contractNamespace = "contract"

var (
	kustomizationGVK = schema.GroupVersionKind{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Kind: "Kustomization"}
	gitGVK           = schema.GroupVersionKind{Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "GitRepository"}
	releaseGVK       = schema.GroupVersionKind{Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmRelease"}
	configMapGVK     = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	namespaceGVK     = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
)

func TestContractOnFakeServer(t *testing.T) {
	RunContract(t, func(t *testing.T) contractCluster {
		t.Helper()
		s := kubetest.New(t)
		s.Put(t, object("v1", "Namespace", "", contractNamespace, nil))
		for _, name := range []string{"kustomizations.kustomize.toolkit.fluxcd.io", "gitrepositories.source.toolkit.fluxcd.io", "helmreleases.helm.toolkit.fluxcd.io"} {
			s.Put(t, object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", name, map[string]any{
				"versions": []any{map[string]any{"name": "v1", "subresources": map[string]any{"status": map[string]any{}}}},
			}))
		}
		return contractCluster{t: t, client: connect(t, s)}
	})
}

// TestContractOnRealServer runs where a kubeconfig is given, of a cluster that
// may be written to, such as the lab's.
func TestContractOnRealServer(t *testing.T) {
	path := os.Getenv("STANDUP_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("STANDUP_TEST_KUBECONFIG is not set")
	}
	RunContract(t, func(t *testing.T) contractCluster {
		t.Helper()
		c, err := Connect(Options{Kubeconfig: path, Namespace: contractNamespace, Debugf: t.Logf, Warnf: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		freshNamespace(t, c)
		return contractCluster{t: t, client: c, realServer: true}
	})
}

// RunContract holds a Client and its View to what bootstrap expects of them,
// on whatever cluster the factory makes, anew for each part.
func RunContract(t *testing.T, factory func(*testing.T) contractCluster) {
	t.Helper()
	parts := []struct {
		name string
		run  func(contractCluster)
	}{
		{"the view holds what exists, sorted", contractView},
		{"the view follows changes and names them", contractChanges},
		{"a suspend is lifted and a nudge is set", contractWrites},
		{"a release is reset in one change", contractReset},
		{"suspensions tell who put them there", contractSuspension},
		{"get finds objects, and says NotFound for kinds as for objects", contractGet},
		{"served asks the server", contractServed},
		{"has status reads the definition", contractHasStatus},
		{"one run holds the lock", contractLock},
		{"everything is allowed", contractCan},
		{"controllers are found by label, else by name", contractControllers},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { part.run(factory(t)) })
	}
}

func contractView(c contractCluster) {
	t := c.t
	c.create(t, kustomization("zebra", true), kustomization("apps", false), gitRepository("flux-system"))
	v := c.watch(t)
	var names []string
	for _, k := range v.Kustomizations() {
		if k.Namespace == contractNamespace {
			names = append(names, k.Name)
		}
		if len(k.ManagedFields) > 0 {
			t.Errorf("%s keeps its managed fields", k.Name)
		}
	}
	if diff := cmp.Diff([]string{"apps", "zebra"}, names); diff != "" {
		t.Error(diff)
	}
	zebra := ref("zebra")
	if k := v.Kustomization(zebra); k == nil || k.Spec.Path != "./zebra" || !k.Spec.Suspend {
		t.Errorf("zebra is %+v", k)
	}
	if v.Suspension(zebra) != tiers.SuspendedLive || v.Suspension(ref("apps")) != tiers.NotSuspended {
		t.Error("zebra is suspended live, and apps is not")
	}
	if v.Kustomization(ref("nobody")) != nil {
		t.Error("nobody does not exist")
	}
	git := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: contractNamespace, Name: "flux-system"}
	if s, ok := v.Source(git); !ok || s.Kind != tiers.KindGitRepository || s.URL != "https://example.test/fleet" {
		t.Errorf("the source is %+v, %t", s, ok)
	}
	if !slices.ContainsFunc(v.Sources(), func(s sourceOf) bool { return s.Namespace == contractNamespace }) {
		t.Error("the source is not listed")
	}
	if !slices.Contains(v.TakeChanged(), zebra) {
		t.Error("everything has changed at first")
	}
	if got := v.TakeChanged(); len(got) != 0 {
		t.Errorf("taken twice: %v", got)
	}
}

func contractChanges(c contractCluster) {
	t := c.t
	c.create(t, kustomization("apps", false))
	v := c.watch(t)
	v.TakeChanged()

	c.create(t, kustomization("late", false))
	awaitChange(t, v, ref("late"))
	if v.Kustomization(ref("late")) == nil {
		t.Error("late is not there")
	}
	if err := c.client.Nudge(t.Context(), ref("apps"), "one"); err != nil {
		t.Fatal(err)
	}
	awaitChange(t, v, ref("apps"))
	if got := v.Kustomization(ref("apps")).Annotations[meta.ReconcileRequestAnnotation]; got != "one" {
		t.Errorf("the nudge is seen as %q", got)
	}
	c.delete(t, kustomizationGVK, "late")
	awaitChange(t, v, ref("late"))
	if v.Kustomization(ref("late")) != nil {
		t.Error("late is still there")
	}
}

func contractWrites(c contractCluster) {
	t := c.t
	c.create(t, kustomization("apps", true), gitRepository("fleet"))
	git := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: contractNamespace, Name: "fleet"}
	for _, err := range []error{
		c.client.Resume(t.Context(), ref("apps")),
		c.client.Resume(t.Context(), ref("apps")), // again: nothing to do
		c.client.Nudge(t.Context(), ref("apps"), "t-1"),
		c.client.Nudge(t.Context(), git, "t-2"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	apps := c.get(t, kustomizationGVK, "apps")
	if _, found, _ := unstructured.NestedBool(apps.Object, "spec", "suspend"); found {
		t.Error("apps still says something about suspend")
	}
	if got := apps.GetAnnotations()[meta.ReconcileRequestAnnotation]; got != "t-1" {
		t.Errorf("apps is nudged with %q", got)
	}
	if got := c.get(t, gitGVK, "fleet").GetAnnotations()[meta.ReconcileRequestAnnotation]; got != "t-2" {
		t.Errorf("fleet is nudged with %q", got)
	}
	if err := c.client.Resume(t.Context(), ref("nobody")); !apierrors.IsNotFound(err) {
		t.Errorf("resuming nobody: %v", err)
	}
	if !c.realServer {
		return
	}
	for _, entry := range apps.GetManagedFields() {
		if entry.Manager == FieldManager && entry.Operation != metav1.ManagedFieldsOperationUpdate {
			t.Errorf("standup has become an applier: %+v", entry)
		}
	}
}

func contractReset(c contractCluster) {
	t := c.t
	c.create(t, object("helm.toolkit.fluxcd.io/v2", "HelmRelease", contractNamespace, "web", map[string]any{
		"interval": "1h", "chartRef": map[string]any{"kind": "HelmChart", "name": "web"},
	}))
	web := tiers.Ref{Kind: "HelmRelease", Namespace: contractNamespace, Name: "web"}
	if err := c.client.Reset(t.Context(), web, "t-1"); err != nil {
		t.Fatal(err)
	}
	notes := c.get(t, releaseGVK, "web").GetAnnotations()
	// helm-controller acts only where both are the same.
	if notes[meta.ReconcileRequestAnnotation] != "t-1" || notes[helmv2.ResetRequestAnnotation] != "t-1" {
		t.Errorf("annotated with %v", notes)
	}
	web.Name = "nobody"
	if err := c.client.Reset(t.Context(), web, "t-1"); !apierrors.IsNotFound(err) {
		t.Errorf("resetting nobody: %v", err)
	}
}

func contractSuspension(c contractCluster) {
	t := c.t
	if !c.realServer {
		t.Skip("only a real server keeps managed fields")
	}
	c.create(t, kustomization("by-flux", false), kustomization("by-kubectl", false))
	c.merge(t, "by-flux", "flux")
	c.merge(t, "by-kubectl", "kubectl-patch")
	c.apply(t, "in-git", "kustomize-controller", true)
	c.apply(t, "taken-over", "kustomize-controller", false)
	c.merge(t, "taken-over", "flux")
	v := c.watch(t)
	type who struct {
		Kind tiers.Suspension
		By   string
	}
	got := make(map[string]who)
	for _, name := range []string{"by-flux", "by-kubectl", "in-git", "taken-over"} {
		got[name] = who{v.Suspension(ref(name)), v.SuspendedBy(ref(name))}
	}
	want := map[string]who{
		"by-flux":    {tiers.SuspendedLive, "flux"},
		"by-kubectl": {tiers.SuspendedLive, "kubectl-patch"},
		"in-git":     {tiers.SuspendedInGit, "kustomize-controller"},
		"taken-over": {tiers.SuspendedLive, "flux"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func contractGet(c contractCluster) {
	t := c.t
	c.create(t, object("v1", "ConfigMap", contractNamespace, "vars", nil))
	if got := c.get(t, configMapGVK, "vars").GetName(); got != "vars" {
		t.Errorf("found %q", got)
	}
	// The namespace of a cluster-scoped object does not matter.
	if got := c.get(t, namespaceGVK, contractNamespace).GetName(); got != contractNamespace {
		t.Errorf("found %q", got)
	}
	for _, gvk := range []schema.GroupVersionKind{
		configMapGVK, {Group: "nobody.example", Version: "v1", Kind: "Thing"}, {Group: "nobody.example", Kind: "Thing"}, {Version: "v1", Kind: "Thing"},
	} {
		if _, err := c.client.Get(t.Context(), gvk, contractNamespace, "nothing"); !apierrors.IsNotFound(err) {
			t.Errorf("%v: %v", gvk, err)
		}
	}
}

func contractServed(c contractCluster) {
	t := c.t
	for gvk, want := range map[schema.GroupVersionKind]bool{
		kustomizationGVK: true,
		{Group: kustomizationGVK.Group, Kind: "Kustomization"}:                 true,
		{Group: kustomizationGVK.Group, Version: "v9", Kind: "Kustomization"}:  false,
		{Group: kustomizationGVK.Group, Version: "v1", Kind: "Kustomizations"}: false,
		{Group: "cdi.kubevirt.io", Kind: "StorageProfile"}:                     false,
		configMapGVK:        true,
		{Kind: "ConfigMap"}: true,
	} {
		if got, err := c.client.Served(t.Context(), gvk); err != nil || got != want {
			t.Errorf("%v is served: %t, %v", gvk, got, err)
		}
	}
}

func contractHasStatus(c contractCluster) {
	t := c.t
	for gk, want := range map[schema.GroupKind]bool{
		kustomizationGVK.GroupKind():              true,
		{Kind: "ConfigMap"}:                       false,
		{Kind: "Namespace"}:                       false, // built in
		{Group: "apps", Kind: "Deployment"}:       false,
		{Group: "nobody.example", Kind: "Nobody"}: false,
	} {
		if got, err := c.client.HasStatus(t.Context(), gk); err != nil || got != want {
			t.Errorf("%v has a status: %t, %v", gk, got, err)
		}
	}
}

func contractLock(c contractCluster) {
	t := c.t
	o := LockOptions{Namespace: contractNamespace, Identity: "elsewhere/1/-/a"}
	first, err := c.client.AcquireLock(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Identity = "elsewhere/2/-/b"
	var locked *LockedError
	if _, err := c.client.AcquireLock(t.Context(), o); !errors.As(err, &locked) || locked.Holder != "elsewhere/1/-/a" {
		t.Fatalf("the second run got %v", err)
	}
	if err := first.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, err := c.client.AcquireLock(t.Context(), o)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := second.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func contractCan(c contractCluster) {
	t := c.t
	denied, err := c.client.Can(t.Context(), []bootstrap.Access{
		{Verb: "list", Group: "kustomize.toolkit.fluxcd.io", Resource: "kustomizations"},
		{Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Namespace: contractNamespace, Name: "standup"},
	})
	if err != nil || len(denied) != 0 {
		t.Errorf("denied %v, %v", denied, err)
	}
}

func contractControllers(c contractCluster) {
	t := c.t
	c.create(t, deployment("kustomize-controller", nil), deployment("web", nil))
	want := []bootstrap.Controller{{Namespace: contractNamespace, Name: "kustomize-controller", Version: "v1.9.6", Args: []string{"--requeue-dependency=5s"}, Replicas: 1}}
	for range 2 { // by its name, then by its label
		got, err := c.client.Controllers(t.Context(), contractNamespace)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		c.create(t, deployment("source-controller", map[string]any{"app.kubernetes.io/part-of": "flux"}))
		want[0].Name = "source-controller"
	}
}
