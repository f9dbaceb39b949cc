package differential

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/standup-sh/standup/lab"
)

// history is what was seen of one Kustomization.
type history struct {
	suspended bool
	wait      bool
	dependsOn []string
	// parent is the Kustomization that applied it; empty for a root.
	parent string
	ready  bool
	// first is when it first turned Ready, as the number of the event among
	// those of the cluster; 0 is never.
	first int
	// failures are the reasons and messages, each once, in their order.
	failures []failure
	// passes counts those that failed since anything of the tree moved on.
	passes  int
	working bool
}

type failure struct{ reason, message string }

// observer watches the Kustomizations of the cluster.
type observer struct {
	cluster *lab.Cluster
	mu      sync.Mutex
	events  int
	// units are the histories by namespace/name, and moved is when something
	// new was last seen of a tree, by the prefix of its namespaces.
	units map[string]*history
	moved map[string]time.Time
}

func observe(ctx context.Context, c *lab.Cluster) *observer {
	o := &observer{cluster: c, units: map[string]*history{}, moved: map[string]time.Time{}}
	go func() {
		for ctx.Err() == nil {
			_ = o.watch(ctx) // the next round begins with a list
		}
	}()
	return o
}

func (o *observer) watch(ctx context.Context) error {
	r := o.cluster.Dynamic().Resource(lab.Kustomizations())
	list, err := r.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		o.see(&list.Items[i])
	}
	w, err := r.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		obj, ok := e.Object.(*unstructured.Unstructured)
		if !ok || e.Type == watch.Error {
			return errors.New("the watch ended")
		}
		o.see(obj)
	}
	return nil
}

// passing is what differs from pass to pass in messages that say the same: how
// long it took, and the directory of the build.
var passing = regexp.MustCompile(`[0-9.]+(ms|µs|m|s)\b|kustomization-[0-9]+`)

// see takes in one state of a Kustomization.
func (o *observer) see(obj *unstructured.Unstructured) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events++
	tree, _, _ := strings.Cut(obj.GetNamespace(), "-")
	key := obj.GetNamespace() + "/" + obj.GetName()
	h, known := o.units[key]
	if !known {
		h = &history{}
		o.units[key] = h
		o.move(tree)
	}
	h.describe(obj)
	status, reason, message := lab.Condition(obj, "Ready")
	switch status {
	case "True":
		h.working = false
		if !h.ready {
			h.ready = true
			o.move(tree)
		}
		if h.first == 0 {
			h.first = o.events
		}
	case "False":
		h.ready = false
		h.fail(o, tree, failure{reason, passing.ReplaceAllString(message, "N")})
	default:
		h.working = status == "Unknown"
	}
}

// last is the last failure; empty where there is none.
func (h *history) last() failure {
	if len(h.failures) == 0 {
		return failure{}
	}
	return h.failures[len(h.failures)-1]
}

func (h *history) fail(o *observer, tree string, f failure) {
	fresh := h.last() != f
	if !slices.Contains(h.failures, f) {
		o.move(tree)
	}
	if fresh {
		h.failures = append(h.failures, f)
	}
	if h.working || fresh {
		h.passes++
	}
	h.working = false
}

// move notes that something new has happened in a tree: what failed before may
// do better now.
func (o *observer) move(tree string) {
	o.moved[tree] = time.Now()
	for key, h := range o.units {
		if strings.HasPrefix(key, tree+"-") {
			h.passes = 0
		}
	}
}

// describe reads what does not change, but for spec.suspend: at the end the lab
// suspends all of a tree, which is not the tree's.
func (h *history) describe(obj *unstructured.Unstructured) {
	if h.dependsOn != nil {
		return
	}
	h.dependsOn = []string{}
	h.suspended, _, _ = unstructured.NestedBool(obj.Object, "spec", "suspend")
	h.wait, _, _ = unstructured.NestedBool(obj.Object, "spec", "wait")
	labels := obj.GetLabels()
	if name := labels["kustomize.toolkit.fluxcd.io/name"]; name != "" {
		h.parent = labels["kustomize.toolkit.fluxcd.io/namespace"] + "/" + name
	}
	list, _, _ := unstructured.NestedSlice(obj.Object, "spec", "dependsOn")
	for _, item := range list {
		d, _ := item.(map[string]any)
		namespace, _ := d["namespace"].(string)
		if namespace == "" {
			namespace = obj.GetNamespace()
		}
		h.dependsOn = append(h.dependsOn, fmt.Sprintf("%s/%v", namespace, d["name"]))
	}
}

// quiet is how long nothing new may happen before those that are not Ready count
// as stuck. It is longer than what a stand-in takes, and than a retryInterval.
const quiet = 4 * time.Second

// hopeless is how long nothing new may happen before the model counts as wrong
// about who becomes Ready: more than the minute that a definition is waited for.
const hopeless = 70 * time.Second

// settled reports whether a tree has come as far as it comes. wanted are those
// that have to be Ready for that.
func (o *observer) settled(s scope, wanted []string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	known, stuck, still := 0, 0, quiet
	for _, key := range wanted {
		if h := o.units[s.namespace(key)]; h == nil || !h.ready {
			stuck, still = 1, hopeless
		}
	}
	for key, h := range o.units {
		if !strings.HasPrefix(key, s.prefix+"-") {
			continue
		}
		known++
		if h.ready || h.suspended {
			continue
		}
		stuck++
		if h.passes < h.enough() || o.outdated(h) {
			return false
		}
	}
	return known > 0 && (stuck == 0 || time.Since(o.moved[s.prefix]) > still)
}

// outdated reports whether what a Kustomization says of another, or of the
// source that play has waited for, is true no more.
func (o *observer) outdated(h *history) bool {
	if m := dependency.FindStringSubmatch(h.last().message); m != nil {
		on := o.units[m[1]]
		return on != nil && (on.ready || strings.Contains(h.last().message, "not found"))
	}
	return strings.HasPrefix(h.last().message, "Source artifact not found")
}

// enough is how many failed passes show that the next one fails as well. A pass
// that ends before the build leaves no trace when it ends like the one before.
func (h *history) enough() int {
	switch last := h.last(); {
	case last.reason == "":
		return 1
	case last.reason == "DependencyNotReady", last.reason == "ArtifactFailed":
		return 0
	case strings.Contains(last.message, "timeout waiting for"):
		return 1
	}
	return 2
}

// seen are the histories of a tree, under the names that the tree has.
func (o *observer) seen(s scope) map[string]*history {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := map[string]*history{}
	for key, h := range o.units {
		if !strings.HasPrefix(key, s.prefix+"-") {
			continue
		}
		c := *h
		c.parent = s.back(h.parent)
		c.dependsOn = each(h.dependsOn, s.back)
		c.failures = each(h.failures, func(f failure) failure { return failure{f.reason, s.back(f.message)} })
		found[s.back(key)] = &c
	}
	return found
}
