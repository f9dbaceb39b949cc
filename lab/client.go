package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	yaml "go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// client is what the lab itself uses to talk to its API server.
type client struct {
	config  *rest.Config
	dynamic *dynamic.DynamicClient
	disco   *discovery.DiscoveryClient

	mu    sync.Mutex
	kinds map[schema.GroupVersionKind]mapping
}

// mapping is what has to be known of a kind to address its objects.
type mapping struct {
	gvr        schema.GroupVersionResource
	namespaced bool
}

func newClient(cfg *rest.Config) (*client, error) {
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return &client{config: cfg, dynamic: dyn, disco: disco, kinds: map[schema.GroupVersionKind]mapping{}}, nil
}

func (k *client) http() (*http.Client, error) {
	hc, err := rest.HTTPClientFor(k.config)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	hc.Timeout = 5 * time.Second
	return hc, nil
}

// resource finds the client for an object's kind and namespace.
func (k *client) resource(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	m, err := k.mapping(gvk)
	if err != nil {
		return nil, err
	}
	if !m.namespaced {
		return k.dynamic.Resource(m.gvr), nil
	}
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return k.dynamic.Resource(m.gvr).Namespace(namespace), nil
}

func (k *client) mapping(gvk schema.GroupVersionKind) (mapping, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m, ok := k.kinds[gvk]; ok {
		return m, nil
	}
	list, err := k.disco.ServerResourcesForGroupVersion(gvk.GroupVersion().String())
	if err != nil && !apierrors.IsNotFound(err) {
		return mapping{}, fmt.Errorf("kinds of %s: %w", gvk.GroupVersion(), err)
	}
	if list != nil {
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") {
				continue
			}
			gv := gvk.GroupVersion()
			k.kinds[gv.WithKind(r.Kind)] = mapping{gvr: gv.WithResource(r.Name), namespaced: r.Namespaced}
		}
	}
	m, ok := k.kinds[gvk]
	if !ok {
		return mapping{}, &noKindError{gvk}
	}
	return m, nil
}

// noKindError says that the API server does not serve a kind (yet).
type noKindError struct{ gvk schema.GroupVersionKind }

// Error names the kind.
func (e *noKindError) Error() string {
	return fmt.Sprintf("the API server does not serve %s in %s", e.gvk.Kind, e.gvk.GroupVersion())
}

// apply server-side applies one object. A kind whose CRD is a moment old is
// waited for.
func (k *client) apply(ctx context.Context, obj *unstructured.Unstructured, manager string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var last error
	err := every(ctx, 50*time.Millisecond, func() (bool, error) {
		last = k.applyOnce(ctx, obj, manager)
		var missing *noKindError
		if errors.As(last, &missing) || apierrors.IsNotFound(last) || apierrors.IsServiceUnavailable(last) {
			return false, nil
		}
		return true, last
	})
	if err != nil {
		return fmt.Errorf("apply %s %s/%s: %w", obj.GetKind(), obj.GetNamespace(), obj.GetName(), errors.Join(last, ctx.Err()))
	}
	return nil
}

func (k *client) applyOnce(ctx context.Context, obj *unstructured.Unstructured, manager string) error {
	r, err := k.resource(obj.GroupVersionKind(), obj.GetNamespace())
	if err != nil {
		return err
	}
	_, err = r.Apply(ctx, obj.GetName(), obj, metav1.ApplyOptions{FieldManager: manager, Force: true})
	return err
}

// decode splits a stream of YAML documents into objects. Lists are opened up.
func decode(manifest []byte) ([]*unstructured.Unstructured, error) {
	dec := yaml.NewDecoder(bytes.NewReader(manifest))
	var objs []*unstructured.Unstructured
	for n := 1; ; n++ {
		var doc map[string]any
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return objs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d of the manifest: %w", n, err)
		}
		if len(doc) == 0 {
			continue
		}
		obj, err := toObject(doc)
		if err != nil {
			return nil, fmt.Errorf("document %d of the manifest: %w", n, err)
		}
		if !obj.IsList() {
			objs = append(objs, obj)
			continue
		}
		err = obj.EachListItem(func(item runtimeObject) error {
			objs = append(objs, item.(*unstructured.Unstructured))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("document %d of the manifest: %w", n, err)
		}
	}
}
