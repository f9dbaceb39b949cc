package waiters

import (
	"strings"
	"testing"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// moment is one status in the life of an object, as its controller patches it.
type moment struct {
	name    string
	object  string
	state   State
	cause   CauseKind
	settled bool // Kustomizations only
	applied bool // Kustomizations only
}

// TestLifeOfAKustomization follows one tier from the moment its parent applies
// it to the first drift correction. The statuses are kustomize-controller's,
// in the order in which it writes them; the wanted revision is main@sha1:1111
// until the source moves.
func TestLifeOfAKustomization(t *testing.T) {
	wanted := rev1
	for _, m := range []moment{
		{
			name: "applied by its parent, suspended",
			object: `
metadata: {generation: 1}
spec: {suspend: true, wait: true}
status: {observedGeneration: -1}`,
			state: Suspended,
		},
		{
			name: "resumed",
			object: `
metadata: {generation: 2}
spec: {wait: true}
status: {observedGeneration: -1}`,
			state: Progressing,
		},
		{
			name: "its dependency is not ready",
			object: `
metadata: {generation: 2}
spec: {wait: true}
status:
  observedGeneration: -1
  conditions:
  - type: Ready
    status: "False"
    observedGeneration: 2
    reason: DependencyNotReady
    message: dependency 'flux-system/platform' is not ready`,
			state: Blocked, cause: DependencyNotReady,
		},
		{
			name: "nudged",
			object: `
metadata:
  generation: 2
  annotations: {reconcile.fluxcd.io/requestedAt: "1"}
spec: {wait: true}
status:
  observedGeneration: -1
  conditions:
  - type: Ready
    status: "False"
    observedGeneration: 2
    reason: DependencyNotReady
    message: dependency 'flux-system/platform' is not ready`,
			state: Progressing,
		},
		{
			name: "the pass begins",
			object: `
metadata:
  generation: 2
  annotations: {reconcile.fluxcd.io/requestedAt: "1"}
spec: {wait: true}
status:
  observedGeneration: -1
  conditions:
  - type: Reconciling
    status: "True"
    observedGeneration: 2
    reason: Progressing
    message: Fetching manifests for revision main@sha1:1111 with a timeout of 30s
  - type: Ready
    status: Unknown
    observedGeneration: 2
    reason: Progressing
    message: Reconciliation in progress`,
			state: Progressing,
		},
		{
			name: "the webhook of the set's kind is not up",
			object: `
metadata:
  generation: 2
  annotations: {reconcile.fluxcd.io/requestedAt: "1"}
spec: {wait: true}
status:
  observedGeneration: -1
  lastHandledReconcileAt: "1"
  lastAttemptedRevision: main@sha1:1111
  conditions:
  - type: Reconciling
    status: "True"
    observedGeneration: 2
    reason: ProgressingWithRetry
    message: Detecting drift for revision main@sha1:1111 with a timeout of 30s
  - type: Ready
    status: "False"
    observedGeneration: 2
    reason: ReconciliationFailed
    message: |
      Certificate/apps/web dry-run failed (InternalError): Internal error occurred: failed calling webhook "webhook.cert-manager.io": failed to call webhook: Post "https://cert-manager-webhook.cert-manager.svc:443/validate?timeout=30s": dial tcp 10.96.7.7:443: connect: connection refused
      Namespace/apps created`,
			state: Retrying, cause: WebhookUnavailable,
		},
		{
			name: "everything is applied, health is checked",
			object: `
metadata:
  generation: 2
  annotations: {reconcile.fluxcd.io/requestedAt: "2"}
spec: {wait: true}
status:
  observedGeneration: -1
  lastHandledReconcileAt: "1"
  lastAttemptedRevision: main@sha1:1111
  conditions:
  - type: Reconciling
    status: "True"
    observedGeneration: 2
    reason: Progressing
    message: Running health checks for revision main@sha1:1111 with a timeout of 30s
  - type: Ready
    status: Unknown
    observedGeneration: 2
    reason: Progressing
    message: Reconciliation in progress
  - type: Healthy
    status: Unknown
    observedGeneration: 2
    reason: Progressing
    message: Running health checks for revision main@sha1:1111 with a timeout of 30s`,
			state: Progressing, applied: true,
		},
		{
			name: "not healthy in time",
			object: `
metadata:
  generation: 2
  annotations: {reconcile.fluxcd.io/requestedAt: "2"}
spec: {wait: true}
status:
  observedGeneration: -1
  lastHandledReconcileAt: "2"
  lastAttemptedRevision: main@sha1:1111
  conditions:
  - type: Reconciling
    status: "True"
    observedGeneration: 2
    reason: ProgressingWithRetry
    message: Running health checks for revision main@sha1:1111 with a timeout of 30s
  - type: Ready
    status: "False"
    observedGeneration: 2
    reason: HealthCheckFailed
    message: "health check failed after 30.02s: timeout waiting for: [Deployment/apps/web status: 'InProgress']"`,
			state: Retrying, cause: HealthCheckTimeout, applied: true,
		},
		{
			name: "ready",
			object: `
metadata:
  generation: 2
  annotations: {reconcile.fluxcd.io/requestedAt: "2"}
spec: {wait: true}
status:
  observedGeneration: 2
  lastHandledReconcileAt: "2"
  lastAttemptedRevision: main@sha1:1111
  lastAppliedRevision: main@sha1:1111
  conditions:
  - type: Ready
    status: "True"
    observedGeneration: 2
    reason: ReconciliationSucceeded
    message: "Applied revision: main@sha1:1111"`,
			state: Ready, settled: true, applied: true,
		},
		{
			name: "the interval has passed: reconciling again",
			object: `
metadata:
  generation: 2
  annotations: {reconcile.fluxcd.io/requestedAt: "2"}
spec: {wait: true}
status:
  observedGeneration: 2
  lastHandledReconcileAt: "2"
  lastAttemptedRevision: main@sha1:1111
  lastAppliedRevision: main@sha1:1111
  conditions:
  - type: Reconciling
    status: "True"
    observedGeneration: 2
    reason: Progressing
    message: Building manifests for revision main@sha1:1111 with a timeout of 30s
  - type: Ready
    status: Unknown
    observedGeneration: 2
    reason: Progressing
    message: Reconciliation in progress`,
			state: Progressing,
		},
	} {
		t.Run(m.name, func(t *testing.T) { checkMoment(t, m, wanted) })
	}
}

// TestLifeOfAWedge is the incident: the set holds the CR that would bring the
// kind, and an object of that kind. No try differs from the one before.
func TestLifeOfAWedge(t *testing.T) {
	wedged := `
metadata: {generation: 1}
status:
  observedGeneration: -1
  lastAttemptedRevision: REV
  conditions:
  - type: Reconciling
    status: "True"
    observedGeneration: 1
    reason: ProgressingWithRetry
    message: Detecting drift for revision REV with a timeout of 4m30s
  - type: Ready
    status: "False"
    observedGeneration: 1
    reason: ReconciliationFailed
    message: 'StorageProfile/longhorn dry-run failed: no matches for kind "StorageProfile" in version "cdi.kubevirt.io/v1beta1"'`
	for _, revision := range []string{rev1, rev2} {
		checkMoment(t, moment{object: strings.ReplaceAll(wedged, "REV", revision), state: Retrying, cause: MissingKind}, revision)
	}
}

// TestLifeOfATerminalStall: the controller itself says that it stops.
func TestLifeOfATerminalStall(t *testing.T) {
	checkMoment(t, moment{
		object: `
metadata: {generation: 3}
status:
  observedGeneration: 3
  lastAppliedRevision: main@sha1:1111
  conditions:
  - type: Ready
    status: "False"
    observedGeneration: 3
    reason: InvalidCELExpression
    message: "Reconciliation failed terminally due to configuration error: failed to parse the expression Current"
  - type: Stalled
    status: "True"
    observedGeneration: 3
    reason: InvalidCELExpression
    message: "Reconciliation failed terminally due to configuration error: failed to parse the expression Current"`,
		state: Stalled, cause: InvalidSpec,
	}, rev1)
}

func checkMoment(t *testing.T, m moment, wanted string) {
	t.Helper()
	u := object(t, "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization"+m.object)
	k := &kustomizev1.Kustomization{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, k); err != nil {
		t.Fatal(err)
	}
	seen := JudgeKustomization(k, wanted)
	if seen.State != m.state || seen.Cause.Kind != m.cause {
		t.Errorf("seen %s (%s), want %s (%s): %+v", seen.State, seen.Cause.Kind, m.state, m.cause, seen)
	}
	if got := Settled(k, wanted); got != m.settled {
		t.Errorf("Settled is %v", got)
	}
	if got := AppliedAt(k, wanted); got != m.applied {
		t.Errorf("AppliedAt is %v", got)
	}
	// As a nested object, without a wanted revision, the same is seen.
	if nested := JudgeObject(u, true, time.Unix(0, 0)); nested.State != m.state {
		t.Errorf("nested, it is %s", nested.State)
	}
}
