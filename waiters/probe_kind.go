package waiters

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NewKindServed returns a probe that is Ready once the API server serves the
// kind. A CustomResourceDefinition is Established a moment before that.
func NewKindServed(name string, kinds KindLooker, gvk schema.GroupVersionKind) Probe {
	return &kindProbe{name: name, kinds: kinds, gvk: gvk}
}

type kindProbe struct {
	name  string
	kinds KindLooker
	gvk   schema.GroupVersionKind
}

// Name implements Probe.
func (p *kindProbe) Name() string { return p.name }

// Observe implements Probe.
func (p *kindProbe) Observe(ctx context.Context) (Observation, error) {
	served, err := p.kinds.Served(ctx, p.gvk)
	if err != nil {
		return Observation{}, err
	}
	if served {
		return Observation{State: Ready, Reason: "Served", Message: "is served"}, nil
	}
	return Observation{
		State: Missing, Reason: "NotServed", Message: "is not served yet",
		Cause: newCause(MissingKind, p.gvk.GroupKind().String()),
	}, nil
}
