package waiters

import (
	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// JudgeSource judges a Flux source. Its Revision is the artifact's, whatever
// the state: an artifact stays usable while newer fetches fail.
func JudgeSource(s Source) Observation {
	seen := judgeSource(s)
	if s.Artifact != nil {
		seen.Revision = s.Artifact.Revision
	}
	return seen
}

func judgeSource(s Source) Observation {
	f := s.facts()
	if s.Static && !f.suspended && !f.deleting {
		return Observation{State: Ready, Reason: "Static", Message: "is not fetched ahead of use"}
	}
	if seen, ok := f.unsettled(); ok {
		return seen
	}
	if c := f.stalled(); c != nil {
		return Observation{State: Stalled, Reason: c.Reason, Message: Shorten(c.Message), Cause: stalledCause(c).orAbout(s.subject())}
	}
	ready := f.condition(meta.ReadyCondition)
	seen := Observation{State: Progressing, Reason: ready.Reason, Message: f.progress(Shorten(ready.Message))}
	switch ready.Status {
	case metav1.ConditionTrue:
		seen.State, seen.Message = Ready, Shorten(ready.Message)
		if s.Artifact == nil {
			// The controller lost its storage and has not noticed yet.
			seen.State, seen.Cause = Progressing, newCause(SourceNoArtifact, s.subject())
		}
	case metav1.ConditionFalse:
		seen.State, seen.Message = Retrying, Shorten(ready.Message)
		seen.Cause = Classify(ready.Reason, ready.Message).orAbout(s.subject())
	case metav1.ConditionUnknown:
	}
	return seen
}

func (s Source) subject() string { return s.Kind + " " + s.Namespace + "/" + s.Name }

func (s Source) facts() facts {
	f := facts{
		conditions: s.Conditions,
		generation: s.Generation, observed: s.ObservedGeneration,
		requested: s.RequestedAt, handled: s.LastHandled,
		suspended: s.Suspended, deleting: s.Deleting,
	}
	if s.Kind == sourcev1.ExternalArtifactKind {
		f.requested = "" // nobody answers requests on this kind
	}
	return f
}
