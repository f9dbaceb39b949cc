package waiters

import (
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	corev1 "k8s.io/api/core/v1"
)

// GivenUp is why and since when helm-controller leaves a HelmRelease alone.
type GivenUp struct {
	// Since is when it became Stalled, by the cluster's clock, in whole seconds.
	Since time.Time
	// Attempts is what helm-controller says of how often it tried, Failure the
	// message of the last action that failed.
	Attempts, Failure string
	// Cause is HelmRetriesExhausted, about the release; Why is the cause of the
	// failure.
	Cause, Why Cause
	// Lacks is what the failure says does not exist: a kind without a name when
	// Why is MissingKind, a Namespace when it is MissingNamespace, else empty.
	Lacks Target
}

// GaveUp reports whether helm-controller has used up a HelmRelease's retries:
// only a new spec, new values, a new chart or a reset moves it then
// (helm-controller, internal/reconcile/atomic_release.go, ErrExceededMaxRetries
// and ErrMissingRollbackTarget). A release with a request that the controller
// has not seen yet has not given up.
func GaveUp(hr *helmv2.HelmRelease) (GivenUp, bool) {
	seen := judgeHelmRelease(hr)
	if seen.State != Stalled || seen.Cause.Kind != HelmRetriesExhausted {
		return GivenUp{}, false
	}
	f := helmReleaseFacts(hr)
	stalled := f.condition(meta.StalledCondition)
	given := GivenUp{Since: stalled.LastTransitionTime.Time, Attempts: stalled.Message, Cause: seen.Cause}
	// Ready repeats the last failure, unless it only repeats Stalled; then the
	// condition of the action says it.
	for _, kind := range []string{meta.ReadyCondition, helmv2.ReleasedCondition, helmv2.TestSuccessCondition, helmv2.RemediatedCondition} {
		if c := f.condition(kind); c != nil && c.Message != "" && c.Message != stalled.Message {
			given.Failure, given.Why = Shorten(c.Message), Classify(c.Reason, c.Message)
			given.Lacks = lacks(given.Why, c.Message)
			break
		}
	}
	return given, true
}

func lacks(why Cause, message string) Target {
	switch why.Kind { //nolint:exhaustive // the others do not say that something is missing
	case MissingKind:
		return Target{GVK: MissingGVK(message)}
	case MissingNamespace:
		if m := reNamespaceGone.FindStringSubmatch(message); m != nil {
			return Target{GVK: corev1.SchemeGroupVersion.WithKind("Namespace"), Name: m[1]}
		}
	}
	return Target{}
}
