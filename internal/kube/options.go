package kube

import "time"

// DefaultNamespace is Flux's own, and ours where none is given.
const DefaultNamespace = "flux-system"

// FieldManager is the name under which standup writes. Names that begin with
// kubectl are adopted by Flux, which then undoes what they wrote.
const FieldManager = "standup"

// Options say which cluster, as whom, and how hard to press it. The zero value
// is what kubectl would use.
type Options struct {
	Kubeconfig string // a path; else $KUBECONFIG, ~/.kube/config, in-cluster
	Context    string // else the kubeconfig's current one
	Namespace  string // else DefaultNamespace
	As         string // user to impersonate
	AsGroups   []string

	Version string // of standup, for the user agent

	// QPS and Burst bound our requests. client-go's own 5 and 10 would throttle
	// forty probes; the server's priority and fairness protects it better.
	QPS   float32
	Burst int
	// Timeout is for one request other than a watch.
	Timeout time.Duration

	// Debugf receives what client-go logs and what this package decided.
	// Warnf receives the server's warnings and what a person should know. Nil
	// drops them; nothing is ever written to stderr, which a table may own.
	Debugf, Warnf func(format string, args ...any)
}

func (o Options) withDefaults() Options {
	if o.Namespace == "" {
		o.Namespace = DefaultNamespace
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.QPS == 0 {
		o.QPS = 50
	}
	if o.Burst == 0 {
		o.Burst = 100
	}
	if o.Timeout == 0 {
		o.Timeout = 15 * time.Second
	}
	drop := func(string, ...any) {}
	if o.Debugf == nil {
		o.Debugf = drop
	}
	if o.Warnf == nil {
		o.Warnf = drop
	}
	return o
}
