package kube

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

// connect makes a client as Connect does, without a kubeconfig.
func connect(t *testing.T, s *kubetest.Server) *Client {
	t.Helper()
	o := Options{Namespace: "flux-system", Debugf: t.Logf, Warnf: t.Logf}.withDefaults()
	config := &rest.Config{Host: s.URL, BearerToken: kubetest.Token, TLSClientConfig: rest.TLSClientConfig{CAData: s.CA()}}
	tune(config, o)
	c, err := newClient(config, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
