package kubetest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes/scheme"
)

// decode reads a body. client-go sends the built-in kinds as protobuf, and
// takes JSON for an answer.
func decode(r *http.Request) (object, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil || len(data) == 0 {
		return object{}, err
	}
	if r.Header.Get("Content-Type") == "application/vnd.kubernetes.protobuf" {
		typed, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
		if err != nil {
			return nil, err
		}
		return toObject(typed)
	}
	var body object
	return body, json.Unmarshal(data, &body)
}

// toObject makes of anything what JSON makes of it.
func toObject(v any) (object, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var obj object
	if err := json.Unmarshal(data, &obj); err != nil {
		return nil, fmt.Errorf("%T is no object: %w", v, err)
	}
	return obj, nil
}

// at follows keys into an object; nil where they lead nowhere.
func at(obj object, keys ...string) any {
	var v any = obj
	for _, key := range keys {
		inner, _ := v.(object)
		v = inner[key]
	}
	return v
}

// review answers a SelfSubjectAccessReview.
func (s *Server) review(w http.ResponseWriter, r *http.Request) {
	body, err := decode(r)
	if err != nil {
		Fail(w, 400, "BadRequest", err.Error())
		return
	}
	resource, _ := at(body, "spec", "resourceAttributes", "resource").(string)
	s.mu.Lock()
	defer s.mu.Unlock()
	Reply(w, 201, object{
		"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
		"status": object{"allowed": !s.denied[resource], "reason": "because"},
	})
}

func (s *Server) discoverGroup(w http.ResponseWriter, group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var versions []object
	for _, gv := range slices.Sorted(maps.Keys(s.served)) {
		if g, v, _ := strings.Cut(gv, "/"); g == group {
			versions = append(versions, object{"groupVersion": gv, "version": v})
		}
	}
	if versions == nil {
		Fail(w, 404, "NotFound", "the server could not find the requested resource")
		return
	}
	Reply(w, 200, object{"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": versions, "preferredVersion": versions[0]})
}

func (s *Server) discover(w http.ResponseWriter, gv string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds, ok := s.served[gv]
	if !ok {
		Fail(w, 404, "NotFound", "the server could not find the requested resource")
		return
	}
	var list []object
	for _, k := range kinds {
		list = append(list, object{"name": k.Plural, "kind": k.Kind, "namespaced": !k.Cluster})
		if k.Status {
			list = append(list, object{"name": k.Plural + "/status", "kind": k.Kind, "namespaced": !k.Cluster})
		}
	}
	Reply(w, 200, object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": gv, "resources": list})
}

// merge is RFC 7386, into a copy.
func merge(into, patch object) object {
	result := maps.Clone(into)
	if result == nil {
		result = make(object)
	}
	for key, value := range patch {
		if value == nil {
			delete(result, key)
			continue
		}
		if nested, ok := value.(object); ok {
			old, _ := result[key].(object)
			result[key] = merge(old, nested)
			continue
		}
		result[key] = value
	}
	return result
}

// Reply writes an answer.
func Reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client is gone
}

// Fail writes a Status that tells of a failure.
func Fail(w http.ResponseWriter, code int, reason, message string) {
	failAbout(w, code, reason, message, nil)
}

func failAbout(w http.ResponseWriter, code int, reason, message string, about *address) {
	status := object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}
	if about != nil {
		status["details"] = object{"name": about.name, "kind": about.plural}
	}
	Reply(w, code, status)
}
