package kube

import (
	"context"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/standup-sh/standup/tiers"
)

// freshNamespace makes the namespace and removes what an earlier run left in
// it; where no namespace controller runs, deleting it would never end.
func freshNamespace(t *testing.T, c *Client) {
	t.Helper()
	u := &unstructured.Unstructured{Object: object("v1", "Namespace", "", contractNamespace, nil)}
	_, err := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(t.Context(), u, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	for _, gvk := range []schema.GroupVersionKind{kustomizationGVK, gitGVK, configMapGVK, {Group: "apps", Version: "v1", Kind: "Deployment"}, {Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}} {
		r, err := c.mapper.find(t.Context(), gvk)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.at(r, contractNamespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// watch starts a view that ends with the test.
func (c contractCluster) watch(t *testing.T) *View {
	t.Helper()
	v, err := c.client.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (c contractCluster) create(t *testing.T, objects ...map[string]any) {
	t.Helper()
	for _, obj := range objects {
		u := &unstructured.Unstructured{Object: obj}
		r := c.find(t, u.GroupVersionKind())
		if _, err := c.client.at(r, contractNamespace).Create(t.Context(), u, metav1.CreateOptions{FieldManager: "test"}); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
}

func (c contractCluster) get(t *testing.T, gvk schema.GroupVersionKind, name string) *unstructured.Unstructured {
	t.Helper()
	u, err := c.client.Get(t.Context(), gvk, contractNamespace, name)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (c contractCluster) delete(t *testing.T, gvk schema.GroupVersionKind, name string) {
	t.Helper()
	if err := c.client.at(c.find(t, gvk), contractNamespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// merge suspends a Kustomization as a person's tool does.
func (c contractCluster) merge(t *testing.T, name, manager string) {
	t.Helper()
	_, err := c.client.at(c.find(t, kustomizationGVK), contractNamespace).Patch(t.Context(), name, types.MergePatchType,
		[]byte(`{"spec":{"suspend":true}}`), metav1.PatchOptions{FieldManager: manager})
	if err != nil {
		t.Fatal(err)
	}
}

// apply applies a Kustomization as Flux does.
func (c contractCluster) apply(t *testing.T, name, manager string, suspended bool) {
	t.Helper()
	obj := kustomization(name, suspended)
	obj["spec"].(map[string]any)["suspend"] = suspended
	_, err := c.client.at(c.find(t, kustomizationGVK), contractNamespace).Apply(t.Context(), name,
		&unstructured.Unstructured{Object: obj}, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		t.Fatal(err)
	}
}

func (c contractCluster) find(t *testing.T, gvk schema.GroupVersionKind) resource {
	t.Helper()
	r, err := c.client.mapper.find(t.Context(), gvk)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// awaitChange waits until the view names the object as changed.
func awaitChange(t *testing.T, v *View, want tiers.Ref) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		select {
		case <-v.Changed():
			if slices.Contains(v.TakeChanged(), want) {
				return
			}
		case <-ctx.Done():
			t.Fatalf("%s was never named as changed", want)
		}
	}
}
