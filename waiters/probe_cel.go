package waiters

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
)

// Expressions are CEL over apiVersion, kind, metadata, spec, status and data,
// in the words of Flux's healthCheckExprs. They are tried in the order
// InProgress, Failed, Current; Current is required.
type Expressions struct {
	Current, InProgress, Failed string
}

// NewCEL returns a probe that judges one object by CEL. Expressions that do
// not compile are an error here, not when they are first used.
func NewCEL(name string, look Looker, target Target, exprs Expressions) (Probe, error) {
	if exprs.Current == "" {
		return nil, fmt.Errorf("probe %s: current is not set", name)
	}
	err := errors.Join(compile("current", exprs.Current), compile("inProgress", exprs.InProgress), compile("failed", exprs.Failed))
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", name, err)
	}
	eval, err := cel.NewStatusEvaluator(&kustomize.HealthCheckExpressions{
		Current: exprs.Current, InProgress: exprs.InProgress, Failed: exprs.Failed,
	})
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", name, err)
	}
	return &celProbe{name: name, look: look, target: target, exprs: exprs, eval: eval}, nil
}

// compile checks what Flux, which only parses, would find out at run time:
// names that no object has, and types that cannot fit.
func compile(word, expr string) error {
	if expr == "" {
		return nil
	}
	_, err := cel.NewExpression(expr, cel.WithCompile(),
		cel.WithStringVariables("apiVersion", "kind"),
		cel.WithStructVariables("metadata", "spec", "status", "data"))
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	return nil
}

type celProbe struct {
	name   string
	look   Looker
	target Target
	exprs  Expressions
	eval   *cel.StatusEvaluator
}

// Name implements Probe.
func (p *celProbe) Name() string { return p.name }

// Observe implements Probe.
func (p *celProbe) Observe(ctx context.Context) (Observation, error) {
	u, err := p.target.get(ctx, p.look)
	if err != nil {
		return Observation{}, err
	}
	if u == nil {
		return missing(), nil
	}
	res, err := p.eval.Evaluate(ctx, u)
	if ctx.Err() != nil {
		return Observation{}, ctx.Err()
	}
	if err != nil {
		// A field that is not there yet, or has not its final type yet.
		reason := "NotEvaluable"
		if strings.Contains(err.Error(), "no such key") || strings.Contains(err.Error(), "no such attribute") {
			reason = "NoSuchField"
		}
		return Observation{State: Progressing, Reason: reason, Message: Shorten(err.Error())}, nil
	}
	switch res.Status {
	case status.CurrentStatus:
		return Observation{State: Ready, Reason: "Current", Message: "current is true"}, nil
	case status.FailedStatus:
		return Observation{
			State: Stalled, Reason: "Failed", Message: Shorten("failed is true: " + p.exprs.Failed),
			Cause: newCause(HealthCheckFailed, p.target.String()),
		}, nil
	case status.InProgressStatus, status.TerminatingStatus, status.NotFoundStatus, status.UnknownStatus:
	}
	return Observation{State: Progressing, Reason: "InProgress", Message: Shorten("not yet true: " + p.exprs.Current)}, nil
}
