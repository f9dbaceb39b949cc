package waiters

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// object reads a manifest the way the API server's answers are read: whole
// numbers are int64.
func object(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	// The marker keeps ToJSON from taking a flow mapping for JSON.
	json, err := yaml.ToJSON([]byte("---\n" + manifest))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(json); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestSourceOf(t *testing.T) {
	got, err := SourceOf(object(t, `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  namespace: flux-system
  name: infra
  generation: 4
  annotations: {reconcile.fluxcd.io/requestedAt: t2}
  deletionTimestamp: "2026-01-01T00:00:00Z"
spec: {url: https://git.lan/x, suspend: true}
status:
  observedGeneration: 3
  lastHandledReconcileAt: t1
  artifact: {revision: main@sha1:1111, url: http://sc/x, path: x, digest: sha256:aa, lastUpdateTime: "2026-01-01T00:00:00Z"}
  conditions:
  - {type: Ready, status: "True", reason: Succeeded, message: ok, observedGeneration: 3, lastTransitionTime: "2026-01-01T00:00:00Z"}
`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Artifact == nil || got.Artifact.Revision != rev1 || len(got.Conditions) != 1 || got.Conditions[0].ObservedGeneration != 3 {
		t.Errorf("status was not read: %+v", got)
	}
	got.Artifact, got.Conditions = nil, nil
	want := Source{
		Kind: "GitRepository", Namespace: "flux-system", Name: "infra", Generation: 4, ObservedGeneration: 3,
		Suspended: true, URL: "https://git.lan/x", RequestedAt: "t2", LastHandled: "t1", Deleting: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSourceOfKinds(t *testing.T) {
	for _, tc := range []struct{ kind, spec, url string }{
		{"OCIRepository", "{url: oci://ghcr.io/x}", "oci://ghcr.io/x"},
		{"Bucket", "{endpoint: minio.lan}", "minio.lan"},
		{"HelmRepository", "{url: https://charts.lan}", "https://charts.lan"},
		{"HelmChart", "{chart: x}", ""},
		{"ExternalArtifact", "{sourceRef: {apiVersion: v1, kind: X, name: x}}", ""},
	} {
		t.Run(tc.kind, func(t *testing.T) {
			got, err := SourceOf(object(t, "{apiVersion: source.toolkit.fluxcd.io/v1, kind: "+tc.kind+", metadata: {namespace: ns, name: x}, spec: "+tc.spec+"}"))
			if err != nil {
				t.Fatal(err)
			}
			want := Source{Kind: tc.kind, Namespace: "ns", Name: "x", URL: tc.url}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSourceOfOCIHelmRepositoryIsStatic(t *testing.T) {
	got, err := SourceOf(object(t, "{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmRepository, metadata: {namespace: ns, name: x}, spec: {type: oci, url: oci://x}}"))
	if err != nil || !got.Static {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSourceOfRefuses(t *testing.T) {
	for name, manifest := range map[string]string{
		"another group": "{apiVersion: v1, kind: GitRepository, metadata: {namespace: ns, name: x}}",
		"another kind":  "{apiVersion: source.toolkit.fluxcd.io/v1, kind: Widget, metadata: {namespace: ns, name: x}}",
		"wrong types":   "{apiVersion: source.toolkit.fluxcd.io/v1, kind: Bucket, metadata: {namespace: ns, name: x}, spec: {suspend: 7}}",
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := SourceOf(object(t, manifest)); err == nil {
				t.Errorf("got %+v", s)
			}
		})
	}
}
