package waiters_test

import (
	"testing"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/waiters"
)

func TestAReleaseThatGaveUpSaysWhatItFailedOn(t *testing.T) {
	since := metav1.NewTime(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	condition := func(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: 3, LastTransitionTime: since}
	}
	const (
		attempts = "Failed to install after 1 attempt(s)"
		noKind   = `Helm install failed for release a/web with chart web@1.0.0: no matches for kind "Widget" in version "example.org/v1"`
		noSpace  = `Helm install failed for release a/web with chart web@1.0.0: create: failed to create: namespaces "shop" not found`
	)
	stalled := condition(meta.StalledCondition, metav1.ConditionTrue, "RetriesExceeded", attempts)
	type verdict struct {
		Since             time.Time
		Attempts, Failure string
		Cause, Why        waiters.CauseKind
		Subject           string
		Lacks             waiters.Target
	}
	for _, c := range []struct {
		name       string
		conditions []metav1.Condition
		requested  string
		want       *verdict
	}{
		{
			"Ready repeats the failure",
			[]metav1.Condition{stalled, condition(meta.ReadyCondition, metav1.ConditionFalse, "InstallFailed", noKind)},
			"",
			&verdict{
				since.Time, attempts, noKind, waiters.HelmRetriesExhausted, waiters.MissingKind, "HelmRelease/a/web",
				waiters.Target{GVK: schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Widget"}},
			},
		},
		{
			"Ready repeats only that it gave up",
			[]metav1.Condition{
				stalled, condition(meta.ReadyCondition, metav1.ConditionFalse, "RetriesExceeded", attempts),
				condition(helmv2.ReleasedCondition, metav1.ConditionFalse, "InstallFailed", noSpace),
			},
			"",
			&verdict{
				since.Time, attempts, noSpace, waiters.HelmRetriesExhausted, waiters.MissingNamespace, "HelmRelease/a/web",
				waiters.Target{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Name: "shop"},
			},
		},
		{
			"nothing says what failed",
			[]metav1.Condition{stalled},
			"",
			&verdict{Since: since.Time, Attempts: attempts, Cause: waiters.HelmRetriesExhausted, Subject: "HelmRelease/a/web"},
		},
		{"a request is on its way", []metav1.Condition{stalled}, "now", nil},
		{"it is Ready again", []metav1.Condition{stalled, condition(meta.ReadyCondition, metav1.ConditionTrue, "InstallSucceeded", "ok")}, "", nil},
		{
			"its spec is wrong",
			[]metav1.Condition{condition(meta.StalledCondition, metav1.ConditionTrue, "InvalidCELExpression", "no such field")},
			"", nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			hr := &helmv2.HelmRelease{}
			hr.Namespace, hr.Name, hr.Generation = "a", "web", 3
			hr.Status.ObservedGeneration, hr.Status.Conditions = -1, c.conditions
			if c.requested != "" {
				hr.Annotations = map[string]string{meta.ReconcileRequestAnnotation: c.requested}
			}
			given, ok := waiters.GaveUp(hr)
			var got *verdict
			if ok {
				got = &verdict{given.Since, given.Attempts, given.Failure, given.Cause.Kind, given.Why.Kind, given.Cause.Subject, given.Lacks}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
