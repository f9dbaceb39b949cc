package kube

import (
	"context"
	"encoding/json"
	"fmt"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/standup-sh/standup/tiers"
)

// Resume implements bootstrap.Writer.
func (c *Client) Resume(ctx context.Context, ref tiers.Ref) error {
	return c.patch(ctx, ref, map[string]any{"spec": map[string]any{"suspend": nil}})
}

// Nudge implements bootstrap.Writer.
func (c *Client) Nudge(ctx context.Context, ref tiers.Ref, token string) error {
	return c.patch(ctx, ref, map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{meta.ReconcileRequestAnnotation: token},
	}})
}

// Reset implements bootstrap.Writer.
func (c *Client) Reset(ctx context.Context, release tiers.Ref, token string) error {
	return c.patch(ctx, release, map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{meta.ReconcileRequestAnnotation: token, helmv2.ResetRequestAnnotation: token},
	}})
}

// patch is a merge patch and not an apply: an apply would make us an owner,
// and leave a claim on a field that Flux or a person may want back.
func (c *Client) patch(ctx context.Context, ref tiers.Ref, change map[string]any) error {
	body, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	gk := groupKind(ref.Kind)
	err = c.ask(ctx, func(ctx context.Context) error {
		found, err := c.mapper.find(ctx, gk.WithVersion(""))
		if err != nil {
			return err
		}
		_, err = c.at(found, ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: FieldManager})
		return err
	})
	return c.terminal(err, request{verb: "patch", resource: gk.String(), namespace: ref.Namespace})
}

// groupKind gives a Ref's kind its group.
func groupKind(kind string) schema.GroupKind {
	switch kind {
	case tiers.KindKustomization:
		return schema.GroupKind{Group: kustomizev1.GroupVersion.Group, Kind: kind}
	case helmv2.HelmReleaseKind:
		return schema.GroupKind{Group: helmv2.GroupVersion.Group, Kind: kind}
	}
	return schema.GroupKind{Group: sourcev1.GroupVersion.Group, Kind: kind}
}
