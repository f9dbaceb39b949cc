package waiters

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// NewWebhookAnswers returns a probe that asks the API server to create obj as
// a dry run, and is Ready once the admission webhooks that look at obj have
// answered. No is an answer too.
func NewWebhookAnswers(name string, dry DryRunner, obj *unstructured.Unstructured) Probe {
	return &webhookProbe{name: name, dry: dry, obj: obj}
}

type webhookProbe struct {
	name string
	dry  DryRunner
	obj  *unstructured.Unstructured
}

// Name implements Probe.
func (p *webhookProbe) Name() string { return p.name }

// Observe implements Probe.
func (p *webhookProbe) Observe(ctx context.Context) (Observation, error) {
	err := p.dry.DryRunCreate(ctx, p.obj.DeepCopy())
	switch {
	case err == nil:
		return Observation{State: Ready, Reason: "Admitted", Message: "the dry run was admitted"}, nil
	case apierrors.IsAlreadyExists(err):
		// The store says so, and it is asked after admission.
		return Observation{State: Ready, Reason: "Admitted", Message: "the dry run was admitted; the object exists"}, nil
	case IsTerminal(err) || ctx.Err() != nil:
		return Observation{}, err
	}
	cause := Classify("", err.Error())
	seen := Observation{State: Progressing, Reason: string(cause.Kind), Message: Shorten(err.Error()), Cause: cause}
	switch {
	case cause.Kind == AdmissionDenied:
		return Observation{State: Ready, Reason: "Denied", Message: seen.Message}, nil
	case cause.Kind == InvalidObject || cause.Kind == ImmutableField:
		// Refused before the webhooks were all asked: the probe's own object is at
		// fault, and asking again does not change it.
		seen.State = Stalled
	case cause.Kind != WebhookUnavailable && cause.Kind != MissingKind && cause.Kind != MissingNamespace:
		return Observation{}, err // could not look
	}
	return seen, nil
}
