package kube

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

const kubeconfigText = `apiVersion: v1
kind: Config
current-context: home
clusters:
- {name: c, cluster: {server: SERVER}}
contexts:
- {name: home, context: {cluster: c, user: good}}
- {name: lab, context: {cluster: c, user: good, namespace: elsewhere}}
- {name: plugin, context: {cluster: c, user: plugin}}
- {name: torn, context: {cluster: missing, user: good}}
users:
- {name: good, user: {token: t0ken}}
- name: plugin
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: standup-no-such-plugin, interactiveMode: Never}
`

// writeKubeconfig also keeps the machine's own configuration out of the test.
func writeKubeconfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", path)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	return path
}

func TestConnect(t *testing.T) {
	path := writeKubeconfig(t, strings.ReplaceAll(kubeconfigText, "SERVER", "https://cluster.test:6443"))
	for _, tt := range []struct {
		name    string
		options Options
		context string
		ns      string
	}{
		{"the current context, by KUBECONFIG", Options{}, "home", "flux-system"},
		{"another context, by path", Options{Kubeconfig: path, Context: "lab"}, "lab", "flux-system"},
		{"a namespace", Options{Namespace: "flux"}, "home", "flux"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Connect(tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if c.ContextName() != tt.context || c.Namespace() != tt.ns || c.Host() != "https://cluster.test:6443" {
				t.Errorf("context %s, namespace %s, host %s", c.ContextName(), c.Namespace(), c.Host())
			}
		})
	}
}

func TestConnectRefuses(t *testing.T) {
	good := strings.ReplaceAll(kubeconfigText, "SERVER", "https://cluster.test")
	for _, tt := range []struct {
		name, text string
		options    Options
		want       string
	}{
		{"an unknown context", good, Options{Context: "prod"}, `kubeconfig has no context "prod"; there is: home, lab, plugin, torn`},
		{"a context without a cluster", good, Options{Context: "torn"}, `context "torn" is of cluster "missing", which is not`},
		{"no current context", strings.ReplaceAll(good, "current-context: home", ""), Options{}, "choose one with --context: home, lab, plugin, torn"},
		{"a current context that is not there", strings.ReplaceAll(good, "current-context: home", "current-context: x"), Options{}, `no context "x"`},
		{"a broken file", "{", Options{}, "kubeconfig: "},
		{"no such file", good, Options{Kubeconfig: "/nowhere/config"}, "/nowhere/config"},
		{"an empty file", "", Options{}, "no kubeconfig found and not running in a cluster"},
		{"a context of an empty file", "", Options{Context: "prod"}, `no context "prod"; there is: none`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeKubeconfig(t, tt.text)
			_, err := Connect(tt.options)
			if !asError[*UnauthorisedError](err) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %T %v", err, err)
			}
		})
	}
}

func TestRequestsSayWhoWeAre(t *testing.T) {
	var mu sync.Mutex
	seen := make(http.Header)
	// Credentials are sent over TLS only.
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = r.Header.Clone()
		w.Header().Set("Warning", `299 - "version is a thing of the past"`)
		kubetest.Reply(w, 200, map[string]any{"gitVersion": "v1.36.3"})
	}))
	defer server.Close()
	writeKubeconfig(t, strings.ReplaceAll(kubeconfigText, "SERVER", server.URL+", insecure-skip-tls-verify: true"))
	var warned []string
	c, err := Connect(Options{
		Version: "1.2.3", As: "robot", AsGroups: []string{"machines"},
		Warnf: func(format string, args ...any) { warned = append(warned, sprintf(format, args...)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if version, err := c.Ping(t.Context()); err != nil || version != "v1.36.3" {
		t.Errorf("ping: %q, %v", version, err)
	}
	for header, want := range map[string]string{
		"User-Agent": "standup/1.2.3", "Impersonate-User": "robot", "Impersonate-Group": "machines", "Authorization": "Bearer t0ken",
	} {
		if got := seen.Get(header); got != want {
			t.Errorf("%s: %q", header, got)
		}
	}
	if len(warned) != 1 || warned[0] != "API server warns: version is a thing of the past" {
		t.Errorf("warned: %q", warned)
	}
}

func TestCredentialPluginFails(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	writeKubeconfig(t, strings.ReplaceAll(kubeconfigText, "SERVER", server.URL+", insecure-skip-tls-verify: true"))
	c, err := Connect(Options{Context: "plugin"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Ping(t.Context())
	if !asError[*UnauthorisedError](err) || !strings.Contains(err.Error(), "standup-no-such-plugin") {
		t.Errorf("got %T %v", err, err)
	}
}

func TestPingTypes(t *testing.T) {
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	defer tlsServer.Close()
	tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of us
	unauthorised := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			return
		}
		kubetest.Fail(w, 401, "Unauthorized", "Unauthorized")
	}))
	defer unauthorised.Close()
	for _, tt := range []struct {
		name, server string
		check        func(error) bool
	}{
		{"an unknown authority", tlsServer.URL, asError[*UnreachableError]},
		{"no such host", "https://nobody.invalid", asError[*UnreachableError]},
		{"a closed port", "https://127.0.0.1:1", asError[*UnreachableError]},
		{"401", unauthorised.URL, asError[*UnauthorisedError]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeKubeconfig(t, strings.ReplaceAll(kubeconfigText, "SERVER", tt.server))
			c, err := Connect(Options{Debugf: t.Logf})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Ping(t.Context()); !tt.check(err) {
				t.Errorf("got %T %v", err, err)
			}
		})
	}
}
