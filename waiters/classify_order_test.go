package waiters

import (
	"strings"
	"testing"
)

// Messages quote one another: a webhook's failure holds a network error, a
// Helm failure holds an API server's refusal. What says more must win.
func TestClassifyPrefersWhatSaysMore(t *testing.T) {
	checkSayings(t, []saying{
		{
			"a webhook's time-out inside Helm's failure is no health check", "InstallFailed",
			`Helm install failed for release apps/web with chart web@1.0.0: Internal error occurred: failed calling webhook "v.example.io": failed to call webhook: Post "https://v.apps.svc:443/?timeout=10s": context deadline exceeded`,
			WebhookUnavailable, Passing, "webhook v.example.io",
		},
		{
			"a webhook that is not found is no missing kind", "ReconciliationFailed",
			`Widget/apps/w dry-run failed (InternalError): Internal error occurred: failed calling webhook "v.example.io": failed to call webhook: the server could not find the requested resource`,
			WebhookUnavailable, Passing, "webhook v.example.io",
		},
		{
			"a denial that speaks of connections", "ReconciliationFailed",
			`Widget/apps/w dry-run failed (Forbidden): admission webhook "v.example.io" denied the request: backend: dial tcp 10.0.0.1:80: connect: connection refused`,
			AdmissionDenied, NeedsAction, "webhook v.example.io",
		},
		{
			"a missing dependency is not a missing source", "DependencyNotReady",
			`dependency 'a/b' not found: kustomizations.kustomize.toolkit.fluxcd.io "b" not found`,
			DependencyNotFound, NeedsAction, "a/b",
		},
		{
			"a missing source kind is a missing kind", "ArtifactFailed",
			`unable to get source 'flux-system/infra': no matches for kind "ExternalArtifact" in version "source.toolkit.fluxcd.io/v1"`,
			MissingKind, NeedsAction, "ExternalArtifact.source.toolkit.fluxcd.io",
		},
		{
			"an unreachable source controller is not an unreachable API server", "ArtifactFailed",
			`failed to download archive: Get "http://source-controller.flux-system.svc/x": dial tcp 10.0.0.1:80: connect: connection refused`,
			SourceUnreachable, Passing, "source-controller.flux-system.svc",
		},
		{
			"an unreachable API server is not an unreachable source", "ArtifactFailed",
			`unable to get source 'flux-system/infra': Get "https://10.96.0.1:443/apis/source.toolkit.fluxcd.io/v1/namespaces/flux-system/gitrepositories/infra": dial tcp 10.96.0.1:443: connect: connection refused`,
			APIUnavailable, Passing, "",
		},
		{
			"a forbidden object in a namespace that is going", "ReconciliationFailed",
			`Secret/apps/s dry-run failed (Forbidden): secrets "s" is forbidden: unable to create new content in namespace apps because it is being terminated`,
			MissingNamespace, Passing, "Namespace apps",
		},
		{
			"an invalid change of an immutable field", "ReconciliationFailed",
			`Job/apps/j dry-run failed (Invalid): Job.batch "j" is invalid: spec.template: Invalid value: {"containers":[{"name":"x"}]}: field is immutable`,
			ImmutableField, Terminal, "Job/apps/j",
		},
		{
			"a pruning that is refused", "PruneFailed",
			`delete failed, errors: ConfigMap/apps/c delete failed: configmaps "c" is forbidden: User "system:serviceaccount:apps:x" cannot delete resource "configmaps" in API group "" in the namespace "apps"`,
			Unauthorised, NeedsAction, "system:serviceaccount:apps:x",
		},
	})
}

// No value of a Secret comes through, whichever way it got into a message.
func TestNoSecretComesThrough(t *testing.T) {
	const value = "aHVudGVyMmh1bnRlcjJodW50ZXIyaHVudGVyMmh1bnRlcjI="
	for _, message := range []string{
		`Secret/apps/s dry-run failed (Invalid): Secret "s" is invalid: data[token]: Invalid value: "` + value + `": too long`,
		`Secret/apps/s dry-run failed: failed to create typed patch object (apps/s; /v1, Kind=Secret): errors: .data: got &{` + value + `}`,
		`failed to decode Kubernetes apiVersion, kind and name from: {"kind":"Secret","data":{"token":"` + value + `"}}`,
		"failed to decode Kubernetes apiVersion, kind and name from: kind: Secret\nstringData:\n  token: " + value,
		`json: cannot unmarshal {"data":{"token":"` + value + `"}}`,
		`unable to clone 'https://bot:` + value + `@git.lan/x': repository not found`,
		`Get "https://registry.lan/v2/x?token=` + value + `": EOF`,
		"malformed key: -----BEGIN EC PRIVATE KEY-----\n" + value + "\n-----END EC PRIVATE KEY-----",
		"request failed: Authorization: Basic " + value,
	} {
		for _, reason := range []string{"ReconciliationFailed", "BuildFailed", "GitOperationFailed"} {
			k := newKS().failed(rev1, reason, message, "")
			seen := JudgeKustomization(k.Kustomization, rev1)
			for _, shown := range []string{seen.Message, seen.Cause.Subject, seen.Cause.Remedy} {
				if strings.Contains(shown, value) {
					t.Errorf("%s: %q shows the value", reason, shown)
				}
			}
		}
	}
}
