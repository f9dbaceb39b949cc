package kubetest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

const vars = "/api/v1/namespaces/flux-system/configmaps/vars"

// send is ask with a header.
func send(t *testing.T, s *kubetest.Server, method, path, body, header, value string) (code int, answer map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+kubetest.Token)
	req.Header.Set(header, value)
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(data, &answer) // a page that is no object is told by its code
	return resp.StatusCode, answer
}

func apply(t *testing.T, s *kubetest.Server, query, body string) (code int, answer map[string]any) {
	t.Helper()
	return send(t, s, http.MethodPatch, vars+query, body, "Content-Type", "application/apply-patch+yaml")
}

func managers(obj map[string]any) []any {
	meta, _ := obj["metadata"].(map[string]any)
	entries, _ := meta["managedFields"].([]any)
	var names []any
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		names = append(names, entry["manager"])
	}
	return names
}

func TestAnApplyCreatesAndMerges(t *testing.T) {
	s := kubetest.New(t)
	for _, tt := range []struct {
		query, body string
		code        int
		data        any
		managers    []any
	}{
		{"?fieldManager=one&dryRun=All", `{"data":{"a":"0"}}`, 201, map[string]any{"a": "0"}, []any{"one"}},
		{"?fieldManager=one", `{"data":{"a":"1"}}`, 201, map[string]any{"a": "1"}, []any{"one"}},
		{"?fieldManager=two", `{"data":{"b":"2"}}`, 200, map[string]any{"a": "1", "b": "2"}, []any{"one", "two"}},
		{"?fieldManager=one&dryRun=All", `{"data":{"a":"3"}}`, 200, map[string]any{"a": "3", "b": "2"}, []any{"two", "one"}},
		{"?fieldManager=two", `{}`, 200, map[string]any{"a": "1", "b": "2"}, []any{"one", "two"}},
	} {
		code, got := apply(t, s, tt.query, tt.body)
		if diff := cmp.Diff(tt.data, got["data"]); code != tt.code || diff != "" {
			t.Errorf("%s %s: %d %s", tt.query, tt.body, code, diff)
		}
		if diff := cmp.Diff(tt.managers, managers(got)); diff != "" {
			t.Errorf("%s %s: %s", tt.query, tt.body, diff)
		}
	}
	first := kubetest.Apply{Path: vars, Manager: "one", DryRun: true, Object: map[string]any{"data": map[string]any{"a": "0"}}}
	if got := s.Applies(); len(got) != 5 || !cmp.Equal(first, got[0]) {
		t.Errorf("recorded %v", got)
	}
}

func TestAnApplyIsRefused(t *testing.T) {
	s := kubetest.New(t)
	if code, _ := apply(t, s, "", "{}"); code != 400 {
		t.Errorf("without a manager: %d", code)
	}
	s.SetConflict("helm")
	if code, _ := apply(t, s, "?fieldManager=one", "{}"); code != 409 {
		t.Errorf("a conflict: %d", code)
	}
	if code, _ := apply(t, s, "?fieldManager=one&force=true", "{}"); code != 201 {
		t.Errorf("forced: %d", code)
	}
	s.SetConflict("")
	if code, _ := apply(t, s, "?fieldManager=one", "{}"); code != 200 {
		t.Errorf("no conflict: %d", code)
	}
}

// A controller sees what is applied, and nothing of a dry-run.
func TestTheControllerSeesWhatIsApplied(t *testing.T) {
	s := kubetest.New(t)
	seen := 0
	s.SetController(func(map[string]any) { seen++ })
	for _, query := range []string{"?fieldManager=one&dryRun=All", "?fieldManager=one"} {
		apply(t, s, query, "{}")
	}
	if seen != 1 {
		t.Errorf("it saw %d", seen)
	}
}

func TestAListMayBeOfMetadata(t *testing.T) {
	s := kubetest.New(t)
	for name, labels := range map[string]any{"a": map[string]any{"app": "x"}, "b": map[string]any{"app": "y"}, "c": nil} {
		s.Put(t, map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"k": "v"},
			"metadata": map[string]any{"namespace": "flux-system", "name": name, "labels": labels},
		})
	}
	const only = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	for selector, want := range map[string]int{"": 3, "app": 2, "app=x": 1, "app!=x": 2, "!app": 1, "app in (x,y)": 2} {
		_, list := send(t, s, http.MethodGet, "/api/v1/configmaps?labelSelector="+strings.NewReplacer(" ", "%20", "!", "%21").Replace(selector), "", "Accept", only)
		items, _ := list["items"].([]any)
		if len(items) != want || list["kind"] != "PartialObjectMetadataList" {
			t.Errorf("%q: %d of %d in a %v", selector, len(items), want, list["kind"])
		}
		for _, item := range items {
			if o, _ := item.(map[string]any); o["data"] != nil || o["metadata"] == nil || o["kind"] != "PartialObjectMetadata" {
				t.Errorf("%q: %v", selector, o)
			}
		}
	}
	if code, _ := ask(t, s, http.MethodGet, "/api/v1/configmaps?labelSelector=%3D%3D", ""); code != 400 {
		t.Errorf("a selector that is none: %d", code)
	}
}

func TestAServiceIsProxied(t *testing.T) {
	s := kubetest.New(t)
	s.ServeProxy("flux-system", "http:source:80", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kubetest.Reply(w, 200, map[string]string{"path": r.URL.Path})
	}))
	const proxy = "/api/v1/namespaces/flux-system/services/http:source:80/proxy"
	for rest, want := range map[string]string{"/a/b.tar.gz": "/a/b.tar.gz", "": "/"} {
		if code, got := ask(t, s, http.MethodGet, proxy+rest, ""); code != 200 || got["path"] != want {
			t.Errorf("%q: %d %v", rest, code, got)
		}
	}
	if code, _ := ask(t, s, http.MethodGet, strings.Replace(proxy, "source", "other", 1), ""); code != 503 {
		t.Errorf("a Service that nobody is behind: %d", code)
	}
}

// Custom kinds know no strategic merge, as with a real server.
func TestAStrategicMergeIsForBuiltInKinds(t *testing.T) {
	s := kubetest.New(t)
	put(t, s, "flux-system", "apps")
	s.Put(t, map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"namespace": "flux-system", "name": "web"}})
	const strategic = "application/strategic-merge-patch+json"
	if code, _ := send(t, s, http.MethodPatch, path+"/apps", "{}", "Content-Type", strategic); code != 415 {
		t.Errorf("a custom kind: %d", code)
	}
	if code, _ := send(t, s, http.MethodPatch, "/apis/apps/v1/namespaces/flux-system/deployments/web", `{"spec":{"paused":true}}`, "Content-Type", strategic); code != 200 {
		t.Errorf("a Deployment: %d", code)
	}
}
