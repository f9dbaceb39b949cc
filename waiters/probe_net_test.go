package waiters

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// closedAddress returns an address on which nothing listens.
func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return address
}

func TestTCP(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	p, err := NewTCP("api", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != "api" {
		t.Errorf("name is %q", p.Name())
	}
	checkLook(t, p, Observation{State: Ready, Reason: "Accepts", Message: "accepts connections"})

	p, err = NewTCP("api", closedAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	checkNotAnswering(t, p)
}

// checkNotAnswering holds that a refused connection is a sight, and a
// cancelled look is not.
func checkNotAnswering(t *testing.T, p Probe) {
	t.Helper()
	seen, err := p.Observe(t.Context())
	if err != nil || seen.State != Progressing || seen.Reason != "NotAnswering" || !strings.Contains(seen.Message, "refused") {
		t.Errorf("got %+v, %v", seen, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if seen, err := p.Observe(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %+v, %v", seen, err)
	}
}

func TestTCPAddress(t *testing.T) {
	for _, address := range []string{"", "host", ":80", "host:", "a:b:c"} {
		if _, err := NewTCP("api", address); err == nil {
			t.Errorf("%q is taken for host:port", address)
		}
	}
}

func TestHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
		case "/moved":
			http.Redirect(w, r, "/ok", http.StatusFound)
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	for _, tc := range []struct {
		path string
		want int
		seen Observation
	}{
		{"/ok", 0, Observation{State: Ready, Reason: "Answers", Message: "answers 200"}},
		{
			"/down", 200,
			Observation{State: Progressing, Reason: "WrongStatus", Message: "answers 503 Service Unavailable, want 200"},
		},
		{"/down", 503, Observation{State: Ready, Reason: "Answers", Message: "answers 503"}},
		{
			"/moved", 200,
			Observation{State: Progressing, Reason: "WrongStatus", Message: "answers 302 Found, want 200"},
		},
	} {
		p, err := NewHTTP("site", server.URL+tc.path, tc.want)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name() != "site" {
			t.Errorf("name is %q", p.Name())
		}
		checkLook(t, p, tc.seen)
	}
	p, err := NewHTTP("site", "http://"+closedAddress(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	checkNotAnswering(t, p)
}

func TestHTTPAddress(t *testing.T) {
	for _, url := range []string{"", "host", "ftp://host/", "http://", "http://%zz", "://"} {
		if _, err := NewHTTP("site", url, 0); err == nil {
			t.Errorf("%q is taken for a URL", url)
		}
	}
}
