package kube

import (
	"cmp"
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// List returns the objects of a kind in all namespaces, sorted, for wedge.Doctor.
// Of a kind that is not served there are none.
func (c *Client) List(ctx context.Context, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	var items []unstructured.Unstructured
	err := c.ask(ctx, func(ctx context.Context) error {
		found, err := c.mapper.find(ctx, gvk)
		if err != nil {
			return err
		}
		list, err := c.at(found, "").List(ctx, metav1.ListOptions{})
		if err == nil {
			items = list.Items
		}
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	slices.SortFunc(items, func(a, b unstructured.Unstructured) int {
		return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
	})
	return items, c.terminal(err, request{verb: "list", resource: kindName(gvk)})
}
