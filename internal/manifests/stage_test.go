package manifests_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestStagesAreThoseOfTheController(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]manifests.Stage{
		"CustomResourceDefinition.apiextensions.k8s.io": manifests.Definitions,
		"Namespace":                                    manifests.Definitions,
		"ClusterRole.rbac.authorization.k8s.io":        manifests.Definitions,
		"StorageClass.storage.k8s.io":                  manifests.Classes,
		"GatewayClass.gateway.networking.k8s.io":       manifests.Classes,
		"ProxyClass.tailscale.com":                     manifests.Classes,
		"ClusterRoleBinding.rbac.authorization.k8s.io": manifests.Rest,
		"Namespace.tenancy.example.org":                manifests.Rest,
		"Classroom.example.org":                        manifests.Rest,
		"HelmRelease.helm.toolkit.fluxcd.io":           manifests.Rest,
	} {
		o := manifests.Object{Unstructured: &unstructured.Unstructured{}}
		o.SetGroupVersionKind(schema.ParseGroupKind(kind).WithVersion("v1"))
		if got := o.Stage(); got != want {
			t.Errorf("%s: stage %d, want %d", kind, got, want)
		}
	}
}
