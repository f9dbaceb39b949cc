package kube

import (
	"context"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resource is where objects of a kind are found.
type resource struct {
	schema.GroupVersionResource
	namespaced bool
	hasStatus  bool // there is a status subresource
}

// mapper remembers where kinds are found. Kinds appear in the middle of a run,
// so only what was found is remembered; what is missing is asked for again
// each time, and what turns out to be gone is forgotten.
type mapper struct {
	discovery discovery

	mu       sync.Mutex
	versions map[string][]string // of a group, preferred first
	lists    map[schema.GroupVersion][]metav1.APIResource
}

func newMapper(d discovery) *mapper {
	return &mapper{
		discovery: d,
		versions:  make(map[string][]string),
		lists:     make(map[schema.GroupVersion][]metav1.APIResource),
	}
}

// find returns the resource of a kind; with an empty version, that of the
// first version, in the server's order of preference, which has the kind. The
// error is NotFound where the kind is not served.
func (m *mapper) find(ctx context.Context, gvk schema.GroupVersionKind) (resource, error) {
	if found, ok := m.recall(gvk); ok {
		return found, nil
	}
	return m.look(ctx, gvk)
}

func (m *mapper) recall(gvk schema.GroupVersionKind) (resource, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	versions := []string{gvk.Version}
	if gvk.Version == "" {
		versions = m.versions[gvk.Group]
	}
	for _, version := range versions {
		gv := schema.GroupVersion{Group: gvk.Group, Version: version}
		if found, ok := pick(m.lists[gv], gv, gvk.Kind); ok {
			return found, true
		}
	}
	return resource{}, false
}

// forget drops a group that no longer is as we knew it.
func (m *mapper) forget(group string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.versions, group)
	for gv := range m.lists {
		if gv.Group == group {
			delete(m.lists, gv)
		}
	}
}

// look asks the server itself. When no version has the kind and one of them
// could not be read, that is the error: could not look is not absent.
func (m *mapper) look(ctx context.Context, gvk schema.GroupVersionKind) (resource, error) {
	versions, err := m.lookVersions(ctx, gvk)
	if err != nil {
		return resource{}, notServed(err, gvk)
	}
	var failed error
	for _, version := range versions {
		gv := schema.GroupVersion{Group: gvk.Group, Version: version}
		list, err := m.discovery.resources(ctx, gv)
		if err != nil && !apierrors.IsNotFound(err) {
			failed = err
			continue
		}
		m.mu.Lock()
		m.lists[gv] = list
		m.mu.Unlock()
		if found, ok := pick(list, gv, gvk.Kind); ok {
			return found, nil
		}
	}
	if failed != nil {
		return resource{}, failed
	}
	return resource{}, notServed(nil, gvk)
}

func (m *mapper) lookVersions(ctx context.Context, gvk schema.GroupVersionKind) ([]string, error) {
	if gvk.Version != "" {
		return []string{gvk.Version}, nil
	}
	versions, err := m.discovery.versions(ctx, gvk.Group)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.versions[gvk.Group] = versions
	return versions, nil
}

// pick finds a kind in the resources of a version.
func pick(list []metav1.APIResource, gv schema.GroupVersion, kind string) (resource, bool) {
	var found resource
	for _, r := range list {
		if r.Kind == kind && !strings.Contains(r.Name, "/") {
			found.GroupVersionResource = gv.WithResource(r.Name)
			found.namespaced = r.Namespaced
		}
	}
	for _, r := range list {
		if r.Name == found.Resource+"/status" {
			found.hasStatus = true
		}
	}
	return found, found.Resource != ""
}

// notServed makes the NotFound that callers know of a missing kind; other
// errors pass through.
func notServed(err error, gvk schema.GroupVersionKind) error {
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound,
		Message: "the API server does not serve " + kindName(gvk),
		Details: &metav1.StatusDetails{Group: gvk.Group, Kind: gvk.Kind},
	}}
}

// kindName is Kind.group, or Kind.version.group where the version matters.
func kindName(gvk schema.GroupVersionKind) string {
	parts := []string{gvk.Kind}
	for _, part := range []string{gvk.Version, gvk.Group} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ".")
}
