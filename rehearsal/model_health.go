package rehearsal

import (
	"cmp"
	"slices"
	"strings"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// health: checkHealth (kustomization_controller.go, lines 997 to 1090). With
// wait, every object that was applied is looked at and healthChecks are ignored;
// without either, applied is Ready. An object without a status, such as a fresh
// custom resource, is Current (kstatus, generic.go).
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
		m.hold(u, u.node.timeout(), func() { m.park(u, u.node.retry(), u.waits...) }, waits...)
		return
	}
	m.setReady(u)
}

func (m *model) unhealthy(u *unit, o manifests.Object) []wait {
	other := m.byObject[u.node][keyOf(o)]
	if kindOf(o).Kind == "Kustomization" {
		other = m.byNode[m.w.nodes[tiers.KustomizationRef(o.GetNamespace(), o.GetName())]]
	}
	if other == nil || other == u || other.ready {
		return nil
	}
	if _, provider := m.w.opts.Catalog.ByProvider(kindOf(o)); provider && !m.judged(u.node, kindOf(o)) {
		return nil
	}
	return []wait{{how: waitHealth, on: other}}
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
			if n := m.w.checked(u.node, c); n != nil && !m.byNode[n].ready {
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

// checked is the Kustomization that a health check of another names; nil where it
// names none of the tree, or itself.
func (w *walk) checked(n *node, c meta.NamespacedObjectKindReference) *node {
	if c.Kind != kustomizev1.KustomizationKind {
		return nil
	}
	if named := w.nodes[tiers.KustomizationRef(cmp.Or(c.Namespace, n.ref.Namespace), c.Name)]; named != n {
		return named
	}
	return nil
}

// awaited are the Kustomizations whose Ready the health of one waits for: its
// children with wait, else those that its healthChecks name.
func (w *walk) awaited(n *node) []*node {
	var found []*node
	if n.spec.Spec.Wait {
		for _, c := range w.order {
			if n.owns(c) {
				found = append(found, c)
			}
		}
		return found
	}
	for _, check := range n.spec.Spec.HealthChecks {
		if c := w.checked(n, check); c != nil {
			found = append(found, c)
		}
	}
	return found
}

// checkObject waits for an object of the tree, or for the releases of the set
// that may make one that is not in it.
func (m *model) checkObject(u *unit, key objectKey) []wait {
	if creators := m.index[key]; len(creators) > 0 {
		if other := m.byObject[creators[0].node][key]; other != nil && other.created && !other.ready {
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
	if nd := (need{object: key, why: forHealth}); len(waits) == 0 && !m.othersMake {
		if _, met, _ := m.has(nd); !met {
			waits = append(waits, wait{need: &nd})
		}
	}
	return waits
}

// findOthers reports whether something in the tree may make objects that are not
// in it: a release, an operator, or a set that nobody can see.
func (s *stage) findOthers() bool {
	return slices.ContainsFunc(s.w.order, func(n *node) bool {
		return n.blind != "" || slices.ContainsFunc(n.objects(), func(o manifests.Object) bool {
			_, plain := s.base[kindOf(o)]
			return !o.LeftAlone() && (o.IsHelmRelease() || !plain)
		})
	})
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
