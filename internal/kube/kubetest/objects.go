package kubetest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// object is anything as JSON has it.
type object = map[string]any

// address is one parsed object path.
type address struct {
	gv, plural, namespace, name string
	kind                        Kind
}

// prefix is what the keys of all that a list of the address sees begin with.
func (a address) prefix() string {
	if a.namespace == "" {
		return a.gv + "/" + a.plural + "/"
	}
	return a.gv + "/" + a.plural + "/" + a.namespace + "/"
}

func (a address) key() string { return a.prefix() + a.name }

// parse reads a path. The lock is held.
func (s *Server) parse(u *url.URL) (address, bool) {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	var a address
	if parts[0] == "api" {
		a.gv, parts = parts[1], parts[2:]
	} else {
		a.gv, parts = parts[1]+"/"+parts[2], parts[3:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		a.namespace, parts = parts[1], parts[2:]
	}
	a.plural = parts[0]
	if len(parts) > 1 {
		a.name = parts[1]
	}
	for _, k := range s.served[a.gv] {
		if k.Plural == a.plural {
			a.kind = k
			return a, true
		}
	}
	return a, false
}

// locate finds where an object of a kind is kept. The lock is held.
func (s *Server) locate(t *testing.T, apiVersion, kind, namespace, name string) address {
	t.Helper()
	for _, k := range s.served[apiVersion] {
		if k.Kind == kind {
			return address{gv: apiVersion, plural: k.Plural, namespace: namespace, name: name, kind: k}
		}
	}
	t.Fatalf("%s %s is not served", apiVersion, kind)
	return address{}
}

// Put stores an object from the outside, as a controller would write it. It is
// anything that JSON makes an object of.
func (s *Server) Put(t *testing.T, obj any) {
	t.Helper()
	body, err := toObject(obj)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	meta := metaOf(body)
	name, _ := meta["name"].(string)
	namespace, _ := meta["namespace"].(string)
	apiVersion, _ := body["apiVersion"].(string)
	kind, _ := body["kind"].(string)
	s.store(s.locate(t, apiVersion, kind, namespace, name), body)
}

// Get returns a copy of an object, nil when there is none.
func (s *Server) Get(t *testing.T, apiVersion, kind, namespace, name string) map[string]any {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if obj := s.objects[s.locate(t, apiVersion, kind, namespace, name).key()]; obj != nil {
		return merge(nil, obj)
	}
	return nil
}

// Forget removes an object and tells no watcher of it.
func (s *Server) Forget(t *testing.T, apiVersion, kind, namespace, name string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, s.locate(t, apiVersion, kind, namespace, name).key())
	s.version++
}

func (s *Server) serveObjects(w http.ResponseWriter, r *http.Request, verb string) {
	s.mu.Lock()
	a, ok := s.parse(r.URL)
	s.mu.Unlock()
	switch {
	case !ok:
		Fail(w, 404, "NotFound", "the server could not find the requested resource")
	case verb == "WATCH":
		s.watch(w, r, a)
	case verb == http.MethodGet && a.name == "":
		s.list(w, r, a)
	default:
		s.written(w, r, a)
	}
}

// written answers for one object, and lets the world go on before the answer is
// sent.
func (s *Server) written(w http.ResponseWriter, r *http.Request, a address) {
	answer := httptest.NewRecorder()
	patched := s.one(answer, r, a)
	s.mu.Lock()
	after := s.after
	s.mu.Unlock()
	if after != nil && patched != nil {
		after(patched)
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // the client is gone
}

// one reads or writes one object, and returns what was patched.
func (s *Server) one(w http.ResponseWriter, r *http.Request, a address) (patched object) {
	body, err := decode(r)
	if err != nil {
		Fail(w, 400, "BadRequest", err.Error())
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPost {
		a.name, _ = metaOf(body)["name"].(string)
		if s.objects[a.key()] != nil {
			failAbout(w, 409, "AlreadyExists", a.name+" already exists", &a)
			return nil
		}
		s.store(a, body)
		Reply(w, 201, body)
		return nil
	}
	if isApply(r) {
		return s.apply(w, r, a, body)
	}
	old := s.objects[a.key()]
	if old == nil {
		failAbout(w, 404, "NotFound", a.plural+" \""+a.name+"\" not found", &a)
		return nil
	}
	switch r.Method {
	case http.MethodDelete:
		delete(s.objects, a.key())
		s.version++
		s.send(a, "DELETED", old)
		old = object{"kind": "Status", "apiVersion": "v1", "status": "Success"}
	case http.MethodPut:
		if seen := metaOf(body)["resourceVersion"]; seen != nil && seen != metaOf(old)["resourceVersion"] {
			failAbout(w, 409, "Conflict", "the object has been modified", &a)
			return nil
		}
		s.store(a, body)
		old = body
	case http.MethodPatch:
		if !patchable(r, a) {
			failAbout(w, 415, "UnsupportedMediaType", "the body of the request was in an unknown format", &a)
			return nil
		}
		old = merge(merge(nil, old), body) // a watcher may still read what is stored
		s.change(a, old)
		patched = merge(nil, old)
	}
	Reply(w, 200, partial(r, old))
	return patched
}

// patchable reports whether the kind takes the kind of patch: a strategic merge
// is for built-in kinds. It is merged like any other: lists are replaced.
func patchable(r *http.Request, a address) bool {
	return r.Header.Get("Content-Type") != "application/strategic-merge-patch+json" || !strings.Contains(a.gv, ".")
}

// count gives an object its generation: one more where anything but metadata
// and status has changed. The lock is held.
func (s *Server) count(a address, obj object) {
	if !a.kind.Status {
		return
	}
	before, known := s.objects[a.key()]
	meta := metaOf(obj)
	if !known {
		if meta["generation"] == nil {
			meta["generation"] = float64(1)
		}
		return
	}
	generation, _ := metaOf(before)["generation"].(float64)
	if !reflect.DeepEqual(wish(before), wish(obj)) {
		generation++
	}
	meta["generation"] = generation
}

// wish is what an object asks for: what a generation counts the changes of.
func wish(obj object) object {
	rest := maps.Clone(obj)
	for _, key := range []string{"metadata", "status", "apiVersion", "kind"} {
		delete(rest, key)
	}
	return rest
}

// store keeps a copy of the object under a new version and tells the watchers.
// The lock is held.
func (s *Server) store(a address, obj object) {
	event := "MODIFIED"
	if s.objects[a.key()] == nil {
		event = "ADDED"
	}
	s.count(a, obj)
	s.version++
	meta := metaOf(obj)
	meta["resourceVersion"] = strconv.Itoa(s.version)
	if a.namespace != "" {
		meta["namespace"] = a.namespace
	}
	obj["apiVersion"], obj["kind"] = a.gv, a.kind.Kind
	s.objects[a.key()] = merge(nil, obj)
	s.send(a, event, s.objects[a.key()])
}

// matching lists what a watch or list of an address sees, sorted. The lock is held.
func (s *Server) matching(a address) []object {
	var items []object
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if strings.HasPrefix(key, a.prefix()) {
			items = append(items, s.objects[key])
		}
	}
	return items
}

// metaOf returns an object's metadata; an object without any gets some.
func metaOf(obj object) object {
	meta, ok := obj["metadata"].(object)
	if !ok {
		meta = object{}
		if obj != nil {
			obj["metadata"] = meta
		}
	}
	return meta
}
