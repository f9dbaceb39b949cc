package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConfigMap reads the data that a set is substituted with, for manifests.Build.
func (c *Client) ConfigMap(ctx context.Context, namespace, name string) (map[string]string, error) {
	var data map[string]string
	err := c.ask(ctx, func(ctx context.Context) error {
		found, err := c.clientset.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			data = found.Data
		}
		return err
	})
	return data, c.terminal(err, request{verb: "get", resource: "configmaps", namespace: namespace})
}

// Secret is ConfigMap for Secrets. The values are for substitution; nothing
// prints them.
func (c *Client) Secret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	var data map[string][]byte
	err := c.ask(ctx, func(ctx context.Context) error {
		found, err := c.clientset.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			data = found.Data
		}
		return err
	})
	return data, c.terminal(err, request{verb: "get", resource: "secrets", namespace: namespace})
}
