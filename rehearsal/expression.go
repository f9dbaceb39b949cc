package rehearsal

import (
	"fmt"
	"maps"
	"regexp"
	"time"

	"github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/runtime/cel"
	celtypes "github.com/google/cel-go/common/types"

	"github.com/standup-sh/standup/internal/catalog"
)

// expressionError says what is wrong with a CEL expression of a Kustomization.
type expressionError struct {
	field string
	err   error
}

func (e *expressionError) Error() string { return fmt.Sprintf("%s is not valid: %v", e.field, e.err) }
func (e *expressionError) Unwrap() error { return e.err }

// invalid: expressions are compiled before all else, and a Kustomization with a
// bad one is Stalled (Reconcile, lines 190 to 200; for readyExpr, evalReadyExpr,
// which ends in a terminal error).
func (m *model) invalid(u *unit) (time.Duration, []wait) {
	var faults []error
	spec := u.node.spec.Spec
	if m.w.opts.Flux.healthCheckExprs() {
		if _, err := cel.NewStatusReader(spec.HealthCheckExprs); err != nil {
			faults = append(faults, &expressionError{"healthCheckExprs", err})
		}
	}
	for _, d := range spec.DependsOn {
		if _, err := compileReady(d.ReadyExpr); err != nil && m.w.opts.Flux.readyExpr() {
			faults = append(faults, &expressionError{"readyExpr of dependsOn " + d.Name, err})
		}
	}
	var waits []wait
	for _, err := range faults {
		waits = append(waits, wait{how: waitExpression, err: err})
	}
	return requeueTime, u.excuse(waits)
}

func compileReady(expr string) (*cel.Expression, error) {
	if expr == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	return cel.NewExpression(expr, cel.WithCompile(), cel.WithOutputType(celtypes.BoolType), cel.WithStructVariables("self", "dep"))
}

// replaced reports whether an expression stands in for the built-in test.
func (m *model) replaced(d v1.DependencyReference) bool {
	return d.ReadyExpr != "" && m.w.opts.Flux.readyExpr()
}

// readyExpr: evalReadyExpr, lines 650 to 685. It replaces the built-in test,
// unless AdditiveCELDependencyCheck is on.
func (m *model) readyExpr(u, dep *unit, text string) []wait {
	if !dep.created {
		return []wait{{how: waitDependency, on: dep}}
	}
	expr, err := compileReady(text)
	if err != nil {
		return nil // said already
	}
	vars := map[string]any{"self": u.asObject(), "dep": dep.asObject()}
	if ready, err := m.evaluate(expr, vars); err != nil || !ready {
		return []wait{{how: waitExpression, on: dep, err: &unreadyError{text}}}
	}
	if m.w.settings.additive && !dep.ready {
		return []wait{{how: waitDependency, on: dep}}
	}
	return nil
}

// unreadyError says that an expression does not become true.
type unreadyError struct{ expr string }

func (e *unreadyError) Error() string { return e.expr }

// beyond matches what of a status the model does not have.
var beyond = regexp.MustCompile(`\bstatus\s*\.\s*(inventory|history|lastAttemptedRevision|lastHandledReconcileAt|lastAppliedOriginRevision)|\bmetadata\s*\.\s*(uid|creationTimestamp|resourceVersion|managedFields)`)

// asObject is a Kustomization as the API server would show it now, as far as the
// model knows.
func (u *unit) asObject() map[string]any {
	object := map[string]any{}
	maps.Copy(object, u.node.raw.Object)
	metadata := map[string]any{"generation": int64(1)}
	maps.Copy(metadata, mapAt(u.node.raw, "metadata"))
	object["metadata"] = metadata
	ready, observed, status := "Unknown", int64(-1), map[string]any{}
	if u.ready {
		ready, observed = "True", 1
		status["lastAppliedRevision"] = modelRevision
	}
	status["observedGeneration"] = observed
	status["conditions"] = []any{map[string]any{"type": "Ready", "status": ready, "observedGeneration": int64(1)}}
	object["status"] = status
	return object
}

// modelRevision stands for the one revision that a rehearsal has.
const modelRevision = "rehearsed@sha1:0000000000000000000000000000000000000000"

// judged reports whether a Kustomization has an expression of its own for the
// health of a kind: then an object without a status is not yet healthy
// (fluxcd/pkg/runtime/cel, StatusEvaluator).
func (m *model) judged(n *node, gk catalog.GroupKind) bool {
	if !m.w.opts.Flux.healthCheckExprs() {
		return false
	}
	for _, e := range n.spec.Spec.HealthCheckExprs {
		if catalog.GroupKind(groupKindOf(e.APIVersion, e.Kind)) == gk {
			return true
		}
	}
	return false
}
