package rehearsal

import (
	"errors"
	"fmt"
)

// gaveUp judges a release that its controller does not try any more. Where what
// it missed has come since, that is the cause; else what keeps that back.
func (b *blame) gaveUp(c *cause) bool {
	nd := c.wait.need
	if _, met, _ := b.m.has(*nd); !met {
		return b.unmet(c)
	}
	c.about(c.unit.subject())
	c.Verdict, c.Class = Stall, NoRetries
	if nd.kind.Kind != "" {
		c.Missing = kindsOf(nd.kind)
	}
	attempts := "its only attempt"
	if n := c.unit.failures + 1; n > 1 {
		attempts = fmt.Sprintf("all of its %d attempts", n)
	}
	c.Message = fmt.Sprintf("%s gives up: %s may end before %s is there, and helm-controller does not try again", named(c.unit.object), attempts, nd)
	c.Remedy = "Set install.strategy.name to RetryOnFailure, or remediation.retries of install to -1"
	if by, _ := b.m.orderedAfter(b.m.byNode[c.unit.node], *nd); by != nil {
		c.Provider = &Located{Kind: by.object.GetKind(), Namespace: by.object.GetNamespace(), Name: by.object.GetName()}
		if by.object.IsHelmRelease() && by.node != c.unit.node {
			c.Remedy += fmt.Sprintf("; or let %s depend on %s, which waits", c.unit.node.ref.NamespacedName(), by.node.ref.NamespacedName())
		}
	}
	c.Remedy += "."
	return true
}

// retried tells of the releases whose first attempt failed and a later one not.
func (b *blame) retried(r *Result, outcomes map[*node]*outcome) {
	for _, u := range b.m.units {
		if !u.ready || u.missed == nil {
			continue
		}
		c := cause{unit: u, wait: wait{need: u.missed}}
		c.about(u.object)
		c.Verdict, c.Class = Retry, NoEdge
		if u.missed.kind.Kind != "" {
			c.Missing = kindsOf(u.missed.kind)
		}
		again := b.m.policies[keyOf(u.object)].again
		c.Message = fmt.Sprintf("an attempt to install %s may end before %s is there; the next is after %s", named(u.object), u.missed, again)
		c.Remedy = "Nothing has to be done; an order between the two would save the time."
		if by, _ := b.m.orderedAfter(b.m.byNode[u.node], *u.missed); by != nil {
			c.Provider = &Located{Kind: by.object.GetKind(), Namespace: by.object.GetNamespace(), Name: by.object.GetName()}
		}
		r.Findings = append(r.Findings, c.Finding)
		if o := outcomes[u.node]; u.node.spec.Spec.Wait && o.verdict == OK {
			o.verdict, o.class = Retry, NoEdge
		}
	}
}

// expression judges a CEL expression that does not compile, or that does not
// become true although its dependency is Ready.
func (b *blame) expression(c *cause) bool {
	if bad, ok := errors.AsType[*expressionError](c.wait.err); ok {
		c.about(c.unit.subject())
		c.Verdict, c.Class = Stall, InExpression
		c.Message = bad.Error() + "; kustomize-controller does not try it again"
		c.Remedy = "Correct the expression."
		return true
	}
	dep := c.wait.on
	if !dep.ready {
		return false // it may be true then
	}
	c.about(c.unit.subject())
	c.Verdict, c.Class = Deadlock, InExpression
	expr := c.wait.err.Error()
	c.Message = fmt.Sprintf("readyExpr %q is not true of %s, although that is Ready", expr, dep.node.ref)
	c.Remedy = "Correct the expression, or what it reads in the two Kustomizations."
	if beyond.MatchString(expr) {
		c.Verdict = Runtime
		c.Message = fmt.Sprintf("whether readyExpr %q becomes true of %s is decided by a status that only a cluster has", expr, dep.node.ref)
		c.Remedy = "Look at the live objects."
	}
	return true
}
