package kubetest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

const path = "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux-system/kustomizations"

// ask sends a request with the server's own token and returns the answer.
func ask(t *testing.T, s *kubetest.Server, method, path, body string) (code int, answer map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+kubetest.Token)
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

func put(t *testing.T, s *kubetest.Server, namespace, name string) {
	t.Helper()
	s.Put(t, map[string]any{
		"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
		"metadata": map[string]any{"namespace": namespace, "name": name}, "spec": map[string]any{"suspend": true},
	})
}

func versions(obj map[string]any) [2]any {
	meta, _ := obj["metadata"].(map[string]any)
	return [2]any{meta["generation"], meta["resourceVersion"]}
}

// A generation counts the changes of what is asked for, a resource version all.
func TestAPatchIsCounted(t *testing.T) {
	s := kubetest.New(t)
	put(t, s, "flux-system", "apps")
	for _, tt := range []struct {
		body string
		want [2]any
	}{
		{`{"metadata":{"annotations":{"a":"b"}}}`, [2]any{1.0, "102"}},
		{`{"spec":{"suspend":null}}`, [2]any{2.0, "103"}},
		{`{"spec":{"suspend":null}}`, [2]any{2.0, "104"}},
		{`{"status":{"observedGeneration":2}}`, [2]any{2.0, "105"}},
	} {
		code, got := ask(t, s, http.MethodPatch, path+"/apps", tt.body)
		if diff := cmp.Diff(tt.want, versions(got)); code != 200 || diff != "" {
			t.Errorf("%s: %d %s", tt.body, code, diff)
		}
	}
}

// The controller knows the new generation, and nobody sees the object without
// what the controller did.
func TestTheControllerComesBeforeEverybody(t *testing.T) {
	s := kubetest.New(t)
	put(t, s, "flux-system", "apps")
	s.SetController(func(patched map[string]any) {
		patched["status"] = map[string]any{"observedGeneration": versions(patched)[0]}
	})
	_, got := ask(t, s, http.MethodPatch, path+"/apps", `{"spec":{"suspend":null}}`)
	kept := s.Get(t, "kustomize.toolkit.fluxcd.io/v1", "Kustomization", "flux-system", "apps")
	for _, obj := range []map[string]any{got, kept} {
		if diff := cmp.Diff(map[string]any{"observedGeneration": 2.0}, obj["status"]); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"PATCH " + path + "/apps"}, s.Writes()); diff != "" {
		t.Error(diff)
	}
}

func TestANamespaceIsNotTheBeginningOfAnother(t *testing.T) {
	s := kubetest.New(t)
	put(t, s, "flux", "one")
	put(t, s, "flux-system", "two")
	for where, want := range map[string]int{
		"/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux/kustomizations": 1,
		path: 1,
		"/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations": 2,
	} {
		_, list := ask(t, s, http.MethodGet, where, "")
		if items, _ := list["items"].([]any); len(items) != want {
			t.Errorf("%s: %d items, want %d", where, len(items), want)
		}
	}
}

func TestWhoHasNoTokenIsRefused(t *testing.T) {
	s := kubetest.New(t)
	for where, want := range map[string]int{"/version": 401, "/readyz": 200} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+where, bytes.NewReader(nil))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // it was only read
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", where, resp.StatusCode, want)
		}
	}
}

func TestAnAnswerToNonsense(t *testing.T) {
	s := kubetest.New(t)
	put(t, s, "flux-system", "apps")
	for _, tt := range []struct {
		method, path, body string
		want               int
	}{
		{http.MethodPatch, path + "/apps", "{", 400},
		{http.MethodPatch, path + "/nobody", "{}", 404},
		{http.MethodPost, path, `{"metadata":{"name":"apps"}}`, 409},
		{http.MethodPut, path + "/apps", `{"metadata":{"resourceVersion":"1"}}`, 409},
		{http.MethodGet, "/apis/example.io/v1/things", "", 404},
		{http.MethodDelete, path + "/apps", "", 200},
		{http.MethodGet, path + "/apps", "", 404},
	} {
		if code, answer := ask(t, s, tt.method, tt.path, tt.body); code != tt.want {
			t.Errorf("%s %s: %d, want %d: %v", tt.method, tt.path, code, tt.want, answer)
		}
	}
}
