package lab

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// TestFeatures tries what does not need Flux, on one cluster.
func TestFeatures(t *testing.T) {
	t.Parallel()
	ctx, c := start(t, Options{NoControllers: true})
	t.Run("a token works until it is revoked", testIdentity(ctx, c))
	t.Run("the proxy misbehaves on demand", testProxy(ctx, c))
	t.Run("the proxy cuts a watch", testCut(ctx, c))
	t.Run("a webhook refuses, allows, denies", testWebhook(ctx, c))
	t.Run("the API server comes back with its data", testAPIServer(ctx, c))
}

const readConfigMaps = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: flux-system}]
`

// as makes a client of an identity.
func as(t *testing.T, c *Cluster, id *Identity, server string) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfig(&rest.Config{
		Host: server, BearerToken: id.Token, UserAgent: "probe/1.0 (lab)",
		TLSClientConfig: rest.TLSClientConfig{CAData: c.ca.CertPEM},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func testIdentity(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		id, err := c.KubeconfigFor(ctx, "reader", []byte(readConfigMaps), IdentityOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(id.Kubeconfig); err != nil || !strings.Contains(string(raw), id.Token) {
			t.Errorf("the kubeconfig has no token in it: %v", err)
		}
		client := as(t, c, id, c.apiURL())
		// RBAC takes a moment to reach the authorizer.
		err = c.WaitFor(within(ctx, t, 10*time.Second), func() (bool, error) {
			_, err := client.Resource(configMaps()).List(ctx, metav1.ListOptions{})
			if apierrors.IsForbidden(err) {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			t.Errorf("list configmaps: %v", err)
		}
		if _, err := client.Resource(Kustomizations()).List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("list kustomizations: got %v, want Forbidden", err)
		}
		if err := id.Revoke(within(ctx, t, 20*time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Resource(configMaps()).List(ctx, metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
			t.Errorf("after Revoke: got %v, want Unauthorized", err)
		}
	}
}

func testProxy(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		id, err := c.KubeconfigFor(ctx, "proxied", nil, IdentityOptions{Proxied: true})
		if err != nil {
			t.Fatal(err)
		}
		client := as(t, c, id, c.Proxy().URL())
		list := func() error {
			_, err := client.Resource(configMaps()).Namespace("default").List(within(ctx, t, 5*time.Second), metav1.ListOptions{})
			return err
		}
		if err := c.WaitFor(within(ctx, t, 10*time.Second), func() (bool, error) { return list() == nil, nil }); err != nil {
			t.Fatal(list())
		}
		c.Proxy().ResetRequests()
		if err := list(); err != nil {
			t.Error(err)
		}
		want := Request{Agent: "probe", Verb: "list", Resource: "configmaps"}
		if got := c.Proxy().Requests(); got[want] != 1 || len(got) != 1 {
			t.Errorf("got %v, want one %v", got, want)
		}
		c.Proxy().SetFault(ProxyFault{Status: http.StatusUnauthorized}, 0)
		if err := list(); !apierrors.IsUnauthorized(err) {
			t.Errorf("with 401: got %v", err)
		}
		c.Proxy().SetFault(ProxyFault{Status: http.StatusServiceUnavailable, Only: func(r Request) bool { return r.Verb == "watch" }}, 0)
		if err := list(); err != nil {
			t.Errorf("with a fault for watches only: got %v", err)
		}
		c.Proxy().SetFault(ProxyFault{Delay: 300 * time.Millisecond}, 0)
		began := time.Now()
		if err := list(); err != nil || time.Since(began) < 300*time.Millisecond {
			t.Errorf("with a delay: got %v after %s", err, time.Since(began))
		}
		c.Proxy().SetFault(ProxyFault{Refuse: true}, 0)
		c.Proxy().Cut()
		if err := list(); err == nil {
			t.Error("with refused connections: got no error")
		}
		c.Proxy().Heal()
		if err := list(); err != nil {
			t.Errorf("healed: got %v", err)
		}
	}
}

func testCut(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		id, err := c.KubeconfigFor(ctx, "cut", nil, IdentityOptions{Proxied: true})
		if err != nil {
			t.Fatal(err)
		}
		client := as(t, c, id, c.Proxy().URL())
		w, err := client.Resource(configMaps()).Namespace("default").Watch(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		if err := c.Apply(ctx, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seen}\n")); err != nil {
			t.Fatal(err)
		}
		deadline := time.After(5 * time.Second)
		for cut := false; ; {
			select {
			case e, open := <-w.ResultChan():
				if !open {
					if !cut {
						t.Error("the watch ended before it was cut")
					}
					return
				}
				if !cut && e.Object != nil {
					cut = true
					c.Proxy().Cut()
				}
			case <-deadline:
				t.Fatal("the watch neither saw the object nor ended")
			}
		}
	}
}

func testWebhook(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		hook, err := c.Webhook(ctx, WebhookOptions{Resources: []string{"secrets"}})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		apply := func() error {
			n++
			return c.Apply(ctx, fmt.Appendf(nil, "apiVersion: v1\nkind: Secret\nmetadata: {name: s%d}\n", n))
		}
		if err := apply(); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("nobody listens: got %v, want connection refused", err)
		}
		if err := hook.Open(ctx); err != nil {
			t.Fatal(err)
		}
		if err := apply(); err != nil {
			t.Errorf("open: got %v", err)
		}
		hook.Deny("not on a Monday")
		if err := apply(); err == nil || !strings.Contains(err.Error(), "not on a Monday") {
			t.Errorf("deny: got %v", err)
		}
		if hook.Calls() != 2 {
			t.Errorf("got %d calls, want 2", hook.Calls())
		}
		hook.Close()
	}
}

func testAPIServer(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		if err := c.Apply(ctx, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\n")); err != nil {
			t.Fatal(err)
		}
		c.KillAPIServer()
		if _, err := c.Get(ctx, configMaps(), "default", "kept"); err == nil {
			t.Error("got an answer from a killed API server")
		}
		if err := c.Err(); err != nil {
			t.Errorf("Err complains of what was done on purpose: %v", err)
		}
		began := time.Now()
		if err := c.StartAPIServer(ctx); err != nil {
			t.Fatal(err)
		}
		t.Logf("back after %s", time.Since(began).Round(time.Millisecond))
		if _, err := c.Get(ctx, configMaps(), "default", "kept"); err != nil {
			t.Error(err)
		}
	}
}
