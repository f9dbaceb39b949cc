package kube

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// answering is a fault that answers requests whose path ends so.
func answering(suffix string, code int, reason string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, suffix) {
			return false
		}
		kubetest.Fail(w, code, reason, "fault")
		return true
	}
}

func TestWatchSaysWhyItCannotStart(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault func(http.ResponseWriter, *http.Request) bool
		check func(error) bool
	}{
		{"unauthorised", answering("", 401, "Unauthorized"), asError[*UnauthorisedError]},
		{"forbidden", answering("/kustomizations", 403, "Forbidden"), asError[*ForbiddenError]},
		{"Flux is not installed", answering("/apis/kustomize.toolkit.fluxcd.io/v1", 404, "NotFound"), asError[*NotServedError]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := kubetest.New(t)
			s.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
				return r.URL.Path != "/readyz" && tt.fault(w, r)
			})
			_, err := connect(t, s).Watch(t.Context())
			if !tt.check(err) {
				t.Errorf("got %T %v", err, err)
			}
		})
	}
}

func TestWatchOnNobody(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	s.Close()
	_, err := c.Watch(t.Context())
	if !asError[*UnreachableError](err) {
		t.Errorf("watch: %v", err)
	}
	if _, err := c.Ping(t.Context()); !asError[*UnreachableError](err) {
		t.Errorf("ping: %v", err)
	}
}

func TestViewSurvives(t *testing.T) {
	refuse := func(code int, reason string) func(*kubetest.Server) {
		return func(s *kubetest.Server) {
			var left atomic.Int32
			left.Store(6)
			s.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
				return left.Add(-1) >= 0 && answering("/kustomizations", code, reason)(w, r)
			})
			s.CutWatches()
		}
	}
	for _, tt := range []struct {
		name    string
		breakIt func(*kubetest.Server)
	}{
		{"cut watches, and an expired version", (*kubetest.Server).CutWatches},
		{"cut connections", func(s *kubetest.Server) { s.CloseClientConnections() }},
		{"429", refuse(429, "TooManyRequests")},
		{"503", refuse(503, "ServiceUnavailable")},
		{"500", refuse(500, "InternalError")},
		{"403 of a server that is not ready", func(s *kubetest.Server) {
			var asked atomic.Int32
			s.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/readyz" {
					kubetest.Fail(w, 500, "", "not yet")
					return true
				}
				return asked.Add(1) < 4 && answering("/kustomizations", 403, "Forbidden")(w, r)
			})
			s.CutWatches()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := kubetest.New(t)
			s.Put(t, kustomization("old", false))
			v, err := connect(t, s).Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			v.TakeChanged()
			tt.breakIt(s)
			s.Put(t, kustomization("new", false))
			awaitChange(t, v, ref("new"))
			if v.Kustomization(ref("old")) == nil {
				t.Error("old was forgotten")
			}
			select {
			case err := <-v.Failed():
				t.Errorf("gave up: %v", err)
			default:
			}
		})
	}
}

// What happened while nobody was looking is in the next list, and what did
// not happen is not said to have changed.
func TestViewAfterABreakNamesOnlyWhatChanged(t *testing.T) {
	s := kubetest.New(t)
	s.Put(t, kustomization("same", false))
	s.Put(t, kustomization("gone", false))
	c := connect(t, s)
	v, err := c.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v.TakeChanged()
	// No watch is open while the object goes, so no event tells of it.
	s.SetFault(answering("/kustomizations", 503, "ServiceUnavailable"))
	s.CutWatches()
	s.Forget(t, "kustomize.toolkit.fluxcd.io/v1", "Kustomization", contractNamespace, "gone")
	s.SetFault(nil)
	select {
	case <-v.Changed():
	case <-time.After(20 * time.Second):
		t.Fatal("the deletion was never seen")
	}
	for changed := v.TakeChanged(); len(changed) != 1 || changed[0] != ref("gone"); changed = v.TakeChanged() {
		if len(changed) > 0 {
			t.Fatalf("changed: %v", changed)
		}
		<-v.Changed() // the value of the first list, which was taken before
	}
	if v.Kustomization(ref("gone")) != nil || v.Kustomization(ref("same")) == nil {
		t.Error("the view is not what the list was")
	}
}

func TestViewFailsWhenTheTokenIsRevoked(t *testing.T) {
	s := kubetest.New(t)
	v, err := connect(t, s).Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
		return r.URL.Path != "/readyz" && answering("", 401, "Unauthorized")(w, r)
	})
	s.CutWatches()
	select {
	case err := <-v.Failed():
		if !asError[*UnauthorisedError](err) {
			t.Errorf("failed with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("nobody noticed")
	}
}

func TestViewOfOneNamespace(t *testing.T) {
	s := kubetest.New(t)
	s.Put(t, kustomization("apps", false))
	s.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
		return !strings.Contains(r.URL.Path, "/namespaces/") &&
			(answering("/kustomizations", 403, "Forbidden")(w, r) || answering("repositories", 403, "Forbidden")(w, r))
	})
	c := connect(t, s)
	c.namespace = contractNamespace
	var warned atomic.Int32
	c.warnf = func(string, ...any) { warned.Add(1) }
	v, err := c.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.Kustomization(ref("apps")) == nil || warned.Load() == 0 {
		t.Errorf("apps is %v, warned %d times", v.Kustomization(ref("apps")), warned.Load())
	}
}

func TestViewCostsOneRequestAKind(t *testing.T) {
	s := kubetest.New(t)
	s.Put(t, kustomization("apps", false))
	if _, err := connect(t, s).Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The list is streamed by the watch.
	if lists, watches := s.Count("GET", "/kustomizations"), s.Count("WATCH", "/kustomizations"); lists+watches > 2 {
		t.Errorf("%d lists and %d watches", lists, watches)
	}
	if pages := s.Count("GET", "source.toolkit.fluxcd.io") + s.Count("GET", "source.toolkit.fluxcd.io/v1"); pages > 4 {
		t.Errorf("%d requests to find the sources", pages)
	}
}

func TestWritesAndLooksType(t *testing.T) {
	s := kubetest.New(t)
	s.Put(t, kustomization("apps", true))
	c := connect(t, s)
	resume := func() error { return c.Resume(t.Context(), ref("apps")) }
	get := func() error {
		_, err := c.Get(t.Context(), kustomizationGVK, contractNamespace, "apps")
		return err
	}
	for _, tt := range []struct {
		name     string
		fault    func(http.ResponseWriter, *http.Request) bool
		terminal bool
		check    func(error) bool
	}{
		{"401", answering("/apps", 401, "Unauthorized"), true, asError[*UnauthorisedError]},
		{"403", answering("/apps", 403, "Forbidden"), true, asError[*ForbiddenError]},
		{"404", answering("/kustomizations/apps", 404, "NotFound"), false, apierrors.IsNotFound},
		{"409", answering("/apps", 409, "Conflict"), false, apierrors.IsConflict},
		{"503", answering("/apps", 503, "ServiceUnavailable"), false, apierrors.IsServiceUnavailable},
		{"cut", func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }, false, asError[*UnreachableError]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.timeout = 2 * time.Second // client-go itself sends a GET again that was cut
			for name, call := range map[string]func() error{"resume": resume, "get": get} {
				s.SetFault(tt.fault)
				err := call()
				s.SetFault(nil)
				if !tt.check(err) || waiters.IsTerminal(err) != tt.terminal {
					t.Errorf("%s: terminal %t, %v", name, waiters.IsTerminal(err), err)
				}
			}
		})
	}
}

// G04: one aggregated API that is down hides no other.
func TestG04OneBrokenGroup(t *testing.T) {
	s := kubetest.New(t)
	s.Serve("metrics.k8s.io/v1beta1", kubetest.Kind{Plural: "pods", Kind: "PodMetrics"})
	s.SetFault(answering("/apis/metrics.k8s.io/v1beta1", 503, "ServiceUnavailable"))
	c := connect(t, s)
	if served, err := c.Served(t.Context(), kustomizationGVK); !served || err != nil {
		t.Errorf("Kustomization is served: %t, %v", served, err)
	}
	podMetrics := schemaKind("metrics.k8s.io", "", "PodMetrics")
	if served, err := c.Served(t.Context(), podMetrics); err == nil || served || waiters.IsTerminal(err) {
		t.Errorf("whether PodMetrics is served could not be seen: %t, %v", served, err)
	}
	if _, err := c.Get(t.Context(), podMetrics, "default", "x"); err == nil || apierrors.IsNotFound(err) {
		t.Errorf("could not look is not absent: %v", err)
	}
}

// A kind may come while we run, and come back under another plural.
func TestKindsComeAndChange(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	widget := schemaKind("example.io", "v1", "Widget")
	if _, err := c.Get(t.Context(), widget, contractNamespace, "w"); !apierrors.IsNotFound(err) {
		t.Fatalf("before: %v", err)
	}
	for _, plural := range []string{"widgets", "widgetz"} {
		s.Serve("example.io/v1", kubetest.Kind{Plural: plural, Kind: "Widget"})
		s.Put(t, object("example.io/v1", "Widget", contractNamespace, "w", nil))
		if _, err := c.Get(t.Context(), widget, contractNamespace, "w"); err != nil {
			t.Errorf("as %s: %v", plural, err)
		}
	}
}

func TestNoAnswerIsNotOurDeadline(t *testing.T) {
	s := kubetest.New(t)
	release := make(chan struct{})
	defer close(release)
	s.SetFault(func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-r.Context().Done():
		case <-release:
		}
		return true
	})
	c := connect(t, s)
	c.timeout = 50 * time.Millisecond
	_, err := c.Ping(t.Context())
	var slow *noAnswerError
	if !asError[*UnreachableError](err) || !errors.As(err, &slow) || isDeadline(err) {
		t.Errorf("got %v", err)
	}
}

func TestSourceKindsMayComeLater(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	found, missing, err := c.served(t.Context(), watchedKinds())
	if err != nil || len(found) != 4 || len(missing) != 1 || missing[0] != tiers.KindExternalArtifact {
		t.Errorf("found %v, missing %v, %v", found, missing, err)
	}
}
