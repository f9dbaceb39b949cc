package rehearsal

import (
	"cmp"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// release is one pass of helm-controller (v1.6.3, helmrelease_controller.go), as
// far as the order of things hangs on it.
func (m *model) release(u *unit) {
	if u.installed {
		m.podsOf(u)
		return
	}
	if flagAt(u.object.Unstructured, "spec", "suspend") {
		m.park(u, requeueTime, u.excuse([]wait{{how: waitSuspended}})...)
		return
	}
	var waits []wait
	for _, d := range listAt(u.object.Unstructured, "spec", "dependsOn") {
		waits = append(waits, m.releaseDependency(u, d)...)
	}
	for _, nd := range releaseNeeds(u.object) {
		if _, met, _ := m.has(nd); !met && (m.expected(nd) || nd.object.kind == "Namespace") {
			waits = append(waits, wait{need: &nd})
		}
	}
	if waits = u.excuse(waits); len(waits) > 0 {
		m.park(u, requeueTime, waits...)
		return
	}
	m.after(chartTime, func() { m.install(u) })
}

// releaseDependency: checkDependencies. Only HelmReleases can be named, and there
// is no revision gate.
func (m *model) releaseDependency(u *unit, d map[string]any) []wait {
	name, _ := d["name"].(string)
	namespace, _ := d["namespace"].(string)
	key := objectKey{"helm.toolkit.fluxcd.io", "HelmRelease", cmp.Or(namespace, u.object.GetNamespace()), name}
	for _, c := range m.index[key] {
		if other := m.byObject[c.node][key]; other != nil {
			if other.ready {
				return nil
			}
			return []wait{{how: waitDependency, on: other}}
		}
	}
	if m.exist[objectKey{kind: key.kind, namespace: key.namespace, name: key.name}] {
		return nil
	}
	return []wait{{how: waitMissing, ref: tiers.Ref{Kind: key.kind, Namespace: key.namespace, Name: key.name}}}
}

// install is one attempt. Helm creates the directory crds first, and nothing of
// the rest where it does not know one of its kinds. Nobody knows to the second
// when a kind comes that nothing orders before: it counts as late.
func (m *model) install(u *unit) {
	b := m.releaseOf[keyOf(u.object)]
	if b != nil && b.how == byInstall && b.crds() == catalog.InDirectory {
		m.arrive(b)
	}
	var waits []wait
	for _, nd := range m.rendered[keyOf(u.object)] {
		if m.late(u, nd) {
			waits = append(waits, wait{need: &nd})
		}
	}
	if waits = u.excuse(waits); len(waits) > 0 {
		m.failed(u, waits...)
		return
	}
	if b != nil && b.how == byInstall {
		m.arrive(b)
	}
	if ns := text(u.object.Unstructured, "spec", "targetNamespace"); ns != "" {
		m.exists(namespaceKey(ns))
		m.changed()
	}
	u.installed = true
	m.podsOf(u)
}

// late reports whether a kind that a chart has objects of is not there, or may
// not be: in the first attempt, one that nothing orders before is not waited for.
func (m *model) late(u *unit, nd need) bool {
	at, met, _ := m.has(nd)
	if !met {
		return true
	}
	if u.failures > 0 || m.isThere(nd) || m.now-at >= near {
		return false
	}
	_, seeded := m.seeded[nd.kind]
	return !seeded && !m.releasedAfter(u, nd)
}

// releasedAfter reports whether a release is ordered after what brings a kind,
// by its own dependencies or by those of its Kustomization.
func (m *model) releasedAfter(u *unit, nd need) bool {
	before := map[objectKey]bool{}
	m.releasesBefore(u, before)
	for _, c := range m.creators(nd) {
		if before[keyOf(c.object)] {
			return true
		}
	}
	_, ordered := m.orderedAfter(m.byNode[u.node], nd)
	by, _ := m.orderedAfter(m.byNode[u.node], nd)
	return ordered && by != nil && by.node != u.node
}

func (m *model) releasesBefore(u *unit, found map[objectKey]bool) {
	for _, d := range listAt(u.object.Unstructured, "spec", "dependsOn") {
		name, _ := d["name"].(string)
		namespace, _ := d["namespace"].(string)
		key := objectKey{"helm.toolkit.fluxcd.io", "HelmRelease", cmp.Or(namespace, u.object.GetNamespace()), name}
		if found[key] {
			continue
		}
		found[key] = true
		for _, c := range m.index[key] {
			if other := m.byObject[c.node][key]; other != nil {
				m.releasesBefore(other, found)
			}
		}
	}
}

// podsOf is the wait of Helm for what it has installed.
func (m *model) podsOf(u *unit) {
	p := m.policies[keyOf(u.object)]
	var waits []wait
	for _, nd := range m.podNeeds[keyOf(u.object)] {
		if _, met, _ := m.has(nd); p.wait && !met && m.expected(nd) {
			waits = append(waits, wait{need: &nd})
		}
	}
	if waits = u.excuse(waits); len(waits) > 0 {
		m.hold(u, p.timeout, func() { m.failed(u, u.waits...) }, waits...)
		return
	}
	u.deadline = 0
	m.after(installTime, func() {
		m.setReady(u)
		if b := m.releaseOf[keyOf(u.object)]; b != nil && b.how == byOperator {
			m.after(operatorTime, func() { m.arrive(b) })
		}
	})
}

// failed ends an attempt: another one follows, or the controller gives up
// (internal/reconcile/atomic_release.go; remediation.retries is 0 by default).
func (m *model) failed(u *unit, waits ...wait) {
	p := m.policies[keyOf(u.object)]
	u.installed, u.missed = false, waits[0].need
	switch {
	case p.retries < 0:
		u.failures++
		m.park(u, p.again, waits...)
	case u.failures < p.retries:
		u.failures++
		m.give(u)
		u.waits, u.scheduled = waits, true
		m.after(p.again, func() { m.turn(u) })
	default:
		for i := range waits {
			waits[i].how = waitStalled
		}
		u.stalled, u.waits = true, waits
		m.give(u)
	}
}

// serveHosts makes the hosts of an object answer.
func (m *model) serveHosts(o manifests.Object) {
	for _, host := range m.hosts[keyOf(o)] {
		m.exists(hostKey(host))
	}
}
