package lab

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestParseRequest(t *testing.T) {
	for _, tt := range []struct{ method, url, content, verb, resource string }{
		{"GET", "/api/v1/configmaps", "", "list", "configmaps"},
		{"GET", "/api/v1/namespaces", "", "list", "namespaces"},
		{"GET", "/api/v1/namespaces/a", "", "get", "namespaces"},
		{"GET", "/api/v1/namespaces/a/configmaps", "", "list", "configmaps"},
		{"GET", "/api/v1/namespaces/a/configmaps/b", "", "get", "configmaps"},
		{"PUT", "/api/v1/namespaces/a/finalize", "", "update", "namespaces/finalize"},
		{"GET", "/apis/apps/v1/deployments?watch=true&resourceVersion=1", "", "watch", "deployments.apps"},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/b/status", "application/merge-patch+json", "patch", "deployments.apps/status"},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/b", "application/apply-patch+yaml", "apply", "deployments.apps"},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/b?dryRun=All", "application/apply-patch+yaml", "dryrun-apply", "deployments.apps"},
		{"POST", "/apis/coordination.k8s.io/v1/namespaces/a/leases", "", "create", "leases.coordination.k8s.io"},
		{"DELETE", "/api/v1/namespaces/a/pods", "", "deletecollection", "pods"},
		{"DELETE", "/api/v1/namespaces/a/pods/b", "", "delete", "pods"},
		{"GET", "/readyz", "", "get", "/readyz"},
		{"GET", "/apis/apps/v1", "", "get", "/apis/apps/v1"},
		{"GET", "/api/v1", "", "get", "/api/v1"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), tt.method, tt.url, http.NoBody)
		r.Header.Set("User-Agent", "standup/v1 (linux/amd64)")
		r.Header.Set("Content-Type", tt.content)
		want := Request{Agent: "standup", Verb: tt.verb, Resource: tt.resource}
		if got := parseRequest(r); got != want {
			t.Errorf("%s %s: got %v, want %v", tt.method, tt.url, got, want)
		}
	}
}
