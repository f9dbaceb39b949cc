package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/standup-sh/standup/lab"
)

// standInController makes each Kustomization Ready as soon as it is not
// suspended, until ctx ends. It does not look at dependencies: what is
// un-suspended too early would be a fault of standup, which the order of its
// own events shows elsewhere.
func standInController(ctx context.Context, c *lab.Cluster) (<-chan error, error) {
	r := c.Dynamic().Resource(lab.Kustomizations()).Namespace(lab.FluxNamespace)
	list, err := r.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("stand-in controller: %w", err)
	}
	w, err := r.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return nil, fmt.Errorf("stand-in controller: %w", err)
	}
	// Enough workers that the stand-in is never what standup waits for.
	const workers = 8
	work, failed := make(chan *unstructured.Unstructured, len(list.Items)), make(chan error, workers+1)
	for range workers {
		go func() {
			for k := range work {
				err := patchStatus(ctx, c, lab.Kustomizations(), k.GetName(), appliedStatus(k))
				if err != nil && ctx.Err() == nil {
					failed <- err
					return
				}
			}
		}()
	}
	go func() {
		defer close(work)
		defer w.Stop()
		if err := handOut(ctx, w, work); err != nil && ctx.Err() == nil {
			failed <- err
		}
	}()
	return failed, nil
}

// handOut gives what is to do to the workers, until ctx or the watch ends.
func handOut(ctx context.Context, w watch.Interface, work chan<- *unstructured.Unstructured) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-w.ResultChan():
			k, ok := e.Object.(*unstructured.Unstructured)
			if !open || !ok {
				return errors.New("the watch of the stand-in controller ended")
			}
			if !toDo(k) {
				continue
			}
			select {
			case work <- k:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// requestedAt is the annotation that asks for a reconciliation.
const requestedAt = "reconcile.fluxcd.io/requestedAt"

// toDo says whether a Kustomization has something that was not handled yet.
func toDo(k *unstructured.Unstructured) bool {
	suspended, _, _ := unstructured.NestedBool(k.Object, "spec", "suspend")
	observed, _, _ := unstructured.NestedInt64(k.Object, "status", "observedGeneration")
	handled, _, _ := unstructured.NestedString(k.Object, "status", "lastHandledReconcileAt")
	return !suspended && (observed != k.GetGeneration() || handled != k.GetAnnotations()[requestedAt])
}

// appliedStatus is the status of a Kustomization that has been applied.
func appliedStatus(k *unstructured.Unstructured) map[string]any {
	status := map[string]any{
		"observedGeneration":  k.GetGeneration(),
		"lastAppliedRevision": scaleRevision, "lastAttemptedRevision": scaleRevision,
		"conditions": []any{readyCondition(k.GetGeneration(), "Applied revision: "+scaleRevision)},
		"inventory":  map[string]any{"entries": []any{}},
	}
	if token := k.GetAnnotations()[requestedAt]; token != "" {
		status["lastHandledReconcileAt"] = token
	}
	return status
}

func patchStatus(ctx context.Context, c *lab.Cluster, gvr schema.GroupVersionResource, name string, status map[string]any) error {
	raw, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return fmt.Errorf("status of %s: %w", name, err)
	}
	_, err = c.Dynamic().Resource(gvr).Namespace(lab.FluxNamespace).
		Patch(ctx, name, types.MergePatchType, raw, metav1.PatchOptions{FieldManager: lab.KustomizeController}, "status")
	if err != nil {
		return fmt.Errorf("status of %s: %w", name, err)
	}
	return nil
}
