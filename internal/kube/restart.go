package kube

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// restartedAt is what `kubectl rollout restart` sets.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// Restart implements bootstrap.Restarter: it rolls the controller's Deployment,
// in Flux's namespace, as kubectl rollout restart does.
func (c *Client) Restart(ctx context.Context, controller, token string) error {
	body, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{restartedAt: token}},
	}}})
	if err != nil {
		return fmt.Errorf("deployment %s: %w", controller, err)
	}
	err = c.ask(ctx, func(ctx context.Context) error {
		_, err := c.clientset.AppsV1().Deployments(c.namespace).Patch(ctx, controller, types.StrategicMergePatchType, body, metav1.PatchOptions{FieldManager: FieldManager})
		return err
	})
	return c.terminal(err, request{verb: "patch", resource: "deployments.apps", namespace: c.namespace})
}
