package kube

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/standup-sh/standup/bootstrap"
)

func (s *fakeServer) review(w http.ResponseWriter, r *http.Request) {
	var review struct {
		Spec struct {
			ResourceAttributes bootstrap.Access `json:"resourceAttributes"`
		} `json:"spec"`
	}
	_ = json.NewDecoder(r.Body).Decode(&review)
	s.mu.Lock()
	defer s.mu.Unlock()
	reply(w, 201, map[string]any{
		"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
		"status": map[string]any{"allowed": !s.denied[review.Spec.ResourceAttributes.Resource], "reason": "because"},
	})
}

func (s *fakeServer) discoverGroup(w http.ResponseWriter, group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var versions []map[string]any
	for _, gv := range slices.Sorted(maps.Keys(s.served)) {
		if g, v, _ := strings.Cut(gv, "/"); g == group {
			versions = append(versions, map[string]any{"groupVersion": gv, "version": v})
		}
	}
	if versions == nil {
		fail(w, 404, "NotFound", "the server could not find the requested resource", nil)
		return
	}
	reply(w, 200, map[string]any{"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": versions, "preferredVersion": versions[0]})
}

func (s *fakeServer) discover(w http.ResponseWriter, gv string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds, ok := s.served[gv]
	if !ok {
		fail(w, 404, "NotFound", "the server could not find the requested resource", nil)
		return
	}
	var list []map[string]any
	for _, k := range kinds {
		list = append(list, map[string]any{"name": k.plural, "kind": k.kind, "namespaced": !k.cluster})
		if k.status {
			list = append(list, map[string]any{"name": k.plural + "/status", "kind": k.kind, "namespaced": !k.cluster})
		}
	}
	reply(w, 200, map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": gv, "resources": list})
}

// merge is RFC 7386, into a copy.
func merge(into, patch map[string]any) map[string]any {
	result := maps.Clone(into)
	if result == nil {
		result = make(map[string]any)
	}
	for key, value := range patch {
		if value == nil {
			delete(result, key)
			continue
		}
		if nested, ok := value.(map[string]any); ok {
			old, _ := result[key].(map[string]any)
			result[key] = merge(old, nested)
			continue
		}
		result[key] = value
	}
	return result
}

func reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

func fail(w http.ResponseWriter, code int, reason, message string, about *address) {
	status := map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}
	if about != nil {
		status["details"] = map[string]any{"name": about.name, "kind": about.plural}
	}
	reply(w, code, status)
}
