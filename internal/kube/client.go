package kube

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/standup-sh/standup/bootstrap"
)

// Client is a connection to one cluster. It is safe for concurrent use.
type Client struct {
	host, context, namespace string
	timeout                  time.Duration
	debugf, warnf            func(format string, args ...any)

	dynamic   dynamic.Interface
	metadata  metadata.Interface
	clientset kubernetes.Interface
	discovery discovery
	mapper    *mapper
	statuses  statuses
	// ready asks whether the API server believes its own answers yet.
	ready func(context.Context) readiness
}

var (
	_ bootstrap.Looker = (*Client)(nil)
	_ bootstrap.Writer = (*Client)(nil)

	_ bootstrap.Restarter = (*Client)(nil)
)

// Connect finds the cluster as kubectl does. It sends no request; Ping does.
// The error is an *UnauthorisedError.
func Connect(o Options) (*Client, error) {
	o = o.withDefaults()
	redirectKlog(o.Debugf)
	config, name, err := loadConfig(o)
	if err != nil {
		return nil, err
	}
	tune(config, o)
	c, err := newClient(config, o)
	if err != nil {
		return nil, badConfig(fmt.Errorf("kubeconfig: %w", err))
	}
	c.context = name
	return c, nil
}

func newClient(config *rest.Config, o Options) (*Client, error) {
	shared, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	dyn, err := dynamic.NewForConfigAndClient(config, shared)
	if err != nil {
		return nil, err
	}
	meta, err := metadata.NewForConfigAndClient(config, shared)
	if err != nil {
		return nil, err
	}
	clientset, err := kubernetes.NewForConfigAndClient(config, shared)
	if err != nil {
		return nil, err
	}
	ready, err := readyz(config)
	if err != nil {
		return nil, err
	}
	disco := restDiscovery{clientset.Discovery()}
	return &Client{
		host: config.Host, namespace: o.Namespace, timeout: o.Timeout, debugf: o.Debugf, warnf: o.Warnf,
		dynamic: dyn, metadata: meta, clientset: clientset, ready: ready,
		discovery: disco, mapper: newMapper(disco),
	}, nil
}

// ContextName returns the kubeconfig context in use, or "in-cluster".
func (c *Client) ContextName() string { return c.context }

// Namespace returns the namespace that was asked for, or DefaultNamespace.
func (c *Client) Namespace() string { return c.namespace }

// Host returns the API server's address.
func (c *Client) Host() string { return c.host }
