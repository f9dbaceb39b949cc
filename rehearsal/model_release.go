package rehearsal

import (
	"cmp"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// release is one pass of helm-controller (v1.6.3, helmrelease_controller.go), as
// far as the order of things hangs on it.
func (m *model) release(u *unit) {
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
	m.install(u)
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

// install lets a release take its time: CRDs come early, Ready late, and what an
// operator registers later still.
func (m *model) install(u *unit) {
	b := m.releaseOf[keyOf(u.object)]
	if b != nil && b.how == byInstall {
		m.after(chartTime, func() { m.arrive(b) })
	}
	if ns := text(u.object.Unstructured, "spec", "targetNamespace"); ns != "" {
		m.after(chartTime, func() { m.exists(namespaceKey(ns)); m.changed() })
	}
	m.after(installTime, func() {
		m.setReady(u)
		if b != nil && b.how == byOperator {
			m.after(operatorTime, func() { m.arrive(b) })
		}
	})
}

// serveHosts makes the hosts of an object answer.
func (m *model) serveHosts(o manifests.Object) {
	for _, host := range m.hosts[keyOf(o)] {
		m.exists(hostKey(host))
	}
}

// workload: the pods of a Deployment and the like start when the Secrets and
// ConfigMaps that they name are there. What nothing in the tree creates is not
// waited for: a chart or a person may make it.
func (m *model) workload(u *unit) {
	var waits []wait
	for _, key := range podNeeds(u.object) {
		nd := need{object: key, why: forPod, by: u.object}
		if _, met, _ := m.has(nd); !met && m.expected(nd) {
			waits = append(waits, wait{need: &nd})
		}
	}
	if waits = u.excuse(waits); len(waits) > 0 {
		m.park(u, pollTime, waits...)
		return
	}
	m.after(workloadTime, func() {
		m.setReady(u)
		for _, b := range m.bringers {
			if b.object.Unstructured == u.object.Unstructured {
				m.after(operatorTime, func() { m.arrive(b) })
			}
		}
	})
}

// provider: the operator of a custom resource registers kinds a while after it
// has seen the object. Where the tree has the operator, it must run.
func (m *model) provider(u *unit) {
	var waits []wait
	if e, ok := m.w.opts.Catalog.ByProvider(kindOf(u.object)); ok && e.Operator != nil {
		for _, other := range m.operators(*e.Operator) {
			if other.ready {
				waits = nil
				break
			}
			waits = append(waits, wait{how: waitDependency, on: other})
		}
	}
	if waits = u.excuse(waits); len(waits) > 0 {
		m.park(u, pollTime, waits...)
		return
	}
	m.after(operatorTime, func() {
		for _, b := range m.bringers {
			if b.object.Unstructured == u.object.Unstructured {
				m.arrive(b)
			}
		}
		m.setReady(u)
	})
}

// operators finds the units that run an operator.
func (m *model) operators(o catalog.Operator) []*unit {
	var found []*unit
	for _, u := range m.units {
		if u.isKustomization() {
			continue
		}
		b := m.releaseOf[keyOf(u.object)]
		switch {
		case u.object.GetKind() == o.Kind && o.Runs(u.object.Object),
			b != nil && b.brings.Entry.Operator != nil && b.brings.Entry.Operator.Name == o.Name:
			found = append(found, u)
		}
	}
	return found
}

// healthChecks are polled whether the Kustomization applied them or not: also
// what a release makes, and the CRD of a kind.
func (m *model) healthChecks(u *unit) []wait {
	var waits []wait
	for _, c := range u.node.spec.Spec.HealthChecks {
		group, _, _ := strings.Cut(c.APIVersion, "/")
		key := objectKey{group, c.Kind, c.Namespace, c.Name}
		if !strings.Contains(c.APIVersion, "/") {
			key.group = ""
		}
		switch key.kind {
		case "Kustomization":
			if n := m.w.nodes[tiers.KustomizationRef(cmp.Or(c.Namespace, u.node.ref.Namespace), c.Name)]; n != nil && n != u.node && !m.byNode[n].ready {
				waits = append(waits, wait{how: waitHealth, on: m.byNode[n]})
			}
		case "CustomResourceDefinition":
			if nd, ok := m.definitionNeed(c.Name); ok {
				if _, met, _ := m.has(nd); !met {
					waits = append(waits, wait{need: &nd})
				}
			}
		default:
			waits = append(waits, m.checkObject(u, key)...)
		}
	}
	return waits
}

// checkObject waits for an object of the tree, or for the releases of the set
// that may make one that is not in it.
func (m *model) checkObject(u *unit, key objectKey) []wait {
	if creators := m.index[key]; len(creators) > 0 {
		if other := m.byObject[creators[0].node][key]; other != nil && !other.ready {
			return []wait{{how: waitHealth, on: other}}
		} else if _, there := m.objects[key]; !there {
			return []wait{{need: &need{object: key}}}
		}
		return nil
	}
	var waits []wait
	for _, o := range u.node.objects() {
		if other := m.byObject[u.node][keyOf(o)]; o.IsHelmRelease() && other != nil && !other.ready {
			waits = append(waits, wait{how: waitHealth, on: other})
		}
	}
	return waits
}

// definitionNeed finds the kind whose CRD has the name plural.group.
func (m *model) definitionNeed(name string) (need, bool) {
	_, group, _ := strings.Cut(name, ".")
	for _, b := range m.bringers {
		if b.kind.Group == group && strings.HasPrefix(name, strings.ToLower(b.kind.Kind)) {
			return need{kind: b.kind.GroupKind(), why: forPod}, true
		}
		for _, share := range b.brings.Shares {
			for _, k := range share.Kinds {
				if k.CRDName() == name {
					return need{kind: k.GroupKind(), why: forPod}, true
				}
			}
		}
	}
	return need{}, false
}
