package lab

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
)

// Kubeconfig is the path of a kubeconfig of a cluster admin.
func (c *Cluster) Kubeconfig() string { return c.path("kubeconfig") }

// Config is a client configuration of a cluster admin. It is a copy.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.client.config) }

// adminConfig makes a configuration of a user in the group system:masters.
func (c *Cluster) adminConfig(user string) (*rest.Config, error) {
	pair, err := c.ca.Issue(user, []string{"system:masters"})
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: c.apiURL(),
		TLSClientConfig: rest.TLSClientConfig{
			CAData: c.ca.CertPEM, CertData: pair.Cert, KeyData: pair.Key,
		},
		UserAgent: user,
		// The lab's own requests must never be the thing that is slow.
		QPS: -1,
	}, nil
}

func (c *Cluster) writeAdminKubeconfig() error {
	cfg := c.client.config
	return writeKubeconfig(c.Kubeconfig(), c.apiURL(), cfg.CAData, map[string]any{
		"client-certificate-data": cfg.CertData,
		"client-key-data":         cfg.KeyData,
	})
}

// writeKubeconfig writes a kubeconfig with one context. JSON is YAML, and
// encoding/json turns bytes into the base64 that the format wants.
func writeKubeconfig(path, server string, ca []byte, user map[string]any) error {
	const name = "lab"
	doc := map[string]any{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": name,
		"clusters": []any{map[string]any{
			"name": name, "cluster": map[string]any{"server": server, "certificate-authority-data": ca},
		}},
		"users": []any{map[string]any{"name": name, "user": user}},
		"contexts": []any{map[string]any{
			"name": name, "context": map[string]any{"cluster": name, "user": name, "namespace": FluxNamespace},
		}},
	}
	raw, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	return nil
}
