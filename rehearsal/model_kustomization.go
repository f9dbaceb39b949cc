package rehearsal

import (
	"cmp"
	"time"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// kustomization is one pass of kustomize-controller (v1.9.4,
// kustomization_controller.go, Reconcile, lines 129 to 310): the decisions in
// the order in which it takes them.
func (m *model) kustomization(u *unit) {
	for _, decide := range []func(*unit) (time.Duration, []wait){
		m.suspended, m.sourceReady, m.dependencies, m.built,
	} {
		if delay, waits := decide(u); len(waits) > 0 {
			m.park(u, delay, waits...)
			return
		}
	}
	if u.applied {
		m.health(u)
		return
	}
	u.eligible = m.eligibleAt(u)
	if delay, waits := m.dryRun(u); len(waits) > 0 {
		m.park(u, delay, waits...)
		return
	}
	u.applied, u.appliedAt = true, m.now+applyTime
	m.after(applyTime, func() { m.apply(u); m.health(u) })
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

// sourceReady: lines 196 to 240. The entry's source is there, since Flux was
// installed with it; another one has to be applied first.
func (m *model) sourceReady(u *unit) (time.Duration, []wait) {
	n := u.node
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
	if _, ok := m.w.sources[n.source]; !ok || n.source == m.w.entry {
		return 0, nil
	}
	nd := need{object: objectKey{sourceGroup, n.source.Kind, n.source.Namespace, n.source.Name}, why: forSource}
	if _, met, _ := m.has(nd); met {
		return 0, nil
	}
	return n.retry(), u.excuse([]wait{{need: &nd}})
}

// dependencies: checkDependencies, lines 558 to 630. All dependencies are at
// the one revision that there is, so that the revision gate asks only whether
// each has applied it, which Ready says.
func (m *model) dependencies(u *unit) (time.Duration, []wait) {
	var waits []wait
	for _, d := range u.node.spec.Spec.DependsOn {
		ref := tiers.KustomizationRef(cmp.Or(d.Namespace, u.node.ref.Namespace), d.Name)
		n, ok := m.w.nodes[ref]
		switch {
		case !ok && m.exist[objectKey{kind: "Kustomization", namespace: ref.Namespace, name: ref.Name}]:
		case !ok:
			waits = append(waits, wait{how: waitMissing, ref: ref})
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
	if n.fault != nil {
		waits = append(waits, wait{how: waitFault, err: n.fault})
	}
	return n.retry(), u.excuse(waits)
}

// expected reports whether a need must be met by the tree. What nothing in it
// creates is made outside of git, and is there when Flux starts unless the
// baseline says otherwise.
func (m *model) expected(n need) bool {
	return len(m.creators(n)) > 0 || m.w.opts.Baseline.absent(n.object.kind, n.object.namespace, n.object.name)
}

// dryRun: ApplyAllStaged (fluxcd/pkg/ssa v0.76.1, manager_apply.go, lines 347
// to 420). The first error ends it; all of them are wanted here.
func (m *model) dryRun(u *unit) (time.Duration, []wait) {
	var waits []wait
	for _, nd := range m.needs[u.node] {
		if _, met, _ := m.has(nd); !met {
			waits = append(waits, wait{need: &nd})
		}
	}
	return u.node.retry(), u.excuse(waits)
}

// eligibleAt is the earliest time at which the dry-run could have been tried: a
// controller that looks at the right moment loses nothing on its timers.
func (m *model) eligibleAt(u *unit) time.Duration {
	at := u.createdAt
	for _, d := range u.node.spec.Spec.DependsOn {
		if n, ok := m.w.nodes[tiers.KustomizationRef(cmp.Or(d.Namespace, u.node.ref.Namespace), d.Name)]; ok && m.byNode[n].ready {
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

// apply makes the objects of the set exist, and sets off what they set off.
func (m *model) apply(u *unit) {
	for _, o := range u.node.objects() {
		if o.LeftAlone() {
			continue
		}
		m.exists(keyOf(o))
		if kindOf(o) == (catalog.GroupKind{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"}) {
			m.create(m.byNode[m.w.nodes[tiers.KustomizationRef(o.GetNamespace(), o.GetName())]])
		}
		m.create(m.byObject[u.node][keyOf(o)])
		if len(m.hosts[keyOf(o)]) > 0 && m.byObject[u.node][keyOf(o)] == nil {
			m.after(workloadTime, func() { m.serveHosts(o); m.changed() })
		}
		for _, key := range produced(o) {
			m.after(secretTime, func() { m.exists(key); m.changed() })
		}
	}
	for _, b := range m.bringers {
		if b.node == u.node && b.kind.Kind != "" {
			m.after(definedTime, func() { m.arrive(b) })
		}
	}
	m.changed()
}

func (m *model) exists(key objectKey) {
	if _, ok := m.objects[key]; !ok {
		m.objects[key] = m.now
	}
}

// arrive makes the kinds of a bringer served.
func (m *model) arrive(b *bringer) {
	if _, ok := m.arrivals[b]; !ok {
		m.arrivals[b] = m.now
		m.changed()
	}
}

// health: checkHealth, lines 997 to 1090. With wait, every object that was
// applied is looked at and healthChecks are ignored; without either, applied is
// Ready. An object without a status, such as a fresh custom resource, is
// Current (kstatus, generic.go).
func (m *model) health(u *unit) {
	var waits []wait
	switch {
	case u.node.spec.Spec.Wait:
		for _, o := range u.node.objects() {
			if !o.LeftAlone() {
				waits = append(waits, m.unhealthy(u, o)...)
			}
		}
	default:
		waits = m.healthChecks(u)
	}
	if waits = u.excuse(waits); len(waits) > 0 {
		m.park(u, pollTime, waits...)
		return
	}
	m.setReady(u)
}

func (m *model) unhealthy(u *unit, o manifests.Object) []wait {
	other := m.byObject[u.node][keyOf(o)]
	if kindOf(o).Kind == "Kustomization" {
		other = m.byNode[m.w.nodes[tiers.KustomizationRef(o.GetNamespace(), o.GetName())]]
	}
	if _, provider := m.w.opts.Catalog.ByProvider(kindOf(o)); other == nil || other == u || other.ready || provider {
		return nil
	}
	return []wait{{how: waitHealth, on: other}}
}
