package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/tiers"
)

// early is an object that run RUN has applied for Kustomization contract/apps.
func early(kind, name string) map[string]any {
	o := object("v1", kind, contractNamespace, name, nil)
	meta := o["metadata"].(map[string]any)
	meta["labels"] = map[string]any{"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": contractNamespace}
	meta["annotations"] = map[string]any{bootstrap.PreApplied: "RUN"}
	return o
}

func edited(o map[string]any, field string, value any) map[string]any {
	o["metadata"].(map[string]any)[field] = value
	return o
}

var secretKind = schema.GroupKind{Kind: "Secret"}

// What has our annotation, and an owner, has yet to be handed over.
func TestEarlyFindsWhatIsNotHandedOver(t *testing.T) {
	s := kubetest.New(t)
	s.Put(t, early("Secret", "token"))
	s.Put(t, early("ConfigMap", "vars"))
	s.Put(t, edited(early("ConfigMap", "adopted"), "annotations", nil))
	s.Put(t, edited(early("ConfigMap", "nobodys"), "labels", nil))
	s.Put(t, object("v1", "ConfigMap", contractNamespace, "plain", nil))
	kinds := []schema.GroupKind{secretKind, {Group: "cdi.kubevirt.io", Kind: "CDI"}, configMapGVK.GroupKind()}
	found, hidden, err := connect(t, s).Early(t.Context(), kinds)
	if err != nil || len(hidden) > 0 {
		t.Fatalf("hidden %v, %v", hidden, err)
	}
	want := []bootstrap.Early{
		{Object: tiers.Ref{Kind: "Secret", Namespace: contractNamespace, Name: "token"}, Owner: ref("apps"), Run: "RUN"},
		{Object: tiers.Ref{Kind: "ConfigMap", Namespace: contractNamespace, Name: "vars"}, Owner: ref("apps"), Run: "RUN"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What may not be listed is named, and hides nothing else.
func TestEarlyNamesTheKindsThatMayNotBeListed(t *testing.T) {
	s := kubetest.New(t)
	s.Put(t, early("ConfigMap", "vars"))
	s.SetFault(answering("/secrets", 403, "Forbidden"))
	found, hidden, err := connect(t, s).Early(t.Context(), []schema.GroupKind{secretKind, configMapGVK.GroupKind()})
	if err != nil || len(found) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
	if diff := cmp.Diff([]schema.GroupKind{secretKind}, hidden); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Could not look is not "everything is handed over".
func TestEarlyThatCannotLookSaysSo(t *testing.T) {
	s := kubetest.New(t)
	s.SetFault(answering("/secrets", 503, "ServiceUnavailable"))
	if _, _, err := connect(t, s).Early(t.Context(), []schema.GroupKind{secretKind}); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("got %v", err)
	}
	s.SetFault(answering("/secrets", 401, "Unauthorized"))
	if _, _, err := connect(t, s).Early(t.Context(), []schema.GroupKind{secretKind}); !asError[*UnauthorisedError](err) {
		t.Errorf("got %v", err)
	}
}
