package rehearsal

import "github.com/standup-sh/standup/internal/catalog"

// workload: the pods of a Deployment and the like start when the Secrets and
// ConfigMaps that they name are there. What nothing in the tree creates is not
// waited for: a chart or a person may make it.
func (m *model) workload(u *unit) {
	var waits []wait
	for _, nd := range m.podNeeds[keyOf(u.object)] {
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
