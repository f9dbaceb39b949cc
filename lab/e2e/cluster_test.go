package e2e

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/lab"
)

// applyStatus writes the status of one object, as its operator would.
func applyStatus(t *testing.T, c *lab.Cluster, manifest string) {
	t.Helper()
	var obj unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(manifest), &obj.Object); err != nil {
		t.Fatal(err)
	}
	resource, err := c.Resource(obj.GroupVersionKind(), obj.GetNamespace())
	if err != nil {
		t.Fatal(err)
	}
	data, err := obj.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := resource.Patch(t.Context(), obj.GetName(), types.MergePatchType, data, metav1.PatchOptions{FieldManager: "operator"}, "status"); err != nil {
		t.Fatal(err)
	}
}

func patchDeployment(t *testing.T, c *lab.Cluster, name string, patch map[string]any) {
	t.Helper()
	gvr := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	if err := c.Patch(t.Context(), gvr, lab.FluxNamespace, name, patch, "kubectl-scale"); err != nil {
		t.Fatal(err)
	}
}

// secrets are the decoded values of every Secret of the cluster.
func secrets(t *testing.T, c *lab.Cluster) []string {
	t.Helper()
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	list, err := c.Dynamic().Resource(gvr).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, s := range list.Items {
		data, _, _ := unstructured.NestedStringMap(s.Object, "data")
		for _, v := range data {
			plain, err := base64.StdEncoding.DecodeString(v)
			value := strings.TrimSpace(string(plain))
			// A value that is the name of a tier is no secret: every output has it.
			if err == nil && len(value) > 5 && !slices.Contains(homelab(), value) {
				values = append(values, value, v)
			}
		}
	}
	if len(values) == 0 {
		t.Fatal("the cluster has no Secret value that could leak")
	}
	return values
}

// frugal checks what a run costs the API server: no polling of Flux objects,
// and at most three writes an object.
func frugal(t *testing.T, c *lab.Cluster) {
	t.Helper()
	kustomizations := 11
	for r, n := range c.Proxy().Requests() {
		if r.Agent != "standup" || !strings.Contains(r.Resource, "toolkit.fluxcd.io") {
			continue
		}
		group := strings.SplitN(r.Resource, ".", 2)[1]
		flux := strings.HasPrefix(group, "kustomize.") || strings.HasPrefix(group, "source.") && !strings.HasPrefix(r.Resource, "helm")
		switch {
		case !flux:
		case r.Verb == "get":
			t.Errorf("%d polls of %s", n, r.Resource)
		case (r.Verb == "list" || r.Verb == "watch") && n > 2:
			t.Errorf("%d times %s %s, want one of each", n, r.Verb, r.Resource)
		case r.Verb == "patch" && n > 3*kustomizations:
			t.Errorf("%d writes to %s for %d objects", n, r.Resource, kustomizations)
		}
	}
}
