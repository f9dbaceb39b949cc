package kube

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/waiters"
)

var _ bootstrap.Seeder = (*Client)(nil)

// seedManager is the field manager of kustomize-controller (its main.go,
// controllerName): what is applied under this name, it adopts without a trace.
const seedManager = "kustomize-controller"

// Seed implements bootstrap.Seeder.
func (c *Client) Seed(ctx context.Context, object *unstructured.Unstructured, dryRun bool) error {
	body, err := json.Marshal(object)
	if err != nil {
		return waiters.TerminalError(fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err))
	}
	options := metav1.PatchOptions{FieldManager: seedManager, FieldValidation: metav1.FieldValidationWarn}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	gvk := object.GroupVersionKind()
	apply := func() error {
		return c.ask(ctx, func(ctx context.Context) error {
			found, err := c.mapper.find(ctx, gvk)
			if err != nil {
				return err
			}
			_, err = c.at(found, object.GetNamespace()).Patch(ctx, object.GetName(), types.ApplyPatchType, body, options)
			return err
		})
	}
	err = apply()
	if kindGone(err) {
		c.mapper.forget(gvk.Group)
		err = apply()
	}
	if notByRetry(err) {
		return waiters.TerminalError(err)
	}
	return c.terminal(err, request{verb: "patch", resource: kindName(gvk), namespace: object.GetNamespace()})
}

// notByRetry recognises the answers that are about the object itself. A
// webhook's or a policy's No is one of them; that a webhook does not answer is
// not.
func notByRetry(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsConflict(err) ||
		apierrors.IsForbidden(err) && fromAdmission(err)
}
