package standin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/catalog"
)

// CRD makes a CustomResourceDefinition that takes any object of the kind and
// has a status subresource. The catalogue knows names, not schemas.
func CRD(k catalog.Kind, labels map[string]string) *unstructured.Unstructured {
	storage := storageVersion(k.Versions)
	versions := make([]any, 0, len(k.Versions))
	for _, v := range k.Versions {
		versions = append(versions, map[string]any{
			"name": v, "served": true, "storage": v == storage,
			"subresources": map[string]any{"status": map[string]any{}},
			"schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "x-kubernetes-preserve-unknown-fields": true,
			}},
		})
	}
	crd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": k.CRDName()},
		"spec": map[string]any{
			"group": k.Group,
			"scope": string(k.Scope),
			"names": map[string]any{
				"kind": k.Kind, "plural": k.Plural,
				"singular": strings.ToLower(k.Kind), "listKind": k.Kind + "List",
			},
			"versions": versions,
		},
	}}
	crd.SetLabels(labels)
	if strings.HasSuffix("."+k.Group, ".k8s.io") || strings.HasSuffix("."+k.Group, ".kubernetes.io") {
		// The API server guards these groups.
		crd.SetAnnotations(map[string]string{"api-approved.kubernetes.io": "unapproved, made by the lab"})
	}
	return crd
}

// storageVersion is the most stable version of the list.
func storageVersion(versions []string) string {
	rank := func(v string) int {
		switch {
		case strings.Contains(v, "alpha"):
			return 2
		case strings.Contains(v, "beta"):
			return 1
		default:
			return 0
		}
	}
	return slices.MinFunc(versions, func(a, b string) int { return rank(a) - rank(b) })
}

// createCRDs makes the kinds served. A CRD that exists is left as it is: the
// tree may bring a better one.
func (r *Runner) createCRDs(ctx context.Context, kinds []catalog.Kind, labels map[string]string) error {
	for _, k := range kinds {
		if err := r.create(ctx, crds(), CRD(k, labels)); err != nil {
			return fmt.Errorf("create the kind %s: %w", k.GroupKind(), err)
		}
	}
	return nil
}

// served says whether all kinds are Established.
func (r *Runner) served(ctx context.Context, kinds []catalog.Kind) (bool, error) {
	for _, k := range kinds {
		crd, err := r.get(ctx, crds(), "", k.CRDName())
		if err != nil || crd == nil || !isTrue(crd, "Established") {
			return false, err
		}
	}
	return true, nil
}
