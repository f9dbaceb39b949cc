package kube

import (
	"context"
	"fmt"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// feed lists and watches one kind for a reflector. It turns objects into items
// as they arrive, so that the large form of an object never outlives its turn,
// and sees every error, most of which the reflector retries in silence.
type feed struct {
	client   *Client
	kind     string
	resource resource
	part     *part
	// namespace is empty while all namespaces are read.
	namespace atomic.Pointer[string]
	// lastErr is what went wrong last, nil after something went well.
	lastErr atomic.Pointer[error]
	// fail is told of what no retry heals.
	fail func(error)
}

func (f *feed) listerWatcher() cache.ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc:  f.list,
		WatchFuncWithContext: f.watch,
	}, f.client.dynamic)
}

func (f *feed) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	var list *unstructured.UnstructuredList
	err := f.try("list", func(at dynamic.ResourceInterface) error {
		return f.client.ask(ctx, func(ctx context.Context) (err error) {
			list, err = at.List(ctx, options)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	items := &internalversion.List{ListMeta: metav1.ListMeta{
		ResourceVersion: list.GetResourceVersion(), Continue: list.GetContinue(), RemainingItemCount: list.GetRemainingItemCount(),
	}}
	for n := range list.Items {
		if i, ok := f.convert(&list.Items[n]); ok {
			items.Items = append(items.Items, i)
		}
		list.Items[n].Object = nil
	}
	return items, nil
}

func (f *feed) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	var stream watch.Interface
	err := f.try("watch", func(at dynamic.ResourceInterface) error {
		// No time limit of ours: it would end the watch with the request.
		return f.client.doubting(ctx, func(ctx context.Context) (err error) {
			stream, err = at.Watch(ctx, options)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return watch.Filter(stream, f.convertEvent), nil
}

// try sends a request. When all namespaces may not be read, and nothing was
// read yet, it falls back to the namespace that was asked for. Later it would
// mean that objects vanish from sight.
func (f *feed) try(verb string, send func(dynamic.ResourceInterface) error) error {
	err := send(f.at())
	if apierrors.IsForbidden(err) && f.where() == "" && !f.part.hasSynced() {
		narrow := f.client.namespace
		if again := send(f.client.dynamic.Resource(f.resource.GroupVersionResource).Namespace(narrow)); again == nil {
			f.namespace.Store(&narrow)
			f.client.warnf("not allowed to %s %s in all namespaces: only namespace %s is seen", verb, f.resource.GroupResource(), narrow)
			err = nil
		}
	}
	if err == nil {
		f.lastErr.Store(nil)
		return nil
	}
	err = f.client.typed(err, request{verb: verb, resource: f.resource.GroupResource().String(), namespace: f.where()})
	f.lastErr.Store(&err)
	if refused(err) && !f.mayListInstead(verb) {
		f.fail(err)
	}
	f.client.debugf("%s %s: %v", verb, f.resource.GroupResource(), err)
	return err
}

// mayListInstead is true before the first list: the reflector begins with a
// watch that streams the list, and lists when that is refused.
func (f *feed) mayListInstead(verb string) bool { return verb == "watch" && !f.part.hasSynced() }

func (f *feed) where() string {
	if namespace := f.namespace.Load(); namespace != nil {
		return *namespace
	}
	return ""
}

func (f *feed) at() dynamic.ResourceInterface {
	all := f.client.dynamic.Resource(f.resource.GroupVersionResource)
	if namespace := f.where(); namespace != "" {
		return all.Namespace(namespace)
	}
	return all
}

func (f *feed) convertEvent(in watch.Event) (watch.Event, bool) {
	u, ok := in.Object.(*unstructured.Unstructured)
	if !ok || in.Type == watch.Bookmark || in.Type == watch.Error {
		return in, true
	}
	i, ok := f.convert(u)
	return watch.Event{Type: in.Type, Object: i}, ok
}

// convert drops an object that does not fit its own kind's schema, which the
// API server would not have stored, with a warning: one such must not hide
// all the others.
func (f *feed) convert(u *unstructured.Unstructured) (*item, bool) {
	i, err := newItem(f.kind, u)
	if err != nil {
		f.client.warnf("cannot read an object: %v", err)
		return nil, false
	}
	return i, true
}

// describe says what the feed is waiting for, when it has no error to show.
func (f *feed) describe() error {
	if err := f.lastErr.Load(); err != nil {
		return *err
	}
	return &UnreachableError{Host: f.client.host, Err: fmt.Errorf("the list of %s does not end", f.resource.GroupResource())}
}
