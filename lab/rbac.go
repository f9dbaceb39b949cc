package lab

import (
	"context"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Identity is a service account with a token of its own.
type Identity struct {
	// Kubeconfig is the path of a kubeconfig that uses the token.
	Kubeconfig string
	// Token is the token itself.
	Token string

	cluster         *Cluster
	namespace, name string
}

// IdentityOptions say how an identity reaches the API server.
type IdentityOptions struct {
	// Namespace of the service account; flux-system if empty.
	Namespace string
	// Proxied goes through the fault proxy, where requests are counted.
	Proxied bool
}

// KubeconfigFor applies the RBAC manifest and makes the service account that is
// bound by it: the manifest's bindings have to name ServiceAccount NAME in the
// namespace. With an empty manifest the account is bound to cluster-admin.
func (c *Cluster) KubeconfigFor(ctx context.Context, name string, rbac []byte, o IdentityOptions) (*Identity, error) {
	id := &Identity{cluster: c, namespace: o.Namespace, name: name}
	if id.namespace == "" {
		id.namespace = FluxNamespace
	}
	if len(rbac) == 0 {
		rbac = fmt.Appendf(nil, adminBinding, name, id.namespace)
	}
	account := fmt.Appendf(nil, "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: %s, namespace: %s}\n", name, id.namespace)
	for _, manifest := range [][]byte{account, rbac} {
		if err := c.Apply(ctx, manifest); err != nil {
			return nil, fmt.Errorf("identity %s: %w", name, err)
		}
	}
	var err error
	if id.Token, err = c.token(ctx, id.namespace, name); err != nil {
		return nil, fmt.Errorf("identity %s: %w", name, err)
	}
	server, suffix := c.apiURL(), ""
	if o.Proxied {
		server, suffix = c.proxy.URL(), ".proxied"
	}
	id.Kubeconfig = c.path("kubeconfig." + name + suffix)
	return id, writeKubeconfig(id.Kubeconfig, server, c.ca.CertPEM, map[string]any{"token": id.Token})
}

const adminBinding = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: lab-%[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: %[1]s, namespace: %[2]s}]
`

// token asks the API server for a token, as kubectl create token does.
func (c *Cluster) token(ctx context.Context, namespace, name string) (string, error) {
	accounts := c.in(schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}, namespace)
	request := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"expirationSeconds": int64(86400)},
	}}
	got, err := accounts.Create(ctx, request, metav1.CreateOptions{}, "token")
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	token, _, err := unstructured.NestedString(got.Object, "status", "token")
	return token, err
}

// Revoke deletes the service account, which kills its tokens, and returns when
// the API server refuses the token. That takes up to 10 s: the API server keeps
// a token that it has seen for so long. For a refusal at once, use the fault
// proxy with the answer 401.
func (id *Identity) Revoke(ctx context.Context) error {
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	if err := id.cluster.Delete(ctx, gvr, id.namespace, id.name); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("revoke %s: %w", id.name, err)
	}
	cfg := &rest.Config{
		Host: id.cluster.apiURL(), BearerToken: id.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: id.cluster.ca.CertPEM},
	}
	hc, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return fmt.Errorf("revoke %s: %w", id.name, err)
	}
	defer hc.CloseIdleConnections()
	return every(ctx, 100*time.Millisecond, func() (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, cfg.Host+"/api", nil)
		if err != nil {
			return false, err
		}
		resp, err := hc.Do(req)
		if err != nil {
			return false, err
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusUnauthorized, nil
	})
}
