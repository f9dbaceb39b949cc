package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/standup-sh/standup/bootstrap"
)

var _ bootstrap.Downloader = (*Client)(nil)

// directTimeout is how long source-controller may take to accept a connection.
// From outside of the cluster its name does not resolve, or leads nowhere.
const directTimeout = 3 * time.Second

// Download implements bootstrap.Downloader: from the address itself, and where
// that fails and the address is a Service's, through the API server's proxy.
func (c *Client) Download(ctx context.Context, address string) (io.ReadCloser, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("address of the artifact: %w", err)
	}
	body, direct := download(ctx, address)
	if direct == nil {
		return body, nil
	}
	service, namespace, ok := serviceOf(u.Hostname())
	if !ok {
		return nil, direct
	}
	body, proxied := c.throughProxy(ctx, u, service, namespace)
	if proxied == nil {
		return body, nil
	}
	return nil, fmt.Errorf("%w; and through the API server: %w", direct, proxied)
}

// download asks the address itself. No proxy of the environment is asked: the
// address is one of the cluster.
func download(ctx context.Context, address string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library's own
	transport.Proxy, transport.ResponseHeaderTimeout = nil, directTimeout
	transport.DialContext = dialWithin(directTimeout, transport.DialContext)
	transport.DisableKeepAlives = true // one request, and the connection goes with it
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s answers %s", address, response.Status), response.Body.Close())
	}
	return response.Body, nil
}

// serviceOf reads service and namespace from a cluster-internal host name, such
// as source-controller.flux-system.svc.cluster.local., which is how
// source-controller writes it. Shorter names may be anybody's.
func serviceOf(host string) (service, namespace string, ok bool) {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(labels) < 3 || labels[2] != "svc" || labels[0] == "" || labels[1] == "" {
		return "", "", false
	}
	return labels[0], labels[1], true
}

// throughProxy asks the API server to fetch from the Service.
func (c *Client) throughProxy(ctx context.Context, u *url.URL, service, namespace string) (io.ReadCloser, error) {
	port := u.Port()
	if port == "" && u.Scheme == "http" {
		port = "80"
	}
	body, err := c.clientset.CoreV1().Services(namespace).ProxyGet(u.Scheme, service, port, u.Path, nil).Stream(ctx)
	return body, c.typed(err, request{verb: "get", resource: "services/proxy", namespace: namespace})
}

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

func dialWithin(limit time.Duration, dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return dial(ctx, network, address)
	}
}
