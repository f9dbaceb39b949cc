package kubetest

import (
	"net/http"
	"strings"
)

// ServeProxy makes a Service that the server proxies to. Its name is spelt as
// in the path: scheme:name:port.
func (s *Server) ServeProxy(namespace, service string, h http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.services[namespace+"/"+service] = h
}

// proxied reads namespace, Service and the rest from the path of a Service's
// proxy.
func proxied(path string) (namespace, service, rest string, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(path, "/api/v1/namespaces/"), "/", 5)
	if !strings.HasPrefix(path, "/api/v1/namespaces/") || len(parts) < 4 || parts[1] != "services" || parts[3] != "proxy" {
		return "", "", "", false
	}
	if len(parts) == 5 {
		rest = parts[4]
	}
	return parts[0], parts[2], "/" + rest, true
}

// proxy passes a request on to a Service.
func (s *Server) proxy(w http.ResponseWriter, r *http.Request) {
	namespace, service, rest, _ := proxied(r.URL.Path)
	s.mu.Lock()
	h := s.services[namespace+"/"+service]
	s.mu.Unlock()
	if h == nil {
		Fail(w, 503, "ServiceUnavailable", "no endpoints available for service \""+service+"\"")
		return
	}
	passed := r.Clone(r.Context())
	passed.URL.Path = rest
	h.ServeHTTP(w, passed)
}
