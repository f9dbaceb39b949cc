package rehearsal

import (
	"fmt"
	"slices"
	"time"

	"github.com/standup-sh/standup/internal/catalog"
)

// near is how close two unordered things have to come for timing to decide.
const near = 60 * time.Second

// races finds the needs that were met only after the dry-run could have been
// tried: each costs one retry, or may.
func (m *model) races(r *Result, outcomes map[*node]*outcome) {
	for _, n := range m.w.order {
		u := m.byNode[n]
		if !m.applied(u) {
			continue
		}
		needs := m.buildNeeds(n)
		for _, st := range m.stages[n] {
			needs = append(needs, st.needs...)
		}
		if host := hostKey(m.hostOf(n.source)); len(m.index[host]) > 0 {
			needs = append(needs, need{object: host, why: forSource})
		}
		for _, nd := range needs {
			since := u.eligible
			if nd.why == forBuild {
				since = m.buildableAt(u)
			}
			f, ok := m.race(u, nd, since)
			if !ok || outcomes[n].verdict.rank() > Precondition.rank() || outcomes[n].blocked != "" && outcomes[n].verdict != Precondition {
				continue
			}
			r.Findings = append(r.Findings, f)
			if o := outcomes[n]; f.Verdict.rank() > o.verdict.rank() || o.blocked != "" {
				o.verdict, o.class, o.blocked = f.Verdict, f.Class, ""
			}
		}
	}
}

// buildNeeds are the objects from which variables are substituted. A set is not
// built while one is missing, and the pass fails like one whose dry-run does.
func (m *model) buildNeeds(n *node) []need {
	var needs []need
	for _, key := range n.values {
		needs = append(needs, need{object: key, why: forBuild})
	}
	return needs
}

// buildableAt is the earliest time at which the build could have been tried.
func (m *model) buildableAt(u *unit) time.Duration {
	at := u.createdAt
	for _, d := range u.node.spec.Spec.DependsOn {
		if n, ok := m.w.nodes[refOfDependency(u.node, d)]; ok {
			at = max(at, m.byNode[n].readyAt)
		}
	}
	return at
}

// race judges a need that was met, of a unit that could have gone on since then.
func (m *model) race(u *unit, nd need, eligible time.Duration) (Finding, bool) {
	at, met, certain := m.has(nd)
	if _, seeded := m.seeded[nd.kind]; !met || seeded || m.isThere(nd) {
		return Finding{}, false
	}
	c := cause{unit: u, wait: wait{need: &nd}}
	c.about(orElse(nd.by, u.subject()))
	if nd.kind.Kind != "" {
		c.Missing = kindsOf(nd.kind)
	}
	by, ordered := m.orderedAfter(u, nd)
	if by == nil {
		return Finding{}, false
	}
	c.Provider = &Located{Kind: by.object.GetKind(), Namespace: by.object.GetNamespace(), Name: by.object.GetName()}
	cost := u.node.retry()
	if nd.why == forSource {
		c.Object = locate(u.node.object)
		c.Verdict, c.Class = Retry, InSource
		c.Message = fmt.Sprintf("its source is on %s, which %s in %s serves; it is fetched once that runs", nd.object.name, named(by.object), by.node.ref)
		c.Remedy = fmt.Sprintf("Depend on %s, and let it wait.", by.node.ref.NamespacedName())
		return c.Finding, true
	}
	switch {
	case by.node == u.node && nd.kind.Kind != "" && at > u.eligible:
		c.Verdict, c.Class = Retry, SameSet
		c.Message = fmt.Sprintf("%s comes with %s of the same set, which --custom-apply-stage-kinds lets pass before; the first pass fails and the next is after %s", nd, named(by.object), cost)
		c.Remedy = "Set a short retryInterval, or move what needs it to a Kustomization of its own."
	case !certain:
		c.Verdict, c.Class = Unknown, NoCreator
		c.Message = fmt.Sprintf("whether %s brings %s cannot be told from here", named(by.object), nd)
		c.Remedy = "Give the values on which it hangs in the HelmRelease itself, or say that the kind is there (--seeded)."
		return c.Finding, true
	case ordered && at > eligible:
		c.Verdict, c.Class = Race, WeakEdge
		c.Message = fmt.Sprintf("%s comes with %s in %s, which can be Ready before that; a first pass that is too early costs up to %s", nd, named(by.object), by.node.ref, cost)
		c.Remedy = m.gate(by, nd)
	case at > eligible:
		c.Verdict, c.Class = Retry, NoEdge
		c.Message = fmt.Sprintf("%s comes with %s in %s, and nothing orders the two; the first pass fails and the next is after %s", nd, named(by.object), by.node.ref, cost)
		c.Remedy = fmt.Sprintf("Depend on %s, and let it wait; or set retryInterval.", by.node.ref.NamespacedName())
	case !ordered && eligible-at < near && by.node != u.node:
		c.Verdict, c.Class = Race, NoEdge
		c.Message = fmt.Sprintf("%s comes with %s in %s, and nothing orders the two; a first pass that is too early costs up to %s", nd, named(by.object), by.node.ref, cost)
		c.Remedy = fmt.Sprintf("Depend on %s, and let it wait; or set retryInterval.", by.node.ref.NamespacedName())
	default:
		return Finding{}, false
	}
	return c.Finding, true
}

// gate says what would close a race.
func (m *model) gate(by *creator, nd need) string {
	if kind, ok := m.w.opts.Catalog.Kind(nd.kind); by.how == byOperator && ok && kind.CRDName() != "" {
		return fmt.Sprintf("List CustomResourceDefinition %s under healthChecks of a Kustomization without wait that holds it, or set a short retryInterval.", kind.CRDName())
	}
	if by.how == byOperator {
		return "List the CRD under healthChecks of a Kustomization without wait in front of this one, or set a short retryInterval."
	}
	return fmt.Sprintf("Set wait: true on %s and on what stands between, or set a short retryInterval.", by.node.ref.NamespacedName())
}

// orderedAfter finds the creator that met a need first, and whether the unit is
// ordered after it: it depends on the creator's Kustomization or on one above.
func (m *model) orderedAfter(u *unit, nd need) (by *creator, ordered bool) {
	creators := m.creators(nd)
	at := time.Duration(-1)
	for i, c := range creators {
		since, ok := m.arrivals[c.bringer]
		if nd.kind.Kind == "" {
			since, ok = m.objects[nd.object]
		}
		if ok && (at < 0 || since < at) && (c.bringer == nil || c.bringer.unknown || c.bringer.of(nd.kind) != catalog.No) {
			by, at = &creators[i], since
		}
	}
	if by == nil {
		return nil, false
	}
	before := map[*node]bool{}
	m.before(u.node, before)
	if by.node == u.node || before[by.node] {
		return by, true
	}
	for n := range before {
		if by.node.descends(n) && !u.node.descends(n) {
			return by, true
		}
	}
	return by, slices.ContainsFunc(u.node.parents, func(p *node) bool { return p == by.node })
}

// dependsOn reports whether a node is ordered after another.
func (s *stage) dependsOn(n, other *node) bool {
	before := map[*node]bool{}
	s.before(n, before)
	return before[other]
}

// before collects what a node depends on, directly and through others and
// through those that create it.
func (s *stage) before(n *node, found map[*node]bool) {
	for _, d := range n.spec.Spec.DependsOn {
		if dep, ok := s.w.nodes[refOfDependency(n, d)]; ok && !found[dep] {
			found[dep] = true
			s.before(dep, found)
		}
	}
	for _, p := range n.parents {
		if !found[p] {
			found[p] = true
			s.before(p, found)
		}
	}
}
