package standin

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Internet stands in for the chart repositories and registries of the world. It
// is an HTTP proxy that source-controller is told to use: whatever host is
// asked for, it answers with an empty chart index, or with a tiny artifact, so
// that HelmRepositories and OCIRepositories of a real tree become Ready with no
// network.
type Internet struct {
	addr string
	cert func(host string) (*tls.Config, error)

	mu   sync.Mutex
	down map[string]bool
	hits atomic.Int64
}

// StartInternet serves until ctx ends. cert makes the serving certificate of a
// host, by an authority that the clients trust.
func StartInternet(ctx context.Context, cert func(host string) (*tls.Config, error)) (*Internet, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("internet stand-in: %w", err)
	}
	n := &Internet{addr: l.Addr().String(), cert: cert, down: map[string]bool{}}
	srv := &http.Server{Handler: n, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(l) }()
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	return n, nil
}

// URL is the address to use as HTTP_PROXY and HTTPS_PROXY.
func (n *Internet) URL() string { return "http://" + n.addr }

// SetDown makes a host unreachable, or reachable again.
func (n *Internet) SetDown(host string, down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down[host] = down
}

// Requests counts what has been asked so far.
func (n *Internet) Requests() int { return int(n.hits.Load()) }

// ServeHTTP is the proxy: plain requests are answered, tunnels are ended here
// with a certificate for the host that was asked for.
func (n *Internet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	n.mu.Lock()
	down := n.down[host]
	n.mu.Unlock()
	if down {
		http.Error(w, "host is down", http.StatusBadGateway)
		return
	}
	if r.Method != http.MethodConnect {
		n.answer(w, r)
		return
	}
	cfg, err := n.cert(host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	n.tunnel(r.Context(), conn, cfg)
}

// tunnel speaks TLS and HTTP/1.1 on a hijacked connection until it closes.
func (n *Internet) tunnel(ctx context.Context, conn net.Conn, cfg *tls.Config) {
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	secure := tls.Server(conn, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		return
	}
	in := bufio.NewReader(secure)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		out := newRecorder()
		n.answer(out, req)
		if err := out.writeTo(secure, req); err != nil {
			return
		}
	}
}

func (n *Internet) answer(w http.ResponseWriter, r *http.Request) {
	n.hits.Add(1)
	switch {
	case strings.HasSuffix(r.URL.Path, "/index.yaml"):
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write([]byte("apiVersion: v1\nentries: {}\ngenerated: \"2026-01-01T00:00:00Z\"\n"))
	case r.URL.Path == "/v2/" || strings.HasPrefix(r.URL.Path, "/v2/"):
		if err := serveRegistry(w, r); err != nil {
			status := http.StatusInternalServerError
			if errors.Is(err, errNotServed) {
				status = http.StatusNotFound
			}
			http.Error(w, err.Error(), status)
		}
	default:
		http.NotFound(w, r)
	}
}
