package kube

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

// stored is a source-controller that has one artifact.
func stored(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/gitrepository/flux-system/fleet/0123.tar.gz" {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, "manifests") // the client is gone
}

const (
	artifactPath = "/gitrepository/flux-system/fleet/0123.tar.gz"
	// clusterHost does not resolve outside of a cluster: .local is for multicast.
	clusterHost = "http://source-controller.flux-system.svc.cluster.local."
)

func downloaded(t *testing.T, s *kubetest.Server, address string) (string, error) {
	t.Helper()
	body, err := connect(t, s).Download(t.Context(), address)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	if err := body.Close(); err != nil {
		t.Fatal(err)
	}
	return string(data), nil
}

func proxyAsked(s *kubetest.Server) bool { return s.Count(http.MethodGet, artifactPath) > 0 }

func TestAnArtifactIsFetchedFromItsAddress(t *testing.T) {
	source := httptest.NewServer(http.HandlerFunc(stored))
	t.Cleanup(source.Close)
	s := kubetest.New(t)
	got, err := downloaded(t, s, source.URL+artifactPath)
	if err != nil || got != "manifests" || proxyAsked(s) {
		t.Errorf("%q, %v; through the API server: %t", got, err, proxyAsked(s))
	}
}

func TestAnArtifactComesThroughTheAPIServerWhereItsNameIsAServices(t *testing.T) {
	for name, service := range map[string]string{
		clusterHost + artifactPath:           "http:source-controller:80",
		clusterHost + ":8080" + artifactPath: "http:source-controller:8080",
	} {
		s := kubetest.New(t)
		s.ServeProxy("flux-system", service, http.HandlerFunc(stored))
		if got, err := downloaded(t, s, name); err != nil || got != "manifests" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// When neither way leads there the operator has to see both reasons.
func TestAnArtifactThatCannotBeHadEitherWay(t *testing.T) {
	for name, tt := range map[string]struct {
		arrange func(*kubetest.Server)
		want    string
		check   func(error) bool
	}{
		"nobody behind the Service": {func(*kubetest.Server) {}, "no endpoints available", func(error) bool { return true }},
		"not allowed": {
			func(s *kubetest.Server) { s.SetFault(answering(artifactPath, 403, "Forbidden")) },
			"not allowed to get services/proxy in namespace flux-system", asError[*ForbiddenError],
		},
		"gone": {
			func(s *kubetest.Server) {
				s.ServeProxy("flux-system", "http:source-controller:80", http.NotFoundHandler())
			}, "could not find", func(error) bool { return true },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := kubetest.New(t)
			tt.arrange(s)
			_, err := downloaded(t, s, clusterHost+artifactPath)
			if err == nil || !tt.check(err) {
				t.Fatalf("%T %v", err, err)
			}
			for _, want := range []string{"source-controller.flux-system.svc.cluster.local", "; and through the API server: ", tt.want} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %v", want, err)
				}
			}
		})
	}
}

// Nothing but Services is asked for through the API server.
func TestAnAddressOutsideOfTheClusterIsNotProxied(t *testing.T) {
	source := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(source.Close)
	s := kubetest.New(t)
	_, err := downloaded(t, s, source.URL+artifactPath)
	if err == nil || !strings.Contains(err.Error(), "answers 404 Not Found") || proxyAsked(s) {
		t.Errorf("through the API server: %t, %v", proxyAsked(s), err)
	}
}

func TestAnAddressThatIsNone(t *testing.T) {
	s := kubetest.New(t)
	if _, err := downloaded(t, s, "http://[::1"); err == nil || !strings.HasPrefix(err.Error(), "address of the artifact: ") {
		t.Errorf("got %v", err)
	}
}

// Who stops the run does not learn that the artifact cannot be had.
func TestADownloadThatIsInterrupted(t *testing.T) {
	s := kubetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := connect(t, s).Download(ctx, clusterHost+artifactPath); err == nil || ctx.Err() == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("got %v", err)
	}
}

func TestServiceOf(t *testing.T) {
	for host, want := range map[string]string{
		"source-controller.flux-system.svc.cluster.local.": "source-controller flux-system",
		"source-controller.flux-system.svc.cluster.local":  "source-controller flux-system",
		"source-controller.flux-system.svc":                "source-controller flux-system",
		"source-controller.flux-system.svc.":               "source-controller flux-system",
		"source-controller.flux-system.svc.corp.example":   "source-controller flux-system",
		"source-controller.flux-system":                    "", // may be anybody's
		"example.org":                                      "",
		"example.org.":                                     "",
		"www.example.org":                                  "",
		"localhost":                                        "",
		"127.0.0.1":                                        "",
		"::1":                                              "",
		".flux-system.svc":                                 "",
		"source-controller..svc":                           "",
		"":                                                 "",
	} {
		service, namespace, ok := serviceOf(host)
		if got := strings.TrimSpace(service + " " + namespace); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t", host, got, ok)
		}
	}
}
