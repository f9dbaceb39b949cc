package bootstrap_test

import (
	"context"
	"slices"
	"sync"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// objects is a Looker over what a set has brought. It notes every look.
type objects struct {
	mu       sync.Mutex
	found    map[string]func() *unstructured.Unstructured // Kind/namespace/name; nil means absent
	stateful map[string]bool                              // kinds that normally have a status
	fail     func() error                                 // looks fail with it
	served   func(schema.GroupVersionKind) bool           // nil: everything is
	looks    []string
}

// Served implements bootstrap.Looker.
func (o *objects) Served(_ context.Context, gvk schema.GroupVersionKind) (bool, error) {
	return o.served == nil || o.served(gvk), nil
}

// Get implements bootstrap.Looker.
func (o *objects) Get(_ context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := gvk.Kind + "/" + namespace + "/" + name
	o.looks = append(o.looks, key)
	if o.fail != nil {
		if err := o.fail(); err != nil {
			return nil, err
		}
	}
	if get := o.found[key]; get != nil {
		if u := get(); u != nil {
			return u, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, name)
}

// HasStatus implements bootstrap.Looker.
func (o *objects) HasStatus(_ context.Context, gk schema.GroupKind) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stateful[gk.Kind], nil
}

// looked reports how often an object was looked at.
func (o *objects) looked(key string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, l := range o.looks {
		if l == key {
			n++
		}
	}
	return n
}

// kinds lists what kinds were looked at.
func (o *objects) kinds() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var kinds []string
	for _, l := range o.looks {
		kind := l[:slices.Index([]byte(l), '/')]
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// until is an object that is what before says until a moment, then what after says.
func until(when time.Time, before, after *unstructured.Unstructured) func() *unstructured.Unstructured {
	return func() *unstructured.Unstructured {
		if time.Now().Before(when) {
			return before
		}
		return after
	}
}

func namespace(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}
}

func always(u *unstructured.Unstructured) func() *unstructured.Unstructured {
	return func() *unstructured.Unstructured { return u }
}

// deployment has one replica that is wanted, and as many that are available.
func deployment(name string, available int64, conditions ...any) *unstructured.Unstructured {
	status := "False"
	if available > 0 {
		status = "True"
	}
	conditions = append(conditions, map[string]any{"type": "Available", "status": status})
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": name, "namespace": "apps", "generation": int64(1)},
		"spec":     map[string]any{"replicas": int64(1)},
		"status": map[string]any{
			"observedGeneration": int64(1), "replicas": int64(1), "updatedReplicas": int64(1),
			"readyReplicas": available, "availableReplicas": available, "conditions": conditions,
		},
	}}
}

// exceeded is the condition of a Deployment whose rollout was given up.
func exceeded() any {
	return map[string]any{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "web has timed out progressing"}
}

// widget is a custom resource that was just made, with a status or without one yet.
func widget(status map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.org/v1", "kind": "Widget",
		"metadata": map[string]any{
			"name": "w", "namespace": "apps", "generation": int64(1),
			"creationTimestamp": time.Now().UTC().Format(time.RFC3339),
		},
	}}
	if status != nil {
		u.Object["status"] = status
	}
	return u
}

// applies gives k an inventory, and no health checks of its own.
func applies(k *kustomizev1.Kustomization, ids ...string) *kustomizev1.Kustomization {
	k.Spec.Wait = false
	k.Status.Inventory = inventoryOf(ids...)
	return k
}

func inventoryOf(ids ...string) *kustomizev1.ResourceInventory {
	inventory := &kustomizev1.ResourceInventory{}
	for _, id := range ids {
		inventory.Entries = append(inventory.Entries, kustomizev1.ResourceRef{ID: id, Version: "v1"})
	}
	return inventory
}
