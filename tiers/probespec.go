package tiers

import "time"

// ProbeSpec is a readiness probe of a tier: what must hold before the tier counts
// as done, and what Flux's own Ready does not say. Exactly one of Object,
// KindServed, Workload, Webhook, TCP and HTTP is set.
type ProbeSpec struct {
	Name string `yaml:"name"`
	// Timeout defaults to the tier's.
	Timeout time.Duration `yaml:"timeout,omitempty"`

	// Object is judged by Current, InProgress and Failed, which are CEL over
	// metadata, spec and status as in Flux's healthCheckExprs. Without Current
	// it must be Current by kstatus.
	Object     *ObjectRef `yaml:"object,omitempty"`
	Current    string     `yaml:"current,omitempty"`
	InProgress string     `yaml:"inProgress,omitempty"`
	Failed     string     `yaml:"failed,omitempty"`

	// KindServed holds when the API server serves the kind.
	KindServed *KindRef `yaml:"kindServed,omitempty"`
	// Workload holds when the workload is rolled out and available.
	Workload *WorkloadRef `yaml:"workload,omitempty"`
	// Webhook holds when a server-side dry-run create of the object passes
	// admission.
	Webhook *WebhookProbe `yaml:"webhook,omitempty"`
	// TCP is a host:port that must accept a connection.
	TCP string `yaml:"tcp,omitempty"`
	// HTTP must answer.
	HTTP *HTTPProbe `yaml:"http,omitempty"`

	// Pos is where the probe stands in the file.
	Pos Position `yaml:"-"`
}

// ObjectRef names any object of the cluster.
type ObjectRef struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	// Namespace is empty for cluster-scoped kinds.
	Namespace string `yaml:"namespace,omitempty"`
	Name      string `yaml:"name"`
}

// KindRef names a kind by its API version, or in any version of its group.
type KindRef struct {
	APIVersion string `yaml:"apiVersion,omitempty"`
	Group      string `yaml:"group,omitempty"`
	Kind       string `yaml:"kind"`
}

// WorkloadRef names a Deployment, StatefulSet or DaemonSet.
type WorkloadRef struct {
	Kind      string `yaml:"kind"`
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
}

// WebhookProbe is an object to create in a dry run. Numbers in it are int64 or
// float64, as Kubernetes' unstructured objects want them.
type WebhookProbe struct {
	Object map[string]any `yaml:"object"`
}

// HTTPProbe is a request that must be answered with Status; zero means any 2xx.
type HTTPProbe struct {
	URL    string `yaml:"url"`
	Status int    `yaml:"status,omitempty"`
}
