package lab

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Proxy is a reverse proxy in front of the API server that misbehaves on
// demand and counts requests. It passes bearer tokens through; use it with a
// kubeconfig of KubeconfigFor with Proxied, or of ProxyKubeconfig.
type Proxy struct {
	url    string
	server *http.Server

	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	fault  ProxyFault
	until  time.Time
	counts map[Request]int
	// service is the Service that can be reached through the proxy.
	service http.Handler
}

// servicePath is where the API server's proxy to source-controller begins.
const servicePath = "/api/v1/namespaces/" + FluxNamespace + "/services/http:" + SourceController + ":80/proxy"

// serve passes what begins with the path on to an address.
func (p *Proxy) serve(path, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	target := &url.URL{Scheme: "http", Host: address}
	p.service = http.StripPrefix(path, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
}

// toService is the handler of a request to the Service, or nil.
func (p *Proxy) toService(r *http.Request) http.Handler {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !strings.HasPrefix(r.URL.Path, servicePath+"/") {
		return nil
	}
	return p.service
}

// ProxyFault is how the proxy misbehaves. The zero value is none.
type ProxyFault struct {
	// Refuse closes every connection as soon as it is made.
	Refuse bool
	// Status answers every request with this code instead of passing it on.
	Status int
	// RetryAfter is sent with Status, in whole seconds, if not 0.
	RetryAfter time.Duration
	// Delay holds every request back before it is passed on.
	Delay time.Duration
	// Only limits the fault to the requests for which it says true.
	Only func(Request) bool
}

func (c *Cluster) startProxy(ctx context.Context) error {
	target, err := url.Parse(c.apiURL())
	if err != nil {
		return fmt.Errorf("fault proxy: %w", err)
	}
	pair, err := c.ca.Issue("lab-proxy", nil)
	if err != nil {
		return err
	}
	serving, err := pair.TLS()
	if err != nil {
		return err
	}
	serving.NextProtos = []string{"h2", "http/1.1"}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("fault proxy: %w", err)
	}
	p := &Proxy{url: "https://" + l.Addr().String(), conns: map[net.Conn]struct{}{}, counts: map[Request]int{}}
	quiet := log.New(discard{}, "", 0) // cut connections are the point, not news
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{RootCAs: c.ca.Pool(), MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 100,
		},
		FlushInterval: -1, // a watch event must not wait for the next one
		ErrorLog:      quiet,
		// The API server is down: to the client that is a dead connection, not
		// an answer.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.server = &http.Server{
		Handler: p.handler(forward), TLSConfig: serving, ErrorLog: quiet,
		ConnState: p.track, ReadHeaderTimeout: 10 * time.Second,
	}
	go func() { _ = p.server.ServeTLS(&refuser{Listener: l, proxy: p}, "", "") }()
	c.proxy = p
	return nil
}

// Proxy is the fault proxy of the cluster.
func (c *Cluster) Proxy() *Proxy { return c.proxy }

// ProxyKubeconfig makes a cluster admin's kubeconfig that goes through the
// fault proxy.
func (c *Cluster) ProxyKubeconfig(ctx context.Context) (string, error) {
	id, err := c.KubeconfigFor(ctx, "lab-proxy-admin", nil, IdentityOptions{Proxied: true})
	if err != nil {
		return "", err
	}
	return id.Kubeconfig, nil
}

// URL is the address of the proxy.
func (p *Proxy) URL() string { return p.url }

// SetFault makes the proxy misbehave for a time; 0 means until it is healed.
func (p *Proxy) SetFault(f ProxyFault, during time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.until = f, time.Time{}
	if during > 0 {
		p.until = time.Now().Add(during)
	}
}

// Heal ends the fault.
func (p *Proxy) Heal() { p.SetFault(ProxyFault{}, 0) }

// Cut closes all open connections, watches among them.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
}

// current is the fault of this moment.
func (p *Proxy) current() ProxyFault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.until.IsZero() && time.Now().After(p.until) {
		return ProxyFault{}
	}
	return p.fault
}

func (p *Proxy) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := parseRequest(r)
		p.count(req)
		f := p.current()
		if f.Only != nil && !f.Only(req) {
			f = ProxyFault{}
		}
		if f.Delay > 0 && !pause(r.Context(), f.Delay) {
			return
		}
		if f.Status != 0 {
			answer(w, f)
			return
		}
		if service := p.toService(r); service != nil {
			service.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answer sends a failure in the form that the API server uses.
func answer(w http.ResponseWriter, f ProxyFault) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(f.RetryAfter.Seconds())))
	}
	reason := map[int]string{
		http.StatusUnauthorized: "Unauthorized", http.StatusForbidden: "Forbidden",
		http.StatusTooManyRequests: "TooManyRequests", http.StatusServiceUnavailable: "ServiceUnavailable",
		http.StatusInternalServerError: "InternalError", http.StatusGatewayTimeout: "Timeout",
	}[f.Status]
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",`+
		`"message":"answered by the lab's fault proxy","reason":%q,"code":%d}`, reason, f.Status)
}

// pause waits, and says false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (p *Proxy) track(conn net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch state {
	case http.StateNew:
		p.conns[conn] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		delete(p.conns, conn)
	case http.StateActive, http.StateIdle:
	}
}

func (p *Proxy) close() { _ = p.server.Close() }

// refuser is a listener that drops connections while the fault says so.
type refuser struct {
	net.Listener
	proxy *Proxy
}

// Accept waits for a connection that is not to be refused.
func (r *refuser) Accept() (net.Conn, error) {
	for {
		conn, err := r.Listener.Accept()
		if err != nil || !r.proxy.current().Refuse {
			return conn, err
		}
		if err := conn.Close(); err != nil && errors.Is(err, net.ErrClosed) {
			return nil, err
		}
	}
}

type discard struct{}

// Write drops what it is given.
func (discard) Write(p []byte) (int, error) { return len(p), nil }
