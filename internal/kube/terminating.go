package kube

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Terminating implements bootstrap.Inspector.
func (c *Client) Terminating(ctx context.Context, names []string) ([]string, error) {
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	var going []string
	for _, name := range names {
		err := c.ask(ctx, func(ctx context.Context) error {
			found, err := c.metadata.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
			if err == nil && found.DeletionTimestamp != nil {
				going = append(going, name)
			}
			return err
		})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
			return nil, c.typed(err, request{verb: "get", resource: "customresourcedefinitions.apiextensions.k8s.io"})
		}
	}
	return going, nil
}
