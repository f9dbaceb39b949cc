// Package standin has small controllers that stand in for what a lab cluster
// has not: machines, images, Helm, and operators that bring kinds at run time.
// The catalogue of the product says which provider brings what.
//
// A stand-in is deliberately simple: it looks at an object, waits for a set
// delay, and writes the status that the real thing would have written.
//
//	workloads   Deployment, StatefulSet, DaemonSet, Job: available after a delay
//	storage     PersistentVolumeClaim: Bound; Service of type LoadBalancer: an address
//	helm        HelmRelease: the chart's kinds and operator, then Ready
//	providers   the providers of the catalogue (CDI, KubeVirt): their kinds, then their conditions
//	profiles    CDI's StorageProfiles: inferred, later folded
//	conditions  kinds for which the catalogue names conditions, such as Certificate
//	internet    chart repositories and registries, for source-controller
//
// Annotations on an object change how it is treated:
//
//	lab.standup.example.org/delay: 5s      instead of the default; "never" for never
//	lab.standup.example.org/fault: stalled a HelmRelease that gives up, a Deployment past its deadline, a failed Job
package standin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/standup-sh/standup/internal/catalog"
)

// The annotations that change how a single object is treated.
const (
	DelayAnnotation = "lab.standup.example.org/delay"
	FaultAnnotation = "lab.standup.example.org/fault"
)

// manager is the field manager of everything that a stand-in writes.
const manager = "lab-standin"

// Never is a delay that does not end.
const Never = time.Duration(-1)

// Options set the delays. A zero delay means the default.
type Options struct {
	// WorkloadDelay is how long a workload takes to become available (200ms).
	WorkloadDelay time.Duration
	// HelmDelay is how long a chart takes to install (300ms).
	HelmDelay time.Duration
	// ProviderDelay is how long an operator takes to bring its kinds (500ms).
	ProviderDelay time.Duration
	// FoldDelay is how long CDI takes to fold a StorageProfile's spec into its
	// status (500ms).
	FoldDelay time.Duration
	// ConditionDelay is how long an operator takes to make a custom resource
	// Ready (200ms).
	ConditionDelay time.Duration
	// AssumeOperators lets providers work without their operator's workload.
	AssumeOperators bool
	// Catalog is what to know about providers; nil means the built-in one.
	Catalog *catalog.Catalog
}

func (o Options) withDefaults() (Options, error) {
	set := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	set(&o.WorkloadDelay, 200*time.Millisecond)
	set(&o.HelmDelay, 300*time.Millisecond)
	set(&o.ProviderDelay, 500*time.Millisecond)
	set(&o.FoldDelay, 500*time.Millisecond)
	set(&o.ConditionDelay, 200*time.Millisecond)
	if o.Catalog == nil {
		cat, err := catalog.Load()
		if err != nil {
			return o, err
		}
		o.Catalog = cat
	}
	return o, nil
}

// Runner runs the stand-ins of one cluster.
type Runner struct {
	opts   Options
	client dynamic.Interface
	logf   func(string, ...any)
	done   sync.WaitGroup

	mu          sync.Mutex
	faults      map[string]Fault
	controllers []*controller
}

// Start runs all stand-ins until ctx ends.
func Start(ctx context.Context, client dynamic.Interface, opts Options, logf func(string, ...any)) (*Runner, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("stand-ins: %w", err)
	}
	r := &Runner{opts: opts, client: client, logf: logf, faults: map[string]Fault{}}
	for _, c := range r.fixed() {
		r.run(ctx, c)
	}
	r.run(ctx, r.kindWatcher(ctx))
	return r, nil
}

// fixed are the stand-ins for kinds that exist from the start.
func (r *Runner) fixed() []*controller {
	apps := func(resource string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: resource}
	}
	core := func(resource string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Version: "v1", Resource: resource}
	}
	return []*controller{
		r.controller(apps("deployments"), r.opts.WorkloadDelay, r.deployment),
		r.controller(apps("statefulsets"), r.opts.WorkloadDelay, r.statefulSet),
		r.controller(apps("daemonsets"), r.opts.WorkloadDelay, r.daemonSet),
		r.controller(schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, r.opts.WorkloadDelay, r.job),
		r.controller(core("persistentvolumeclaims"), r.opts.WorkloadDelay, r.claim),
		r.controller(core("services"), r.opts.WorkloadDelay, r.service),
		r.controller(core("namespaces"), 0, r.namespace),
	}
}

// Wait returns when all stand-ins have ended.
func (r *Runner) Wait() { r.done.Wait() }

func (r *Runner) run(ctx context.Context, c *controller) {
	r.mu.Lock()
	r.controllers = append(r.controllers, c)
	r.mu.Unlock()
	r.done.Go(func() { c.run(ctx) })
}

func crds() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
}

// create makes an object; that it exists already is no error.
func (r *Runner) create(ctx context.Context, gvr schema.GroupVersionResource, obj *unstructured.Unstructured) error {
	_, err := r.in(gvr, obj.GetNamespace()).Create(ctx, obj, metav1.CreateOptions{FieldManager: manager})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// get reads an object; nil means that there is none, or no such kind.
func (r *Runner) get(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string) (*unstructured.Unstructured, error) {
	obj, err := r.in(gvr, namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return obj, err
}

func (r *Runner) in(gvr schema.GroupVersionResource, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return r.client.Resource(gvr)
	}
	return r.client.Resource(gvr).Namespace(namespace)
}

// setStatus replaces the status where it differs. A conflict only means that
// the object has moved on, which brings another event.
func (r *Runner) setStatus(ctx context.Context, gvr schema.GroupVersionResource, obj *unstructured.Unstructured, status map[string]any) error {
	next := obj.DeepCopy()
	next.Object["status"] = status
	if equalStatus(obj, next) {
		return nil
	}
	_, err := r.in(gvr, obj.GetNamespace()).UpdateStatus(ctx, next, metav1.UpdateOptions{FieldManager: manager})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// describe names an object in logs and faults: Kind/namespace/name.
func describe(obj *unstructured.Unstructured) string {
	parts := []string{obj.GetKind(), obj.GetNamespace(), obj.GetName()}
	if obj.GetNamespace() == "" {
		parts = []string{obj.GetKind(), obj.GetName()}
	}
	return strings.Join(parts, "/")
}

// ended says whether an error only means that the cluster is going down.
func ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}
