package cli

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/kube"
	"github.com/standup-sh/standup/rehearsal"
	"github.com/standup-sh/standup/tiers"
)

// addCluster adds what a live cluster has to a baseline: the kinds of its CRDs
// and its Namespaces. Nothing else is read; no Secret is.
func addCluster(ctx context.Context, streams Streams, o common, order *tiers.TierOrder, b *rehearsal.Baseline) error {
	client, err := connect(ctx, o, order, newLogger(streams.Err, o.LogFormat, o.Verbose))
	if err != nil {
		return err
	}
	definitions, err := client.List(ctx, schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	if err != nil {
		return err
	}
	for _, d := range definitions {
		group, _, _ := unstructured.NestedString(d.Object, "spec", "group") // absent is no kind
		kind, _, _ := unstructured.NestedString(d.Object, "spec", "names", "kind")
		if group != "" && kind != "" {
			b.Kinds = append(b.Kinds, group+"/"+kind)
		}
	}
	return addNamespaces(ctx, client, b)
}

func addNamespaces(ctx context.Context, client *kube.Client, b *rehearsal.Baseline) error {
	namespaces, err := client.List(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"})
	if err != nil {
		return err
	}
	for _, n := range namespaces {
		b.Objects = append(b.Objects, rehearsal.BaselineObject{Kind: "Namespace", Name: n.GetName()})
	}
	return nil
}
