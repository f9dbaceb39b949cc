package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/lab"
)

// track is what was seen of one Kustomization.
type track struct {
	// ready is when it was first Ready at the wanted revision and not suspended.
	ready time.Time
	// reconciling are the moments at which it was seen to be reconciled.
	reconciling []time.Time
	// took is the controller's own duration of the reconciliation that made it
	// Ready, before lists what it depends on.
	took   time.Duration
	before []string
}

// observer follows the Kustomizations by a watch of its own, beside the fault
// proxy: so all contenders are measured by the same clock, which sees more than
// the full seconds of a condition.
type observer struct {
	revision string
	done     chan struct{} // closed when all are Ready
	failed   chan error

	mu      sync.Mutex
	tracks  map[string]*track
	missing map[string]bool
}

// observe begins to follow the named Kustomizations until ctx ends.
func observe(ctx context.Context, c *lab.Cluster, revision string, names []string) (*observer, error) {
	r := c.Dynamic().Resource(lab.Kustomizations()).Namespace(lab.FluxNamespace)
	list, err := r.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("observe: %w", err)
	}
	w, err := r.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return nil, fmt.Errorf("observe: %w", err)
	}
	o := newObserver(revision, names)
	for i := range list.Items {
		if err := o.see(&list.Items[i], time.Now()); err != nil {
			w.Stop()
			return nil, err
		}
	}
	go func() {
		defer w.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case e, open := <-w.ResultChan():
				obj, ok := e.Object.(*unstructured.Unstructured)
				err := errors.New("the benchmark's watch ended")
				if open && ok {
					err = o.see(obj, time.Now())
				}
				if err != nil {
					o.failed <- err
					return
				}
			}
		}
	}()
	return o, nil
}

func newObserver(revision string, names []string) *observer {
	o := &observer{
		revision: revision, done: make(chan struct{}), failed: make(chan error, 1),
		tracks: map[string]*track{}, missing: map[string]bool{},
	}
	for _, n := range names {
		o.tracks[n], o.missing[n] = &track{}, true
	}
	return o
}

// see takes one version of an object in.
func (o *observer) see(k *unstructured.Unstructured, at time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	t, ok := o.tracks[k.GetName()]
	if !ok {
		return nil
	}
	t.before = dependsOn(k)
	suspended, _, _ := unstructured.NestedBool(k.Object, "spec", "suspend")
	observed, _, _ := unstructured.NestedInt64(k.Object, "status", "observedGeneration")
	applied, _, _ := unstructured.NestedString(k.Object, "status", "lastAppliedRevision")
	ready, reason, _ := lab.Condition(k, "Ready")
	// A Kustomization whose dependencies are not Ready has Reconciling=True as
	// well; Ready says Progressing only after that gate.
	if ready == "Unknown" && reason == "Progressing" {
		t.reconciling = append(t.reconciling, at)
	}
	if ready != "True" || suspended || observed != k.GetGeneration() || applied != o.revision || !o.missing[k.GetName()] {
		return nil
	}
	took, err := ownDuration(k, o.revision)
	if err != nil {
		return err
	}
	t.ready, t.took = at, took
	delete(o.missing, k.GetName())
	if len(o.missing) == 0 {
		close(o.done)
	}
	return nil
}

// wait returns when all are Ready, or with the error of ctx.
func (o *observer) wait(ctx context.Context) error {
	select {
	case <-o.done:
		return nil
	case err := <-o.failed:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// result is a copy of what has been seen.
func (o *observer) result() map[string]track {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := map[string]track{}
	for name, t := range o.tracks {
		c := *t
		c.reconciling = slices.Clone(t.reconciling)
		out[name] = c
	}
	return out
}

// readyCount is how many have become Ready.
func readyCount(tracks map[string]track) int {
	n := 0
	for _, t := range tracks {
		if !t.ready.IsZero() {
			n++
		}
	}
	return n
}

// lastReady is when the last one became Ready.
func lastReady(tracks map[string]track) time.Time {
	var last time.Time
	for _, t := range tracks {
		if t.ready.After(last) {
			last = t.ready
		}
	}
	return last
}
