package kube

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// fakeServer is an API server in memory, behind a real socket: enough of one
// to be listed, watched, patched and broken. It stores what it is given and
// validates nothing.
type fakeServer struct {
	*httptest.Server
	mu       sync.Mutex
	version  int
	served   map[string][]fakeKind // by group/version
	objects  map[string]map[string]any
	watchers map[*fakeWatcher]struct{}
	// fault answers a request instead of the server, unless it returns false.
	fault    func(http.ResponseWriter, *http.Request) bool
	requests []string // "verb path"
	denied   map[string]bool
}

type fakeKind struct {
	plural, kind string
	cluster      bool // cluster-scoped
	status       bool // has a status subresource
}

type fakeWatcher struct {
	prefix string
	events chan map[string]any
}

func fluxKinds() map[string][]fakeKind {
	return map[string][]fakeKind{
		"kustomize.toolkit.fluxcd.io/v1": {{plural: "kustomizations", kind: "Kustomization", status: true}},
		"source.toolkit.fluxcd.io/v1": {
			{plural: "gitrepositories", kind: "GitRepository", status: true},
			{plural: "ocirepositories", kind: "OCIRepository", status: true},
			{plural: "buckets", kind: "Bucket", status: true},
		},
		"apiextensions.k8s.io/v1": {{plural: "customresourcedefinitions", kind: "CustomResourceDefinition", cluster: true, status: true}},
		"v1":                      {{plural: "configmaps", kind: "ConfigMap"}, {plural: "namespaces", kind: "Namespace", cluster: true, status: true}},
		"apps/v1":                 {{plural: "deployments", kind: "Deployment", status: true}},
		"coordination.k8s.io/v1":  {{plural: "leases", kind: "Lease"}},
	}
}

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	s := &fakeServer{
		version: 100, served: fluxKinds(),
		objects: make(map[string]map[string]any), watchers: make(map[*fakeWatcher]struct{}), denied: make(map[string]bool),
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.cutWatches()
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// connect makes a client as Connect does, without a kubeconfig.
func (s *fakeServer) connect(t *testing.T) *Client {
	t.Helper()
	o := Options{Namespace: "flux-system", Debugf: t.Logf, Warnf: t.Logf}.withDefaults()
	config := &rest.Config{Host: s.URL, BearerToken: "secret"}
	config.ContentType = "application/json" // the fake reads no protobuf
	tune(config, o)
	c, err := newClient(config, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *fakeServer) setFault(fault func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// cutWatches ends every open watch, as a restart does.
func (s *fakeServer) cutWatches() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		close(w.events)
		delete(s.watchers, w)
	}
}

// count returns how many requests of a verb were made for paths that end so.
func (s *fakeServer) count(verb, suffix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.requests {
		if strings.HasPrefix(r, verb+" ") && strings.HasSuffix(r, suffix) {
			n++
		}
	}
	return n
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	verb := r.Method
	if r.URL.Query().Get("watch") != "" {
		verb = "WATCH"
	}
	s.mu.Lock()
	s.requests = append(s.requests, verb+" "+r.URL.Path)
	fault := s.fault
	s.mu.Unlock()
	if fault != nil && fault(w, r) {
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/version":
		reply(w, 200, map[string]any{"gitVersion": "v1.36.3"})
	case r.URL.Path == "/readyz":
		reply(w, 200, "ok")
	case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		s.review(w, r)
	case len(parts) == 2 && parts[0] == "apis":
		s.discoverGroup(w, parts[1])
	case len(parts) == 3 && parts[0] == "apis":
		s.discover(w, parts[1]+"/"+parts[2])
	case len(parts) == 2 && parts[0] == "api":
		s.discover(w, parts[1])
	default:
		s.serveObjects(w, r, verb)
	}
}

// address is one parsed object path.
type address struct {
	gv, plural, namespace, name string
	kind                        fakeKind
}

func (a address) prefix() string { return a.gv + "/" + a.plural + "/" + a.namespace }
func (a address) key() string    { return a.prefix() + "/" + a.name }

func (s *fakeServer) parse(u *url.URL) (address, bool) {
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
		if k.plural == a.plural {
			a.kind = k
			return a, true
		}
	}
	return a, false
}

func (s *fakeServer) serveObjects(w http.ResponseWriter, r *http.Request, verb string) {
	s.mu.Lock()
	a, ok := s.parse(r.URL)
	s.mu.Unlock()
	switch {
	case !ok:
		fail(w, 404, "NotFound", "the server could not find the requested resource", nil)
	case verb == "WATCH":
		s.watch(w, r, a)
	case verb == http.MethodGet && a.name == "":
		s.list(w, a, r.URL.Query().Get("labelSelector"))
	default:
		s.one(w, r, a)
	}
}

func (s *fakeServer) one(w http.ResponseWriter, r *http.Request, a address) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPost {
		a.name = body["metadata"].(map[string]any)["name"].(string)
		if s.objects[a.key()] != nil {
			fail(w, 409, "AlreadyExists", a.name+" already exists", &a)
			return
		}
		s.store(a, "ADDED", body)
		reply(w, 201, body)
		return
	}
	old := s.objects[a.key()]
	if old == nil {
		fail(w, 404, "NotFound", a.plural+" \""+a.name+"\" not found", &a)
		return
	}
	switch r.Method {
	case http.MethodDelete:
		delete(s.objects, a.key())
		s.version++
		s.send(a, "DELETED", old)
		old = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"}
	case http.MethodPut:
		if seen := body["metadata"].(map[string]any)["resourceVersion"]; seen != nil && seen != old["metadata"].(map[string]any)["resourceVersion"] {
			fail(w, 409, "Conflict", "the object has been modified", &a)
			return
		}
		s.store(a, "MODIFIED", body)
		old = body
	case http.MethodPatch:
		old = merge(old, body)
		s.store(a, "MODIFIED", old)
	}
	reply(w, 200, old)
}

// put stores an object from the outside, as a controller would write it.
func (s *fakeServer) put(t *testing.T, obj map[string]any) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	meta := obj["metadata"].(map[string]any)
	gv, kind := obj["apiVersion"].(string), obj["kind"].(string)
	for _, k := range s.served[gv] {
		if k.kind == kind {
			a := address{gv: gv, plural: k.plural, name: meta["name"].(string), kind: k}
			a.namespace, _ = meta["namespace"].(string)
			event := "ADDED"
			if s.objects[a.key()] != nil {
				event = "MODIFIED"
			}
			s.store(a, event, obj)
			return
		}
	}
	t.Fatalf("%s %s is not served", gv, kind)
}

// store keeps a copy of the object under a new version and tells the watchers.
// The lock is held.
func (s *fakeServer) store(a address, event string, obj map[string]any) {
	s.version++
	meta := obj["metadata"].(map[string]any)
	meta["resourceVersion"] = strconv.Itoa(s.version)
	if a.namespace != "" {
		meta["namespace"] = a.namespace
	}
	obj["apiVersion"], obj["kind"] = a.gv, a.kind.kind
	s.objects[a.key()] = merge(nil, obj)
	s.send(a, event, s.objects[a.key()])
}

func (s *fakeServer) send(a address, event string, obj map[string]any) {
	for w := range s.watchers {
		if strings.HasPrefix(a.prefix(), w.prefix) {
			w.events <- map[string]any{"type": event, "object": obj}
		}
	}
}

func (s *fakeServer) matching(a address) []map[string]any {
	var items []map[string]any
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if strings.HasPrefix(key, a.prefix()) {
			items = append(items, s.objects[key])
		}
	}
	return items
}

func (s *fakeServer) list(w http.ResponseWriter, a address, selector string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := slices.DeleteFunc(s.matching(a), func(obj map[string]any) bool {
		key, value, wanted := strings.Cut(selector, "=")
		labels, _ := obj["metadata"].(map[string]any)["labels"].(map[string]any)
		return wanted && labels[key] != value
	})
	reply(w, 200, map[string]any{
		"kind": a.kind.kind + "List", "apiVersion": a.gv,
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version)}, "items": items,
	})
}

// watch streams. It knows no history: a watch from a version other than the
// newest is told that it has expired, so every cut ends in a new list.
func (s *fakeServer) watch(w http.ResponseWriter, r *http.Request, a address) {
	query := r.URL.Query()
	mine := &fakeWatcher{prefix: a.prefix(), events: make(chan map[string]any, 4096)}
	s.mu.Lock()
	since, _ := strconv.Atoi(query.Get("resourceVersion"))
	if query.Get("sendInitialEvents") == "true" {
		for _, obj := range s.matching(a) {
			mine.events <- map[string]any{"type": "ADDED", "object": obj}
		}
		mine.events <- map[string]any{"type": "BOOKMARK", "object": map[string]any{
			"kind": a.kind.kind, "apiVersion": a.gv, "metadata": map[string]any{
				"resourceVersion": strconv.Itoa(s.version), "annotations": map[string]any{"k8s.io/initial-events-end": "true"},
			},
		}}
	} else if since != s.version {
		s.mu.Unlock()
		fail(w, 410, "Expired", fmt.Sprintf("too old resource version: %d (%d)", since, s.version), nil)
		return
	}
	s.watchers[mine] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, mine)
	}()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(200)
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case event, open := <-mine.events:
			if !open {
				return
			}
			_ = json.NewEncoder(w).Encode(event)
			w.(http.Flusher).Flush()
		}
	}
}
