// Package kubetest is an API server in memory, behind a real socket: enough of
// one to be listed, watched, patched and broken. It stores what it is given and
// validates nothing. The contract suite of internal/kube holds it to what a real
// server does. Only tests import it.
package kubetest

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Token is the one bearer token that the server knows.
const Token = "t0ken"

// Context is the name of the context in a kubeconfig of the server's.
const Context = "fleet"

// Server is the API server. Its own methods may be called at any time.
type Server struct {
	*httptest.Server

	mu         sync.Mutex
	version    int
	served     map[string][]Kind // by group/version
	objects    map[string]object
	watchers   map[*watcher]struct{}
	fault      Fault
	controller Controller
	after      Controller
	requests   []string // "verb path"
	denied     map[string]bool
	applies    []Apply
	conflict   string                  // whose fields are not given up
	services   map[string]http.Handler // by namespace/scheme:name:port
}

// Fault answers a request instead of the server, unless it returns false.
type Fault func(http.ResponseWriter, *http.Request) bool

// Controller is given an object that was just patched, before anybody sees it,
// and changes it as a controller would that needs no time. It must not call
// the server. What takes its time a test does by itself, with Put.
type Controller func(patched map[string]any)

// Kind is a kind that is served.
type Kind struct {
	Plural, Kind string
	Cluster      bool // cluster-scoped
	Status       bool // has a status subresource, and a generation
}

// New starts a server that serves what a cluster with Flux does. It ends with
// the test.
func New(t *testing.T) *Server {
	t.Helper()
	s := &Server{
		version: 100, served: fluxKinds(),
		objects: make(map[string]object), watchers: make(map[*watcher]struct{}), denied: make(map[string]bool),
		services: make(map[string]http.Handler),
	}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of clients that hang up
	s.EnableHTTP2 = true                           // as real ones do; a handshake for each watch costs too much
	s.StartTLS()                                   // credentials are sent over TLS only
	t.Cleanup(func() {
		s.CutWatches()
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func fluxKinds() map[string][]Kind {
	return map[string][]Kind{
		"kustomize.toolkit.fluxcd.io/v1": {{Plural: "kustomizations", Kind: "Kustomization", Status: true}},
		"helm.toolkit.fluxcd.io/v2":      {{Plural: "helmreleases", Kind: "HelmRelease", Status: true}},
		"source.toolkit.fluxcd.io/v1": {
			{Plural: "gitrepositories", Kind: "GitRepository", Status: true},
			{Plural: "ocirepositories", Kind: "OCIRepository", Status: true},
			{Plural: "buckets", Kind: "Bucket", Status: true},
		},
		"apiextensions.k8s.io/v1": {{Plural: "customresourcedefinitions", Kind: "CustomResourceDefinition", Cluster: true, Status: true}},
		"v1": {
			{Plural: "configmaps", Kind: "ConfigMap"},
			{Plural: "secrets", Kind: "Secret"},
			{Plural: "namespaces", Kind: "Namespace", Cluster: true, Status: true},
		},
		"apps/v1":                {{Plural: "deployments", Kind: "Deployment", Status: true}},
		"coordination.k8s.io/v1": {{Plural: "leases", Kind: "Lease"}},
	}
}

// CA is the certificate, in PEM, that the server's own is to be checked with.
func (s *Server) CA() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// Kubeconfig writes a kubeconfig for the server and returns its path.
func (s *Server) Kubeconfig(t *testing.T, token string) string {
	t.Helper()
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.crt")
	config := filepath.Join(dir, "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: %[1]s
clusters:
- {name: c, cluster: {server: %[2]q, certificate-authority: %[3]q}}
contexts:
- {name: %[1]s, context: {cluster: c, user: u}}
users:
- {name: u, user: {token: %[4]s}}
`, Context, s.URL, ca, token)
	for path, data := range map[string][]byte{ca: s.CA(), config: []byte(text)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config
}

// Serve replaces the kinds of a group and version; with none it is served no more.
func (s *Server) Serve(groupVersion string, kinds ...Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(kinds) == 0 {
		delete(s.served, groupVersion)
		return
	}
	s.served[groupVersion] = kinds
}

// Deny makes access reviews say no for these resources.
func (s *Server) Deny(resources ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range resources {
		s.denied[r] = true
	}
}

// SetFault breaks the server until it is set to nil.
func (s *Server) SetFault(fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// SetAfter is SetController for what has to call the server: the function is
// given what was patched once that is stored, and before the answer is sent.
func (s *Server) SetAfter(after Controller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = after
}

// SetController gives the server a controller.
func (s *Server) SetController(c Controller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.controller = c
}

// Count returns how many requests of a verb were made for paths that end so.
// The verb of a watch is WATCH.
func (s *Server) Count(verb, suffix string) int {
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

// Writes lists the requests that would change something, as "verb path".
func (s *Server) Writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.requests), func(r string) bool {
		return strings.HasPrefix(r, "GET ") || strings.HasPrefix(r, "WATCH ") || strings.HasSuffix(r, "/selfsubjectaccessreviews")
	})
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	_, _, _, toService := proxied(r.URL.Path)
	switch {
	case r.URL.Path == "/readyz":
		Reply(w, 200, "ok")
	case r.Header.Get("Authorization") != "Bearer "+Token:
		Fail(w, 401, "Unauthorized", "Unauthorized")
	case r.URL.Path == "/version":
		Reply(w, 200, object{"gitVersion": "v1.36.3"})
	case toService:
		s.proxy(w, r)
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
