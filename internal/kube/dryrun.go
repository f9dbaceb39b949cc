package kube

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/waiters"
)

var _ waiters.DryRunner = (*Client)(nil)

// DryRunCreate implements waiters.DryRunner: it asks the API server to create
// obj without keeping it. A webhook's or a policy's No comes back as the
// server's own Forbidden, which Classify tells from a lack of permission.
func (c *Client) DryRunCreate(ctx context.Context, obj *unstructured.Unstructured) error {
	gvk := obj.GroupVersionKind()
	err := c.ask(ctx, func(ctx context.Context) error {
		found, err := c.mapper.find(ctx, gvk)
		if err != nil {
			return err
		}
		_, err = c.at(found, obj.GetNamespace()).Create(ctx, obj, metav1.CreateOptions{
			DryRun: []string{metav1.DryRunAll}, FieldManager: FieldManager,
		})
		return err
	})
	if apierrors.IsForbidden(err) && !lacksPermission(err) {
		return err
	}
	return c.terminal(err, request{verb: "create", resource: kindName(gvk), namespace: obj.GetNamespace()})
}

// lacksPermission recognises the authoriser's refusal among everything that is
// answered with 403; apiserver has no other mark for it
// (k8s.io/apiserver, endpoints/handlers/responsewriters/errors.go, forbiddenMessage).
func lacksPermission(err error) bool {
	text := err.Error()
	return strings.Contains(text, " cannot create resource ") || strings.Contains(text, " cannot create path ")
}
