package bootstrap_test

import (
	"fmt"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// fetching is how the fetches of one source go. Like source-controller it tries
// again by itself only after a back-off that is too long to wait for.
type fetching struct {
	takes time.Duration
	// outcome returns a revision, or the reason and message of the failure.
	outcome  func(attempt int) (revision, reason, message string)
	attempts int
}

// fetches is an outcome that always succeeds.
func fetches(revision string) func(int) (string, string, string) {
	return func(int) (string, string, string) { return revision, "", "" }
}

// unreachable is an outcome that fails until the given attempt.
func unreachable(until int, revision string) func(int) (string, string, string) {
	return func(attempt int) (string, string, string) {
		if attempt >= until {
			return revision, "", ""
		}
		return "", "GitOperationFailed", `failed to checkout and determine revision: unable to list remote for 'https://git.example.org/x': dial tcp 10.0.0.1:443: connect: connection refused`
	}
}

// addSource makes a GitRepository that the fake source-controller looks at.
func (f *flux) addSource(name string, b fetching) tiers.Ref {
	ref := tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: name}
	f.sources[ref] = waiters.Source{Kind: ref.Kind, Namespace: ref.Namespace, Name: name, Generation: 1, ObservedGeneration: -1}
	f.fetches[ref] = &b
	f.touch(ref)
	return ref
}

// changeSource changes what the cluster has of a source.
func (f *flux) changeSource(ref tiers.Ref, change func(*waiters.Source)) {
	s := f.sources[ref]
	change(&s)
	f.sources[ref] = s
	f.touch(ref)
}

// from makes k come from another source than flux-system.
func from(k *kustomizev1.Kustomization, source tiers.Ref) *kustomizev1.Kustomization {
	k.Spec.SourceRef = kustomizev1.CrossNamespaceSourceReference{Kind: source.Kind, Namespace: source.Namespace, Name: source.Name}
	return k
}

// artifact is the revision that k's source has, or why there is none.
func (f *flux) artifact(k *kustomizev1.Kustomization) (revision, problem string) {
	ref := tiers.Ref{Kind: k.Spec.SourceRef.Kind, Namespace: "flux-system", Name: k.Spec.SourceRef.Name}
	s, ok := f.sources[ref]
	switch {
	case !ok:
		return "", fmt.Sprintf("GitRepository.source.toolkit.fluxcd.io %q not found", ref.Name)
	case s.Artifact == nil:
		return "", "Source artifact not found, retrying in 30s"
	}
	return s.Artifact.Revision, ""
}

// wakeSource starts a fetch, unless the source is suspended or static.
func (f *flux) wakeSource(ref tiers.Ref) {
	b := f.fetches[ref]
	if b == nil || f.busy[ref] || f.sources[ref].Suspended {
		return
	}
	f.busy[ref] = true
	f.after(b.takes, func() { f.fetched(ref) })
}

// fetched ends a fetch, and wakes the consumers when it brought something new.
func (f *flux) fetched(ref tiers.Ref) {
	b := f.fetches[ref]
	b.attempts++
	revision, reason, message := b.outcome(b.attempts)
	f.busy[ref] = false
	moved := false
	f.changeSource(ref, func(s *waiters.Source) {
		ready := metav1.Condition{Type: meta.ReadyCondition, Status: metav1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: s.Generation}
		if revision != "" {
			ready.Status, ready.Reason, ready.Message = metav1.ConditionTrue, "Succeeded", "stored artifact for revision "+revision
			moved = s.Artifact == nil || s.Artifact.Revision != revision
			s.Artifact = &meta.Artifact{Revision: revision}
		}
		s.Conditions, s.ObservedGeneration, s.LastHandled = []metav1.Condition{ready}, s.Generation, s.RequestedAt
	})
	if !moved {
		return
	}
	for name, k := range f.objects {
		if k.Spec.SourceRef.Name == ref.Name {
			f.wake(name)
		}
	}
}
