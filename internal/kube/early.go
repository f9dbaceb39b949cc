package kube

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
)

// Early lists the objects of the kinds that standup applied early and that Flux
// has not applied since, in the order of the kinds. Only metadata is read. Kinds
// that are not served have none; those that may not be listed are returned as
// well.
func (c *Client) Early(ctx context.Context, kinds []schema.GroupKind) (found []bootstrap.Early, hidden []schema.GroupKind, err error) {
	for _, gk := range kinds {
		err := c.ask(ctx, func(ctx context.Context) error {
			at, err := c.mapper.find(ctx, gk.WithVersion(""))
			if err != nil {
				return err
			}
			list, err := c.metadata.Resource(at.GroupVersionResource).List(ctx, metav1.ListOptions{LabelSelector: bootstrap.EarlySelector})
			if err != nil {
				return err
			}
			for i := range list.Items {
				if e, ours := bootstrap.EarlyOf(gk.Kind, &list.Items[i]); ours {
					found = append(found, e)
				}
			}
			return nil
		})
		switch {
		case apierrors.IsNotFound(err):
		case apierrors.IsForbidden(err):
			hidden = append(hidden, gk)
		case err != nil:
			return nil, nil, c.typed(err, request{verb: "list", resource: gk.String()})
		}
	}
	return slices.Clip(found), hidden, nil
}
