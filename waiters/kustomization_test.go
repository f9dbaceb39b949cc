package waiters

import (
	"testing"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	rev1 = "main@sha1:1111"
	rev2 = "main@sha1:2222"
)

// ks builds a Kustomization of generation 2, as the controller leaves it.
type ks struct{ *kustomizev1.Kustomization }

func newKS() ks {
	k := &kustomizev1.Kustomization{}
	k.Namespace, k.Name, k.Generation = "flux-system", "apps", 2
	k.Spec.SourceRef.Kind, k.Spec.SourceRef.Name = "GitRepository", "infra"
	k.Status.ObservedGeneration = -1
	return ks{k}
}

func (k ks) with(kind string, status metav1.ConditionStatus, generation int64, reason, message string) ks {
	k.Status.Conditions = append(k.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, ObservedGeneration: generation, Reason: reason, Message: message,
	})
	return k
}

// ready is what a success leaves behind.
func (k ks) ready(revision string) ks {
	k.Status.ObservedGeneration = 2
	k.Status.LastAppliedRevision, k.Status.LastAttemptedRevision = revision, revision
	return k.with("Ready", "True", 2, "ReconciliationSucceeded", "Applied revision: "+revision)
}

// failed is what a failure leaves behind: observedGeneration stays at -1 and
// Reconciling keeps the last progress message.
func (k ks) failed(attempted, reason, message, progress string) ks {
	k.Status.LastAttemptedRevision = attempted
	return k.with("Ready", "False", 2, reason, message).
		with("Reconciling", "True", 2, "ProgressingWithRetry", progress)
}

// working is a pass in the middle.
func (k ks) working(progress string) ks {
	return k.with("Ready", "Unknown", 2, "Progressing", "Reconciliation in progress").
		with("Reconciling", "True", 2, "Progressing", progress)
}

func (k ks) requested(token string) ks {
	k.Annotations = map[string]string{meta.ReconcileRequestAnnotation: token}
	return k
}

func (k ks) handled(token string) ks {
	k.Status.LastHandledReconcileAt = token
	return k
}

func (k ks) change(f func(*kustomizev1.Kustomization)) ks {
	f(k.Kustomization)
	return k
}

func running(revision string) string {
	return "Running health checks for revision " + revision + " with a timeout of 30s"
}

func fetching(revision string) string {
	return "Fetching manifests for revision " + revision + " with a timeout of 30s"
}

func checkSeen(t *testing.T, got, want Observation) {
	t.Helper()
	got.Cause.Remedy, want.Cause.Remedy = "", ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJudgeKustomizationFreshness(t *testing.T) {
	deleted := metav1.NewTime(time.Unix(1, 0))
	for _, tc := range []struct {
		name string
		k    ks
		want Observation
	}{
		{
			"suspended, however ready it looks", newKS().ready(rev1).change(func(k *kustomizev1.Kustomization) { k.Spec.Suspend = true }),
			Observation{State: Suspended, Reason: "Suspended", Message: "spec.suspend is true"},
		},
		{
			"being deleted", newKS().ready(rev1).change(func(k *kustomizev1.Kustomization) { k.DeletionTimestamp = &deleted }),
			Observation{State: Progressing, Reason: "Deleting", Message: "being deleted"},
		},
		{
			"no conditions at all", newKS(),
			Observation{State: Progressing, Reason: "NotObserved", Message: "the controller has not looked at it yet"},
		},
		{
			"ready, of the generation before", newKS().ready(rev1).change(func(k *kustomizev1.Kustomization) { k.Generation = 3 }),
			Observation{State: Progressing, Reason: "NotObserved", Message: "the controller has not looked at the newest spec yet"},
		},
		{
			"failed, of the generation before", newKS().failed(rev1, "BuildFailed", "x", "").change(func(k *kustomizev1.Kustomization) { k.Generation = 3 }),
			Observation{State: Progressing, Reason: "NotObserved", Message: "the controller has not looked at the newest spec yet"},
		},
		{
			"stalled, of the generation before", newKS().with("Ready", "False", 1, "InvalidCELExpression", "x").with("Stalled", "True", 1, "InvalidCELExpression", "x"),
			Observation{State: Progressing, Reason: "NotObserved", Message: "the controller has not looked at the newest spec yet"},
		},
		{
			"ready, and asked again", newKS().ready(rev1).requested("t2").handled("t1"),
			Observation{State: Progressing, Reason: "Requested", Message: "the controller has not answered the request yet"},
		},
		{
			"failed, and asked again", newKS().failed(rev1, "BuildFailed", "x", fetching(rev1)).requested("t2"),
			Observation{State: Progressing, Reason: "Requested", Message: "the controller has not answered the request yet"},
		},
		{
			"answering", newKS().working(fetching(rev1)).requested("t2"),
			Observation{State: Progressing, Reason: "Requested", Message: fetching(rev1)},
		},
		{
			"ready, and answered", newKS().ready(rev1).requested("t2").handled("t2"),
			Observation{State: Ready, Reason: "ReconciliationSucceeded", Message: "Applied revision: " + rev1, Revision: rev1},
		},
		{
			"ready, the generation not recorded", newKS().ready(rev1).change(func(k *kustomizev1.Kustomization) { k.Status.ObservedGeneration = 1 }),
			Observation{State: Progressing, Reason: "NotObserved", Message: "Applied revision: " + rev1, Revision: rev1},
		},
		{
			"a controller that states no generation in conditions",
			newKS().change(func(k *kustomizev1.Kustomization) {
				k.Status.ObservedGeneration, k.Status.LastAppliedRevision = 2, rev1
			}).with("Ready", "True", 0, "ReconciliationSucceeded", "done"),
			Observation{State: Ready, Reason: "ReconciliationSucceeded", Message: "done", Revision: rev1},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checkSeen(t, JudgeKustomization(tc.k.Kustomization, rev1), tc.want)
		})
	}
	t.Run("absent", func(t *testing.T) {
		checkSeen(t, JudgeKustomization(nil, rev1), Observation{State: Missing, Reason: "NotFound", Message: "does not exist"})
	})
}

func TestJudgeKustomizationRevision(t *testing.T) {
	seen := Observation{Reason: "ReconciliationSucceeded", Message: "Applied revision: " + rev1, Revision: rev1}
	for _, tc := range []struct {
		wanted string
		state  State
	}{{rev1, Ready}, {rev2, Stale}, {"", Ready}} {
		seen.State = tc.state
		checkSeen(t, JudgeKustomization(newKS().ready(rev1).Kustomization, tc.wanted), seen)
	}
}

func TestJudgeKustomizationProgress(t *testing.T) {
	k := newKS().working(running(rev2)).change(func(k *kustomizev1.Kustomization) { k.Status.LastAttemptedRevision = rev2 })
	checkSeen(t, JudgeKustomization(k.Kustomization, rev2),
		Observation{State: Progressing, Reason: "Progressing", Message: running(rev2), Revision: rev2})

	canceled := newKS().failed(rev1, "HealthCheckCanceled", "New reconciliation triggered by GitRepository/flux-system/flux-system", running(rev1))
	checkSeen(t, JudgeKustomization(canceled.Kustomization, rev2), Observation{
		State: Progressing, Reason: "HealthCheckCanceled",
		Message: "New reconciliation triggered by GitRepository/flux-system/flux-system", Revision: rev1,
	})
}

func TestJudgeKustomizationFailure(t *testing.T) {
	undefined := `post build failed for 'ConfigMap.v1.[noGrp]/c': envsubst error: variable substitution failed: variable not set (strict mode): "REGION"`
	gone := `kustomization path not found: stat /tmp/kustomization-1/apps: no such file or directory`
	for _, tc := range []struct {
		name string
		k    ks
		want Observation
	}{
		{
			"blocked", newKS().failed("", "DependencyNotReady", "dependency 'flux-system/platform' is not ready", ""),
			Observation{
				State: Blocked, Reason: "DependencyNotReady", Message: "dependency 'flux-system/platform' is not ready",
				Cause: Cause{Kind: DependencyNotReady, Class: Passing, Subject: "flux-system/platform"},
			},
		},
		{
			"retrying", newKS().failed(rev2, "ReconciliationFailed", noKind, "Detecting drift for revision "+rev2+" with a timeout of 30s"),
			Observation{
				State: Retrying, Reason: "ReconciliationFailed", Message: noKind, Revision: rev2,
				Cause: Cause{Kind: MissingKind, Class: NeedsAction, Subject: "StorageProfile.cdi.kubevirt.io"},
			},
		},
		{
			"undefined variable", newKS().failed(rev2, "BuildFailed", undefined, ""),
			Observation{
				State: Retrying, Reason: "BuildFailed", Message: undefined, Revision: rev2,
				Cause: Cause{Kind: UndefinedVariable, Class: NeedsAction, Subject: "${REGION}"},
			},
		},
		{
			"terminal", newKS().failed(rev2, "BuildFailed", "accumulating resources", ""),
			Observation{
				State: Retrying, Reason: "BuildFailed", Message: "accumulating resources", Revision: rev2,
				Cause: Cause{Kind: BuildFailed, Class: Terminal},
			},
		},
		{
			"terminal at a revision that nobody wants any more", newKS().failed(rev1, "BuildFailed", "accumulating resources", ""),
			Observation{
				State: Retrying, Reason: "BuildFailed", Message: "accumulating resources", Revision: rev1,
				Cause: Cause{Kind: BuildFailed, Class: Passing},
			},
		},
		{
			"path is missing; the attempt is not recorded", newKS().failed(rev1, "ArtifactFailed", gone, fetching(rev2)),
			Observation{
				State: Retrying, Reason: "ArtifactFailed", Message: gone, Revision: rev2,
				Cause: Cause{Kind: PathMissing, Class: Terminal, Subject: "apps"},
			},
		},
		{
			"path is missing at a revision that nobody wants any more", newKS().failed("", "ArtifactFailed", gone, fetching(rev1)),
			Observation{
				State: Retrying, Reason: "ArtifactFailed", Message: gone, Revision: rev1,
				Cause: Cause{Kind: PathMissing, Class: Passing, Subject: "apps"},
			},
		},
		{
			"substituteFrom object gets our namespace", newKS().failed(rev2, "BuildFailed", `substitute from 'ConfigMap/vars' error: configmaps "vars" not found`, ""),
			Observation{
				State: Retrying, Reason: "BuildFailed", Message: `substitute from 'ConfigMap/vars' error: configmaps "vars" not found`, Revision: rev2,
				Cause: Cause{Kind: SubstituteMissing, Class: NeedsAction, Subject: "ConfigMap flux-system/vars"},
			},
		},
		{
			"decryption key gets our namespace", newKS().failed(rev2, "BuildFailed", `Secret "sops-age" not found`, ""),
			Observation{
				State: Retrying, Reason: "BuildFailed", Message: `Secret "sops-age" not found`, Revision: rev2,
				Cause: Cause{Kind: DecryptionFailed, Class: NeedsAction, Subject: "Secret flux-system/sops-age"},
			},
		},
		{
			"source is not there", newKS().failed("", "ArtifactFailed", `GitRepository.source.toolkit.fluxcd.io "infra" not found`, ""),
			Observation{
				State: Retrying, Reason: "ArtifactFailed", Message: `GitRepository.source.toolkit.fluxcd.io "infra" not found`,
				Cause: Cause{Kind: SourceMissing, Class: NeedsAction, Subject: "GitRepository flux-system/infra"},
			},
		},
		{
			"source of another namespace has fetched nothing",
			newKS().failed("", "ArtifactFailed", "Source artifact not found, retrying in 30s", "").
				change(func(k *kustomizev1.Kustomization) { k.Spec.SourceRef.Namespace = "sources" }),
			Observation{
				State: Retrying, Reason: "ArtifactFailed", Message: "Source artifact not found, retrying in 30s",
				Cause: Cause{Kind: SourceNoArtifact, Class: Passing, Subject: "GitRepository sources/infra"},
			},
		},
		{
			"stalled", newKS().with("Ready", "False", 2, "AccessDenied", "can't access it").with("Stalled", "True", 2, "AccessDenied", "can't access it"),
			Observation{
				State: Stalled, Reason: "AccessDenied", Message: "can't access it",
				Cause: Cause{Kind: InvalidSpec, Class: Terminal, Subject: "Kustomization flux-system/apps"},
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checkSeen(t, JudgeKustomization(tc.k.Kustomization, rev2), tc.want)
		})
	}
}

func TestJudgeDoesNotModify(t *testing.T) {
	k := newKS().failed(rev1, "BuildFailed", `Secret "sops-age" not found`, "").requested("t1").handled("t1")
	before := k.DeepCopy()
	JudgeKustomization(k.Kustomization, rev2)
	Settled(k.Kustomization, rev2)
	AppliedAt(k.Kustomization, rev2)
	if diff := cmp.Diff(before, k.Kustomization); diff != "" {
		t.Errorf("the shared object was modified:\n%s", diff)
	}
}
