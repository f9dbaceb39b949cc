package kube

import (
	"context"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/bootstrap"
)

// canAtOnce bounds the reviews that are in flight together.
const canAtOnce = 8

// Can asks the API server which of these accesses we do not have, in the order
// in which they were given. It changes nothing.
func (c *Client) Can(ctx context.Context, wanted []bootstrap.Access) ([]bootstrap.Denied, error) {
	answers := make([]*bootstrap.Denied, len(wanted))
	errs := make([]error, len(wanted))
	slots := make(chan struct{}, canAtOnce)
	var wg sync.WaitGroup
	for n, access := range wanted {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			answers[n], errs[n] = c.can(ctx, access)
		})
	}
	wg.Wait()
	var denied []bootstrap.Denied
	for n := range wanted {
		if errs[n] != nil {
			return nil, errs[n]
		}
		if answers[n] != nil {
			denied = append(denied, *answers[n])
		}
	}
	return denied, nil
}

func (c *Client) can(ctx context.Context, a bootstrap.Access) (*bootstrap.Denied, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: a.Verb, Group: a.Group, Resource: a.Resource, Subresource: a.Subresource, Namespace: a.Namespace, Name: a.Name,
		},
	}}
	err := c.ask(ctx, func(ctx context.Context) error {
		answer, err := c.clientset.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err == nil {
			review.Status = answer.Status
		}
		return err
	})
	if err != nil {
		return nil, c.typed(err, request{verb: "create", resource: "selfsubjectaccessreviews.authorization.k8s.io"})
	}
	if review.Status.Allowed {
		return nil, nil
	}
	return &bootstrap.Denied{Access: a, Reason: review.Status.Reason}, nil
}
