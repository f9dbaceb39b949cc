package standin

import (
	"context"
	"errors"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/util/workqueue"
)

// retryPause is short: a lab's API server is killed on purpose, and a stand-in
// that comes back late would be measured as slowness of the product.
const retryPause = 250 * time.Millisecond

// turn is one look at one object.
type turn struct {
	gvr schema.GroupVersionResource
	obj *unstructured.Unstructured
	// due says that the delay since this generation was first seen is over.
	due   bool
	fault Fault
}

// reconcile does one turn. A positive duration asks for another look.
type reconcile func(ctx context.Context, t turn) (again time.Duration, err error)

// controller watches one kind and hands its objects to a reconcile function.
type controller struct {
	runner *Runner
	gvr    schema.GroupVersionResource
	delay  time.Duration
	do     reconcile
	queue  workqueue.TypedRateLimitingInterface[string]

	mu      sync.Mutex
	objects map[string]*unstructured.Unstructured
	seen    map[string]sight
	failed  map[string]string // the last error of an object, to log it once
}

// sight is when a generation of an object was first seen.
type sight struct {
	uid        types.UID
	generation int64
	at         time.Time
}

func (r *Runner) controller(gvr schema.GroupVersionResource, delay time.Duration, do reconcile) *controller {
	return &controller{
		runner: r, gvr: gvr, delay: delay, do: do,
		objects: map[string]*unstructured.Unstructured{}, seen: map[string]sight{}, failed: map[string]string{},
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](50*time.Millisecond, time.Second)),
	}
}

func (c *controller) run(ctx context.Context) {
	var workers sync.WaitGroup
	workers.Go(func() { c.watch(ctx) })
	for range 4 {
		workers.Go(func() { c.work(ctx) })
	}
	<-ctx.Done()
	c.queue.ShutDown()
	workers.Wait()
}

// watch lists and watches until ctx ends, whatever happens to the API server.
func (c *controller) watch(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		_ = c.watchOnce(ctx) // the next round shows whether it has passed
		timer.Reset(retryPause)
	}
}

func (c *controller) watchOnce(ctx context.Context) error {
	r := c.runner.client.Resource(c.gvr)
	list, err := r.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	c.replace(list.Items)
	w, err := r.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-w.ResultChan():
			if !open || e.Type == watch.Error {
				return errors.New("the watch ended")
			}
			if obj, ok := e.Object.(*unstructured.Unstructured); ok && e.Type != watch.Bookmark {
				c.observe(obj, e.Type == watch.Deleted)
			}
		}
	}
}

func (c *controller) replace(items []unstructured.Unstructured) {
	c.mu.Lock()
	old := c.objects
	c.objects = make(map[string]*unstructured.Unstructured, len(items))
	c.mu.Unlock()
	for i := range items {
		delete(old, key(&items[i]))
		c.observe(&items[i], false)
	}
	for _, gone := range old {
		c.observe(gone, true)
	}
}

func (c *controller) observe(obj *unstructured.Unstructured, deleted bool) {
	k := key(obj)
	c.mu.Lock()
	if deleted {
		delete(c.objects, k)
		delete(c.seen, k)
		c.mu.Unlock()
		return
	}
	c.objects[k] = obj
	s, ok := c.seen[k]
	if !ok || s.uid != obj.GetUID() || s.generation != obj.GetGeneration() {
		c.seen[k] = sight{uid: obj.GetUID(), generation: obj.GetGeneration(), at: time.Now()}
	}
	c.mu.Unlock()
	c.queue.Add(k)
}

func (c *controller) work(ctx context.Context) {
	for {
		k, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		again, err := c.turn(ctx, k)
		switch {
		case err != nil:
			c.complain(ctx, k, err)
			c.queue.AddRateLimited(k)
		case again > 0:
			c.queue.Forget(k)
			c.queue.AddAfter(k, again)
		default:
			c.queue.Forget(k)
		}
		c.queue.Done(k)
	}
}

// complain logs an error, but not the same one again and again.
func (c *controller) complain(ctx context.Context, k string, err error) {
	c.mu.Lock()
	again := c.failed[k] == err.Error()
	c.failed[k] = err.Error()
	c.mu.Unlock()
	if !again && !ended(ctx, err) {
		c.runner.logf("stand-in for %s: %s: %v", c.gvr.Resource, k, err)
	}
}

// turn looks at one object, first before its delay is over, then after.
func (c *controller) turn(ctx context.Context, k string) (time.Duration, error) {
	c.mu.Lock()
	obj, ok := c.objects[k]
	s := c.seen[k]
	c.mu.Unlock()
	if !ok {
		return 0, nil
	}
	t := turn{gvr: c.gvr, obj: obj.DeepCopy(), fault: c.runner.fault(obj)}
	delay := c.delay
	if t.fault.Delay != 0 {
		delay = t.fault.Delay
	}
	left := delay - time.Since(s.at)
	t.due = delay != Never && left <= 0
	again, err := c.do(ctx, t)
	if err == nil && !t.due && delay != Never {
		again = max(left, time.Millisecond)
	}
	return again, err
}

func (c *controller) requeueAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.objects {
		c.queue.Add(k)
	}
}

func key(obj *unstructured.Unstructured) string { return obj.GetNamespace() + "/" + obj.GetName() }
