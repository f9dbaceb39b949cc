package rehearsal

import (
	"cmp"
	"errors"
	"time"
)

// kustomization is one pass of kustomize-controller (v1.9.4,
// kustomization_controller.go, Reconcile, lines 129 to 310): the decisions in
// the order in which it takes them.
func (m *model) kustomization(u *unit) {
	if u.deadline != 0 {
		m.health(u) // the pass is at its end already
		return
	}
	for _, decide := range []func(*unit) (time.Duration, []wait){
		m.suspended, m.invalid, m.sourceReady, m.dependencies, m.built,
	} {
		if delay, waits := decide(u); len(waits) > 0 {
			m.park(u, delay, waits...)
			return
		}
	}
	if u.passed == 0 {
		u.eligible = m.eligibleAt(u)
	}
	m.applyAllStaged(u)
}

// retry is what a failed pass costs (kustomization_types.go, GetRetryInterval).
func (n *node) retry() time.Duration {
	d := n.spec.GetRetryInterval()
	return cmp.Or(max(d, 0), requeueTime)
}

// excuse leaves out the waits that were removed.
func (u *unit) excuse(waits []wait) []wait {
	var left []wait
	for _, w := range waits {
		if !u.excused[w.key()] {
			left = append(left, w)
		}
	}
	return left
}

// suspended: lines 168 to 175. Nothing wakes it but a change of the object.
func (m *model) suspended(u *unit) (time.Duration, []wait) {
	if !u.node.spec.Spec.Suspend {
		return 0, nil
	}
	return requeueTime, u.excuse([]wait{{how: waitSuspended}})
}

// sourceReady: lines 196 to 240.
func (m *model) sourceReady(u *unit) (time.Duration, []wait) {
	n := u.node
	if n.source.Kind == externalArtifact && m.w.settings.refusesArtifacts() {
		return requeueTime, u.excuse([]wait{{how: waitFault, err: &gateError{n.source}}})
	}
	if n.blind != "" {
		return n.retry(), u.excuse([]wait{{how: waitBlind}})
	}
	if host := m.hostOf(n.source); host != "" {
		// The server may be one that Flux itself deploys.
		nd := need{object: hostKey(host), why: forSource}
		if _, met, _ := m.has(nd); !met && m.expected(nd) {
			return requeueTime, u.excuse([]wait{{need: &nd}})
		}
	}
	if nd := m.sourceNeed(n.source); nd != nil {
		// The controller watches sources for a new artifact (source_predicate.go).
		return pollTime, u.excuse([]wait{{need: nd}})
	}
	return 0, nil
}

// dependencies: checkDependencies, lines 558 to 630. All dependencies are at
// the one revision that there is, so that the revision gate asks only whether
// each has applied it, which Ready says.
func (m *model) dependencies(u *unit) (time.Duration, []wait) {
	var waits []wait
	for _, d := range u.node.spec.Spec.DependsOn {
		ref := refOfDependency(u.node, d)
		n, ok := m.w.nodes[ref]
		switch {
		case !ok && m.exist[objectKey{kind: "Kustomization", namespace: ref.Namespace, name: ref.Name}]:
		case !ok:
			waits = append(waits, wait{how: waitMissing, ref: ref})
		case m.replaced(d):
			waits = append(waits, m.readyExpr(u, m.byNode[n], d.ReadyExpr)...)
		case !m.byNode[n].ready:
			waits = append(waits, wait{how: waitDependency, on: m.byNode[n], ref: ref})
		}
	}
	return requeueTime, u.excuse(waits)
}

// built: reconcile, build and decrypt (lines 330 to 420). What is missing here
// is missed before any dry-run.
func (m *model) built(u *unit) (time.Duration, []wait) {
	n := u.node
	var waits []wait
	for _, key := range n.values {
		nd := need{object: key, why: forBuild}
		if _, met, _ := m.has(nd); !met && m.expected(nd) {
			waits = append(waits, wait{need: &nd})
		}
	}
	if key, ok := sopsKey(n); ok && m.w.opts.Baseline.absent(key.kind, key.namespace, key.name) {
		waits = append(waits, wait{need: &need{object: key, why: forDecryption}})
	}
	if _, ofSource := errors.AsType[*generatorError](n.fault); n.fault != nil && !ofSource {
		waits = append(waits, wait{how: waitFault, err: n.fault})
	}
	if o, silent, ok := plainCiphertext(n); ok && !silent {
		waits = append(waits, wait{how: waitFault, err: &ciphertextError{o}})
	}
	return n.retry(), u.excuse(waits)
}

// expected reports whether a need must be met by the tree. What nothing in it
// creates is made outside of git, and is there when Flux starts unless the
// baseline says otherwise.
func (m *model) expected(n need) bool {
	return len(m.creators(n)) > 0 || m.w.opts.Baseline.absent(n.object.kind, n.object.namespace, n.object.name)
}

// eligibleAt is the earliest time at which the dry-run could have been tried: a
// controller that looks at the right moment loses nothing on its timers.
func (m *model) eligibleAt(u *unit) time.Duration {
	at := u.createdAt
	for _, d := range u.node.spec.Spec.DependsOn {
		if n, ok := m.w.nodes[refOfDependency(u.node, d)]; ok && m.byNode[n].ready {
			at = max(at, m.byNode[n].readyAt)
		}
	}
	for _, key := range u.node.values {
		if since, met, _ := m.has(need{object: key}); met {
			at = max(at, since)
		}
	}
	return at
}
