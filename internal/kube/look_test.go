package kube

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/kube/kubetest"
)

func TestHasStatusOfDefinitions(t *testing.T) {
	s := kubetest.New(t)
	s.Serve("example.io/v1", kubetest.Kind{Plural: "plains", Kind: "Plain"}, kubetest.Kind{Plural: "fulls", Kind: "Full", Status: true})
	s.Serve("metrics.k8s.io/v1", kubetest.Kind{Plural: "pods", Kind: "PodMetrics", Status: true})
	s.Put(t, object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "plains.example.io", map[string]any{
		"versions": []any{map[string]any{"name": "v1"}},
	}))
	s.Put(t, object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "fulls.example.io", map[string]any{
		"versions": []any{map[string]any{"name": "v0"}, map[string]any{"name": "v1", "subresources": map[string]any{"status": map[string]any{}}}},
	}))
	want := map[string]bool{"Plain": false, "Full": true, "PodMetrics": false}
	for _, tt := range []struct {
		name  string
		fault func(http.ResponseWriter, *http.Request) bool
	}{
		{"by the definition", nil},
		{"by discovery, where definitions may not be read", func(w http.ResponseWriter, r *http.Request) bool {
			return strings.Contains(r.URL.Path, "/customresourcedefinitions/") && answering("", 403, "Forbidden")(w, r)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.SetFault(tt.fault)
			c := connect(t, s)
			for range 2 { // the second answer is from memory
				got := make(map[string]bool)
				for kind := range want {
					group := "example.io"
					if kind == "PodMetrics" {
						group = "metrics.k8s.io"
					}
					has, err := c.HasStatus(t.Context(), schemaKind(group, "", kind).GroupKind())
					if err != nil {
						t.Fatal(err)
					}
					got[kind] = has
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	if n := s.Count("GET", "/fulls.example.io"); n != 2 {
		t.Errorf("the definition was read %d times by two clients", n)
	}
}

func TestServedIsNeverFromMemory(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	widget := schemaKind("example.io", "", "Widget")
	for _, want := range []bool{false, true, false} {
		s.Serve("example.io/v1")
		if want {
			s.Serve("example.io/v1", kubetest.Kind{Plural: "widgets", Kind: "Widget"})
		}
		if got, err := c.Served(t.Context(), widget); got != want || err != nil {
			t.Errorf("served: %t, %v; want %t", got, err, want)
		}
	}
}

func TestCanNamesWhatIsDenied(t *testing.T) {
	s := kubetest.New(t)
	s.Deny("secrets", "leases")
	list := func(resource string) bootstrap.Access { return bootstrap.Access{Verb: "list", Resource: resource} }
	got, err := connect(t, s).Can(t.Context(), []bootstrap.Access{list("pods"), list("secrets"), list("nodes"), list("leases")})
	if err != nil {
		t.Fatal(err)
	}
	want := []bootstrap.Denied{{Access: list("secrets"), Reason: "because"}, {Access: list("leases"), Reason: "because"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCanSaysWhenItCannotAsk(t *testing.T) {
	s := kubetest.New(t)
	s.SetFault(answering("/selfsubjectaccessreviews", 401, "Unauthorized"))
	if _, err := connect(t, s).Can(t.Context(), []bootstrap.Access{{Verb: "get", Resource: "pods"}}); !asError[*UnauthorisedError](err) {
		t.Errorf("got %v", err)
	}
}

func TestImageVersion(t *testing.T) {
	for image, want := range map[string]string{
		"ghcr.io/fluxcd/kustomize-controller:v1.9.6":                      "v1.9.6",
		"registry.test:5000/fluxcd/kustomize-controller:v1.9.6@sha256:0f": "v1.9.6",
		"registry.test:5000/fluxcd/kustomize-controller@sha256:0f":        "sha256:0f",
		"registry.test:5000/fluxcd/kustomize-controller":                  "",
	} {
		if got := imageVersion(image); got != want {
			t.Errorf("%s: %q", image, got)
		}
	}
}

func TestIsController(t *testing.T) {
	for name, want := range map[string]bool{
		"kustomize-controller": true, "kustomize-controller-shard1": true, "source-controller": true,
		"flux-operator": false, "my-kustomize-controller": false, "kustomize-controllers": false,
	} {
		if got := isController(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
