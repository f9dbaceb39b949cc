package bootstrap_test

import (
	"sync"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// helmRelease is a release in front of a small helm-controller that never
// retries by itself.
type helmRelease struct {
	mu    sync.Mutex
	hr    helmv2.HelmRelease
	takes time.Duration
	// outcome returns what an attempt fails with, "" for success.
	outcome  func(attempt int) string
	attempts int
}

// gaveUp is a release that failed with a message, some time ago.
func gaveUp(name, message string, ago time.Duration, outcome func(attempt int) string) *helmRelease {
	r := &helmRelease{takes: time.Second, outcome: outcome}
	r.hr.Namespace, r.hr.Name, r.hr.Generation = "apps", name, 1
	r.hr.APIVersion, r.hr.Kind = helmv2.GroupVersion.String(), helmv2.HelmReleaseKind
	r.fail(message)
	for i := range r.hr.Status.Conditions {
		r.hr.Status.Conditions[i].LastTransitionTime = metav1.NewTime(time.Now().Add(-ago))
	}
	return r
}

func (r *helmRelease) set(kind string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&r.hr.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: r.hr.Generation,
	})
}

func (r *helmRelease) fail(message string) {
	message = "Helm install failed for release apps/" + r.hr.Name + " with chart web@1.0.0: " + message
	r.set(meta.StalledCondition, metav1.ConditionTrue, "RetriesExceeded", "Failed to install after 1 attempt(s)")
	r.set(meta.ReadyCondition, metav1.ConditionFalse, helmv2.InstallFailedReason, message)
	r.set(helmv2.ReleasedCondition, metav1.ConditionFalse, helmv2.InstallFailedReason, message)
	r.hr.Status.ObservedGeneration = r.hr.Generation
}

// reset is what an attempt that was asked for comes to.
func (r *helmRelease) reset(token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hr.Annotations = map[string]string{meta.ReconcileRequestAnnotation: token, helmv2.ResetRequestAnnotation: token}
	time.AfterFunc(r.takes, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.attempts++
		r.hr.Status.LastHandledReconcileAt, r.hr.Status.LastHandledResetAt = token, token
		apimeta.RemoveStatusCondition(&r.hr.Status.Conditions, meta.StalledCondition)
		if message := r.outcome(r.attempts); message != "" {
			r.fail(message)
			return
		}
		r.set(meta.ReadyCondition, metav1.ConditionTrue, helmv2.InstallSucceededReason, "Helm install succeeded")
	})
}

func (r *helmRelease) ready() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return apimeta.IsStatusConditionTrue(r.hr.Status.Conditions, meta.ReadyCondition)
}

func (r *helmRelease) get() *unstructured.Unstructured {
	r.mu.Lock()
	defer r.mu.Unlock()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&r.hr)
	if err != nil {
		panic(err)
	}
	return &unstructured.Unstructured{Object: content}
}

// brings makes the release say what it applied.
func (r *helmRelease) brings(ids ...string) *helmRelease {
	r.hr.Status.Inventory = &helmv2.ResourceInventory{}
	for _, id := range ids {
		r.hr.Status.Inventory.Entries = append(r.hr.Status.Inventory.Entries, helmv2.ResourceRef{ID: id, Version: "v1"})
	}
	return r
}
