package waiters

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	noKind       = `StorageProfile/longhorn dry-run failed: no matches for kind "StorageProfile" in version "cdi.kubevirt.io/v1beta1"`
	noGroup      = `StorageProfile/longhorn dry-run failed: unable to retrieve the complete list of server APIs: cdi.kubevirt.io/v1beta1: no matches for cdi.kubevirt.io/v1beta1, Resource=`
	noGroup404   = `Widget/apps/w dry-run failed: failed to get API group resources: unable to retrieve the complete list of server APIs: example.io/v1: the server could not find the requested resource`
	noResource   = `StorageProfile/longhorn namespace not specified: the server could not find the requested resource`
	noResourceNS = `Certificate/apps/web not found: the server could not find the requested resource`
	noKindHelm   = `Helm install failed for release apps/web with chart web@1.2.3: unable to build kubernetes objects from release manifest: resource mapping not found for name: "web" namespace: "apps" from "": no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"
ensure CRDs are installed first`
	noKindHealth = `health check failed after 30.1s: timeout waiting for: [StorageProfile/longhorn status: 'Unknown': no matches for kind "StorageProfile" in group "cdi.kubevirt.io"]`
)

func TestClassifyKind(t *testing.T) {
	checkSayings(t, []saying{
		{"classic", "ReconciliationFailed", noKind, MissingKind, NeedsAction, "StorageProfile.cdi.kubevirt.io"},
		{
			"aggregated discovery", "ReconciliationFailed",
			noGroup,
			MissingKind, NeedsAction, "StorageProfile.cdi.kubevirt.io",
		},
		{"older mapper", "ReconciliationFailed", noGroup404, MissingKind, NeedsAction, "Widget.example.io"},
		{
			"stale mapping, cluster-scoped", "ReconciliationFailed",
			noResource,
			MissingKind, NeedsAction, "StorageProfile",
		},
		{
			"stale mapping, namespaced", "ReconciliationFailed",
			noResourceNS,
			MissingKind, NeedsAction, "Certificate",
		},
		{"Helm", "InstallFailed", noKindHelm, MissingKind, NeedsAction, "ServiceMonitor.monitoring.coreos.com"},
		{
			"status poller", "HealthCheckFailed",
			noKindHealth,
			MissingKind, NeedsAction, "StorageProfile.cdi.kubevirt.io",
		},
		{
			"no object named", "ReconciliationFailed",
			"the server could not find the requested resource",
			MissingKind, NeedsAction, "",
		},
		{
			"missing namespace", "ReconciliationFailed",
			`ConfigMap/media/settings not found: namespaces "media" not found`,
			MissingNamespace, NeedsAction, "Namespace media",
		},
		{
			"missing namespace, Helm", "InstallFailed",
			`Helm install failed for release media/plex with chart plex@1.0.0: create: failed to create: namespaces "media" not found`,
			MissingNamespace, NeedsAction, "Namespace media",
		},
		{
			"terminating namespace", "ReconciliationFailed",
			`ConfigMap/media/settings dry-run failed (Forbidden): configmaps "settings" is forbidden: unable to create new content in namespace media because it is being terminated`,
			MissingNamespace, Passing, "Namespace media",
		},
		{
			"no namespace given", "ReconciliationFailed",
			`ConfigMap/settings namespace not specified: the server could not find the requested resource`,
			InvalidObject, Terminal, "ConfigMap/settings",
		},
	})
}

func TestMissingGVK(t *testing.T) {
	for _, tc := range []struct {
		name, message string
		want          schema.GroupVersionKind
	}{
		{"classic", noKind, schema.GroupVersionKind{Group: "cdi.kubevirt.io", Version: "v1beta1", Kind: "StorageProfile"}},
		{"aggregated discovery", noGroup, schema.GroupVersionKind{Group: "cdi.kubevirt.io", Version: "v1beta1", Kind: "StorageProfile"}},
		{"older mapper", noGroup404, schema.GroupVersionKind{Group: "example.io", Version: "v1", Kind: "Widget"}},
		{"status poller", noKindHealth, schema.GroupVersionKind{Group: "cdi.kubevirt.io", Kind: "StorageProfile"}},
		{"stale mapping", noResource, schema.GroupVersionKind{Kind: "StorageProfile"}},
		{"core group", `Foo/bar dry-run failed: no matches for kind "Foo" in version "v1"`, schema.GroupVersionKind{Version: "v1", Kind: "Foo"}},
		{"something else", "the moon", schema.GroupVersionKind{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := MissingGVK(tc.message); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
