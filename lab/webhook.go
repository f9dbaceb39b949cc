package lab

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// WebhookOptions say what a webhook is asked about.
type WebhookOptions struct {
	// Name of the ValidatingWebhookConfiguration; "lab" if empty.
	Name string
	// Groups, Versions and Resources are those of its one rule. Empty Groups
	// mean the core group, empty Versions all.
	Groups, Versions, Resources []string
	// Namespace limits it to the objects of one namespace.
	Namespace string
	// Timeout is how long the API server waits for it; 5s if 0.
	Timeout time.Duration
}

// Webhook is a validating admission webhook that refuses connections until it
// is opened.
type Webhook struct {
	addr string
	tls  *tls.Config

	mu     sync.Mutex
	server *http.Server
	deny   string
	calls  int
}

// Webhook registers a validating webhook with failurePolicy Fail whose address
// nobody listens on: until Open, every request that it matches fails with
// "connection refused".
func (c *Cluster) Webhook(ctx context.Context, o WebhookOptions) (*Webhook, error) {
	r, err := c.reserve(1)
	if err != nil {
		return nil, err
	}
	pair, err := c.ca.Issue("lab-webhook", nil)
	if err != nil {
		return nil, err
	}
	cfg, err := pair.TLS()
	if err != nil {
		return nil, err
	}
	w := &Webhook{addr: r.Addr(0), tls: cfg}
	name := cmp.Or(o.Name, "lab")
	if err := c.ApplyObjects(ctx, []*unstructured.Unstructured{w.configuration(name, o, c.ca.CertPEM)}); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, w.Close)
	return w, c.webhookActive(ctx, name)
}

// webhookActive gives the API server, which learns of webhooks by a watch, the
// time to see it: its list is read back from the watch cache.
func (c *Cluster) webhookActive(ctx context.Context, name string) error {
	gvr := schema.GroupVersionResource{
		Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations",
	}
	if _, err := c.client.dynamic.Resource(gvr).Get(ctx, name, metav1.GetOptions{ResourceVersion: "0"}); err != nil {
		return fmt.Errorf("webhook %s: %w", name, err)
	}
	if !pause(ctx, 200*time.Millisecond) {
		return context.Cause(ctx)
	}
	return nil
}

func (w *Webhook) configuration(name string, o WebhookOptions, ca []byte) *unstructured.Unstructured {
	list := func(in []string, def string) []any {
		if len(in) == 0 {
			return []any{def}
		}
		out := make([]any, 0, len(in))
		for _, s := range in {
			out = append(out, s)
		}
		return out
	}
	hook := map[string]any{
		"name":                    name + ".lab.standup.example.org",
		"admissionReviewVersions": []any{"v1"},
		"sideEffects":             "None",
		"failurePolicy":           "Fail",
		"timeoutSeconds":          int64(max(cmp.Or(o.Timeout, 5*time.Second).Seconds(), 1)),
		"clientConfig":            map[string]any{"url": "https://" + w.addr + "/validate", "caBundle": ca},
		"rules": []any{map[string]any{
			"apiGroups": list(o.Groups, ""), "apiVersions": list(o.Versions, "*"), "resources": list(o.Resources, "*"),
			"operations": []any{"CREATE", "UPDATE"},
		}},
	}
	if o.Namespace != "" {
		hook["namespaceSelector"] = map[string]any{
			"matchLabels": map[string]any{"kubernetes.io/metadata.name": o.Namespace},
		}
	}
	raw, _ := json.Marshal(map[string]any{ // strings and numbers only: cannot fail
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"metadata": map[string]any{"name": name}, "webhooks": []any{hook},
	})
	obj := &unstructured.Unstructured{}
	_ = obj.UnmarshalJSON(raw) // and neither can this
	return obj
}

// Open starts to listen, and to allow everything unless Deny was called.
func (w *Webhook) Open(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server != nil {
		return nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", w.addr)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	server := &http.Server{Handler: w, TLSConfig: w.tls, ReadHeaderTimeout: 10 * time.Second}
	w.server = server
	go func() { _ = server.ServeTLS(l, "", "") }()
	return nil
}

// Close stops listening: connections are refused again.
func (w *Webhook) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server != nil {
		_ = w.server.Close()
		w.server = nil
	}
}

// Deny makes the webhook deny everything with a message; "" allows again.
func (w *Webhook) Deny(message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deny = message
}

// Calls counts the requests that were answered.
func (w *Webhook) Calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

// ServeHTTP answers an AdmissionReview.
func (w *Webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var review struct {
		Request struct {
			UID string `json:"uid"`
		} `json:"request"`
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	w.calls++
	deny := w.deny
	w.mu.Unlock()
	response := map[string]any{"uid": review.Request.UID, "allowed": deny == ""}
	if deny != "" {
		response["status"] = map[string]any{"message": deny, "code": http.StatusForbidden}
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response,
	})
}
