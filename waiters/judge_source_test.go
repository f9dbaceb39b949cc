package waiters

import (
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func gitSource(conditions ...metav1.Condition) Source {
	return Source{
		Kind: "GitRepository", Namespace: "flux-system", Name: "infra", Generation: 1, ObservedGeneration: 1,
		Conditions: conditions, Artifact: &meta.Artifact{Revision: rev1},
	}
}

func condition(kind string, status metav1.ConditionStatus, generation int64, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, ObservedGeneration: generation, Reason: reason, Message: message}
}

func TestJudgeSource(t *testing.T) {
	stored := condition("Ready", "True", 1, "Succeeded", "stored artifact for revision '"+rev1+"'")
	denied := condition("Ready", "False", 1, "GitOperationFailed", "failed to checkout and determine revision: unable to clone 'https://git.lan/x': authentication required")
	change := func(s Source, f func(*Source)) Source {
		f(&s)
		return s
	}
	for _, tc := range []struct {
		name string
		s    Source
		want Observation
	}{
		{
			"ready", gitSource(stored),
			Observation{State: Ready, Reason: "Succeeded", Message: stored.Message, Revision: rev1},
		},
		{
			"suspended", change(gitSource(stored), func(s *Source) { s.Suspended = true }),
			Observation{State: Suspended, Reason: "Suspended", Message: "spec.suspend is true", Revision: rev1},
		},
		{
			"deleting", change(gitSource(stored), func(s *Source) { s.Deleting = true }),
			Observation{State: Progressing, Reason: "Deleting", Message: "being deleted", Revision: rev1},
		},
		{
			"asked again", change(gitSource(stored), func(s *Source) { s.RequestedAt = "t2" }),
			Observation{State: Progressing, Reason: "Requested", Message: "the controller has not answered the request yet", Revision: rev1},
		},
		{
			"never looked at", change(gitSource(), func(s *Source) { s.Artifact, s.ObservedGeneration = nil, -1 }),
			Observation{State: Progressing, Reason: "NotObserved", Message: "the controller has not looked at it yet"},
		},
		{
			"ready before the spec changed", change(gitSource(stored), func(s *Source) { s.Generation = 2 }),
			Observation{State: Progressing, Reason: "NotObserved", Message: "the controller has not looked at the newest spec yet", Revision: rev1},
		},
		{
			"fetching",
			gitSource(condition("Ready", "Unknown", 1, "Progressing", "reconciliation in progress"), condition("Reconciling", "True", 1, "Progressing", "building artifact: new upstream revision '"+rev2+"'")),
			Observation{State: Progressing, Reason: "Progressing", Message: "building artifact: new upstream revision '" + rev2 + "'", Revision: rev1},
		},
		{
			"ready without an artifact", change(gitSource(stored), func(s *Source) { s.Artifact = nil }),
			Observation{
				State: Progressing, Reason: "Succeeded", Message: stored.Message,
				Cause: Cause{Kind: SourceNoArtifact, Class: Passing, Subject: "GitRepository flux-system/infra"},
			},
		},
		{
			"fetching fails, the artifact is still there", gitSource(denied),
			Observation{
				State: Retrying, Reason: "GitOperationFailed", Message: denied.Message, Revision: rev1,
				Cause: Cause{Kind: SourceUnauthorised, Class: NeedsAction, Subject: "GitRepository flux-system/infra"},
			},
		},
		{
			"stalled", gitSource(condition("Ready", "False", 1, "URLInvalid", "bad"), condition("Stalled", "True", 1, "URLInvalid", "bad")),
			Observation{
				State: Stalled, Reason: "URLInvalid", Message: "bad", Revision: rev1,
				Cause: Cause{Kind: InvalidSpec, Class: Terminal, Subject: "GitRepository flux-system/infra"},
			},
		},
		{
			"static",
			Source{Kind: "HelmRepository", Static: true, Generation: 1},
			Observation{State: Ready, Reason: "Static", Message: "is not fetched ahead of use"},
		},
		{
			"static and suspended",
			Source{Kind: "HelmRepository", Static: true, Suspended: true},
			Observation{State: Suspended, Reason: "Suspended", Message: "spec.suspend is true"},
		},
		{
			"external artifact: nobody answers requests",
			Source{
				Kind: "ExternalArtifact", Generation: 3, RequestedAt: "t2", Artifact: &meta.Artifact{Revision: rev1},
				Conditions: []metav1.Condition{condition("Ready", "True", 0, "Succeeded", "ok")},
			},
			Observation{State: Ready, Reason: "Succeeded", Message: "ok", Revision: rev1},
		},
	} {
		t.Run(tc.name, func(t *testing.T) { checkSeen(t, JudgeSource(tc.s), tc.want) })
	}
}
