package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

type runtimeObject = runtime.Object

// defaultManager is the field manager of what a test applies without saying who.
const defaultManager = "lab"

// toObject turns decoded YAML into an object. The round trip through JSON gives
// the number types that the API machinery expects.
func toObject(doc map[string]any) (*unstructured.Unstructured, error) {
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	return obj, nil
}

// Apply server-side applies the YAML documents: namespaces and CRDs first, then
// in their order. The field manager is "lab" unless one is given.
func (c *Cluster) Apply(ctx context.Context, manifest []byte, manager ...string) error {
	objs, err := decode(manifest)
	if err != nil {
		return err
	}
	return c.ApplyObjects(ctx, objs, manager...)
}

// ApplyObjects is Apply for objects.
func (c *Cluster) ApplyObjects(ctx context.Context, objs []*unstructured.Unstructured, manager ...string) error {
	name := defaultManager
	if len(manager) > 0 {
		name = manager[0]
	}
	first := func(o *unstructured.Unstructured) int {
		if o.GetKind() == "CustomResourceDefinition" || o.GetKind() == "Namespace" {
			return 0
		}
		return 1
	}
	sorted := slices.Clone(objs)
	slices.SortStableFunc(sorted, func(a, b *unstructured.Unstructured) int { return first(a) - first(b) })
	for _, obj := range sorted {
		if err := c.client.apply(ctx, obj, name); err != nil {
			return err
		}
	}
	return nil
}

// Dynamic is a client with an admin's rights.
func (c *Cluster) Dynamic() dynamic.Interface { return c.client.dynamic }

// Resource is the dynamic client for the objects of one kind in one namespace.
func (c *Cluster) Resource(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	return c.client.resource(gvk, namespace)
}

// Get reads one object.
func (c *Cluster) Get(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string) (*unstructured.Unstructured, error) {
	return c.in(gvr, namespace).Get(ctx, name, metav1.GetOptions{})
}

// Delete deletes one object in the background.
func (c *Cluster) Delete(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string) error {
	return c.in(gvr, namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

func (c *Cluster) in(gvr schema.GroupVersionResource, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return c.client.dynamic.Resource(gvr)
	}
	return c.client.dynamic.Resource(gvr).Namespace(namespace)
}

// WaitFor calls done ten times a second until it says true or fails. When ctx
// ends first, the error is that of ctx.
func (c *Cluster) WaitFor(ctx context.Context, done func() (bool, error)) error {
	return every(ctx, 100*time.Millisecond, func() (bool, error) {
		if err := c.Err(); err != nil {
			return false, err
		}
		return done()
	})
}

// Condition reads the status and message of a condition of an object; both are
// empty where there is none.
func Condition(obj *unstructured.Unstructured, kind string) (status, reason, message string) {
	conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, item := range conditions {
		cond, ok := item.(map[string]any)
		if !ok || cond["type"] != kind {
			continue
		}
		return fmt.Sprint(cond["status"]), fmt.Sprint(cond["reason"]), fmt.Sprint(cond["message"])
	}
	return "", "", ""
}
