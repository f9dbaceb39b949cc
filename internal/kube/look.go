package kube

import (
	"context"
	"errors"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// Get implements bootstrap.Looker.
func (c *Client) Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	obj, err := c.get(ctx, gvk, namespace, name)
	if kindGone(err) {
		// The kind was served when we last asked. Its definition may have been
		// made anew, with another plural: ask once more.
		c.mapper.forget(gvk.Group)
		obj, err = c.get(ctx, gvk, namespace, name)
	}
	if err != nil {
		return nil, c.terminal(err, request{verb: "get", resource: kindName(gvk), namespace: namespace})
	}
	return obj, nil
}

func (c *Client) get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	var obj *unstructured.Unstructured
	err := c.ask(ctx, func(ctx context.Context) error {
		found, err := c.mapper.find(ctx, gvk)
		if err != nil {
			return err
		}
		obj, err = c.at(found, namespace).Get(ctx, name, metav1.GetOptions{})
		return err
	})
	return obj, err
}

// at addresses a resource; the namespace of a cluster-scoped one is ignored.
func (c *Client) at(r resource, namespace string) dynamic.ResourceInterface {
	if !r.namespaced {
		return c.dynamic.Resource(r.GroupVersionResource)
	}
	return c.dynamic.Resource(r.GroupVersionResource).Namespace(namespace)
}

// kindGone recognises the 404 of a path that is not served, which names no
// object, and not the one of our own look-up, which names the kind.
func kindGone(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details == nil || details.Name == "" && details.Kind == ""
}

// Served implements bootstrap.Looker. It never answers from memory.
func (c *Client) Served(ctx context.Context, gvk schema.GroupVersionKind) (bool, error) {
	err := c.ask(ctx, func(ctx context.Context) error {
		_, err := c.mapper.look(ctx, gvk)
		return err
	})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, c.terminal(err, request{verb: "get", resource: "API group " + gvk.Group})
}

// statuses remembers which kinds normally have a status.
type statuses struct {
	mu    sync.Mutex
	known map[schema.GroupKind]bool
}

// HasStatus implements bootstrap.Looker. Kinds that are built in, or served
// by an aggregated API, have no CustomResourceDefinition: for them it is false.
func (c *Client) HasStatus(ctx context.Context, gk schema.GroupKind) (bool, error) {
	c.statuses.mu.Lock()
	has, ok := c.statuses.known[gk]
	c.statuses.mu.Unlock()
	if ok {
		return has, nil
	}
	var certain bool
	err := c.ask(ctx, func(ctx context.Context) (err error) {
		has, certain, err = c.lookUpStatus(ctx, gk)
		return err
	})
	if err != nil {
		return false, c.terminal(err, request{verb: "get", resource: "customresourcedefinitions.apiextensions.k8s.io"})
	}
	if certain {
		c.statuses.mu.Lock()
		defer c.statuses.mu.Unlock()
		if c.statuses.known == nil {
			c.statuses.known = make(map[schema.GroupKind]bool)
		}
		c.statuses.known[gk] = has
	}
	return has, nil
}

// lookUpStatus reads the definition of a kind. Who may not read definitions
// gets the answer from discovery, which tells the same of every custom kind;
// groups that end in k8s.io are then left out, as most of them are built in.
func (c *Client) lookUpStatus(ctx context.Context, gk schema.GroupKind) (has, certain bool, err error) {
	found, err := c.mapper.find(ctx, gk.WithVersion(""))
	if apierrors.IsNotFound(err) {
		return false, false, nil // not served yet; it may still come
	}
	if err != nil {
		return false, false, err
	}
	if !strings.Contains(gk.Group, ".") {
		return false, true, nil // custom groups have a dot
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	crd, err := c.dynamic.Resource(definitions).Get(ctx, found.Resource+"."+gk.Group, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return false, true, nil
	case apierrors.IsForbidden(err):
		return found.hasStatus && !strings.HasSuffix(gk.Group, ".k8s.io"), true, nil
	case err != nil:
		return false, false, err
	}
	return definesStatus(crd, found.Version), true, nil
}

func definesStatus(crd *unstructured.Unstructured, version string) bool {
	list, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions") // a malformed definition defines nothing
	for _, entry := range list {
		fields, _ := entry.(map[string]any)
		if fields["name"] != version {
			continue
		}
		_, has, _ := unstructured.NestedMap(fields, "subresources", "status")
		return has
	}
	return false
}
