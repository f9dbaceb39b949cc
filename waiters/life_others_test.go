package waiters

import (
	"testing"
	"time"
)

// TestLifeOfASource follows a GitRepository through a bad network and a new
// commit. Once there is an artifact, its revision is never lost from sight.
func TestLifeOfASource(t *testing.T) {
	for _, m := range []struct {
		name, status, revision string
		state                  State
		cause                  CauseKind
	}{
		{
			name: "new",
			status: `
  observedGeneration: -1`,
			state: Progressing,
		},
		{
			name: "no network yet",
			status: `
  observedGeneration: -1
  conditions:
  - {type: Reconciling, status: "True", observedGeneration: 1, reason: ProgressingWithRetry, message: building artifact}
  - {type: FetchFailed, status: "True", observedGeneration: 1, reason: GitOperationFailed, message: x}
  - type: Ready
    status: "False"
    observedGeneration: 1
    reason: GitOperationFailed
    message: "failed to checkout and determine revision: unable to list remote for 'https://git.lan/ops/infra': Get \"https://git.lan/ops/infra/info/refs?service=git-upload-pack\": dial tcp: lookup git.lan on 10.96.0.10:53: server misbehaving"`,
			state: Retrying, cause: SourceUnreachable,
		},
		{
			name: "fetched",
			status: `
  observedGeneration: 1
  artifact: {revision: main@sha1:1111, path: p, url: u, digest: d, lastUpdateTime: "2026-01-01T00:00:00Z"}
  conditions:
  - type: Ready
    status: "True"
    observedGeneration: 1
    reason: Succeeded
    message: "stored artifact for revision 'main@sha1:1111'"`,
			state: Ready, revision: rev1,
		},
		{
			name: "a new commit",
			status: `
  observedGeneration: 1
  artifact: {revision: main@sha1:1111, path: p, url: u, digest: d, lastUpdateTime: "2026-01-01T00:00:00Z"}
  conditions:
  - type: Reconciling
    status: "True"
    observedGeneration: 1
    reason: Progressing
    message: "building artifact: new upstream revision 'main@sha1:2222'"
  - type: Ready
    status: Unknown
    observedGeneration: 1
    reason: Progressing
    message: "building artifact: new upstream revision 'main@sha1:2222'"`,
			state: Progressing, revision: rev1,
		},
		{
			name: "the credentials were revoked",
			status: `
  observedGeneration: 1
  artifact: {revision: main@sha1:2222, path: p, url: u, digest: d, lastUpdateTime: "2026-01-01T00:00:00Z"}
  conditions:
  - type: Ready
    status: "False"
    observedGeneration: 1
    reason: GitOperationFailed
    message: "failed to checkout and determine revision: unable to list remote for 'https://git.lan/ops/infra': authentication required: Unauthorized"`,
			state: Retrying, cause: SourceUnauthorised, revision: rev2,
		},
	} {
		t.Run(m.name, func(t *testing.T) {
			seen := JudgeObject(object(t, `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {namespace: flux-system, name: infra, generation: 1}
spec: {url: "https://git.lan/ops/infra"}
status:`+m.status), true, time.Unix(0, 0))
			if seen.State != m.state || seen.Cause.Kind != m.cause || seen.Revision != m.revision {
				t.Errorf("seen %+v", seen)
			}
		})
	}
}

// TestLifeOfAHelmRelease: with helm-controller's defaults the first failure is
// the last, whatever it was. A reset is answered by one more attempt.
func TestLifeOfAHelmRelease(t *testing.T) {
	failure := `Helm install failed for release platform/cdi with chart cdi@1.61.0: failed to create resource: Internal error occurred: failed calling webhook "v.example.io": failed to call webhook: EOF`
	for _, m := range []struct {
		name, annotations, status string
		state                     State
		cause                     CauseKind
	}{
		{
			name: "new",
			status: `
  observedGeneration: -1`,
			state: Progressing,
		},
		{
			name: "its chart is being fetched",
			status: `
  observedGeneration: -1
  conditions:
  - {type: Reconciling, status: "True", observedGeneration: 1, reason: Progressing, message: Fulfilling prerequisites}
  - type: Ready
    status: "False"
    observedGeneration: 1
    reason: SourceNotReady
    message: "HelmChart 'platform/platform-cdi' is not ready: latest generation of object has not been reconciled"`,
			state: Retrying, cause: SourceNoArtifact,
		},
		{
			name: "installing",
			status: `
  observedGeneration: -1
  conditions:
  - {type: Reconciling, status: "True", observedGeneration: 1, reason: Progressing, message: "Running 'install' action with timeout of 5m0s"}
  - {type: Ready, status: Unknown, observedGeneration: 1, reason: Progressing, message: "Running 'install' action with timeout of 5m0s"}`,
			state: Progressing,
		},
		{
			name: "a webhook hiccup, and it gave up",
			status: `
  observedGeneration: 1
  conditions:
  - {type: Stalled, status: "True", observedGeneration: 1, reason: RetriesExceeded, message: Failed to install after 1 attempt(s)}
  - {type: Ready, status: "False", observedGeneration: 1, reason: InstallFailed, message: '` + failure + `'}`,
			state: Stalled, cause: HelmRetriesExhausted,
		},
		{
			name:        "reset by hand",
			annotations: `{reconcile.fluxcd.io/requestedAt: "1", reconcile.fluxcd.io/resetAt: "1"}`,
			status: `
  observedGeneration: 1
  conditions:
  - {type: Stalled, status: "True", observedGeneration: 1, reason: RetriesExceeded, message: Failed to install after 1 attempt(s)}
  - {type: Ready, status: "False", observedGeneration: 1, reason: InstallFailed, message: '` + failure + `'}`,
			state: Progressing,
		},
		{
			name:        "installed",
			annotations: `{reconcile.fluxcd.io/requestedAt: "1", reconcile.fluxcd.io/resetAt: "1"}`,
			status: `
  observedGeneration: 1
  lastHandledReconcileAt: "1"
  conditions:
  - {type: Ready, status: "True", observedGeneration: 1, reason: InstallSucceeded, message: Helm install succeeded}`,
			state: Ready,
		},
	} {
		t.Run(m.name, func(t *testing.T) {
			annotations := m.annotations
			if annotations == "" {
				annotations = "{}"
			}
			seen := JudgeObject(object(t, `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {namespace: platform, name: cdi, generation: 1, annotations: `+annotations+`}
spec: {interval: 1h}
status:`+m.status), true, time.Unix(0, 0))
			if seen.State != m.state || seen.Cause.Kind != m.cause {
				t.Errorf("seen %+v", seen)
			}
		})
	}
}
