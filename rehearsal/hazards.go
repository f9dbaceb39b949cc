package rehearsal

import (
	"fmt"
	"slices"

	"github.com/standup-sh/standup/tiers"
)

// hazards finds what converges and is dangerous all the same.
func (s *stage) hazards(r *Result, outcomes map[*node]*outcome) {
	add := func(n *node, f Finding) {
		r.Findings = append(r.Findings, f)
		outcomes[n].worsen(f.Verdict, f.Class)
	}
	said := map[objectKey]bool{}
	for _, n := range s.w.order {
		for _, o := range n.objects() {
			if o.LeftAlone() || opaque(o) {
				continue
			}
			owner, shared := s.otherOwner(n, keyOf(o))
			if !shared || s.child(keyOf(o)) == nil && said[keyOf(o)] {
				continue
			}
			said[keyOf(o)] = true
			c := cause{unit: &unit{node: n}}
			c.about(o)
			c.Verdict, c.Class = Hazard, TwoOwners
			c.Message = fmt.Sprintf("%s is in the set of %s as well%s: each takes it from the other, and whoever drops it first deletes it for both", named(o), owner.ref, s.andOthers(keyOf(o)))
			c.Remedy = "Keep it in one of the two."
			if child := s.child(keyOf(o)); child != nil && child.owns(n) {
				c.Message = fmt.Sprintf("%s and %s apply each other: to delete one deletes the other", n.ref, child.ref)
				c.Remedy = "Let one of them be applied by what applies both."
			}
			add(n, c.Finding)
		}
	}
}

// andOthers counts the further sets that an object is in; it is told but once.
func (s *stage) andOthers(key objectKey) string {
	owners := map[*node]bool{}
	for _, c := range s.index[key] {
		if c.how == byApply {
			owners[c.node] = true
		}
	}
	if n := len(owners) - 2; n > 0 {
		return fmt.Sprintf(", and in those of %d others", n)
	}
	return ""
}

// otherOwner finds who applies an object besides n. Of two owners the later one
// of the walk is the one to speak of, and of two that apply each other both.
// Namespaces are left out: many sets bring the one that they need, on purpose.
func (s *stage) otherOwner(n *node, key objectKey) (*node, bool) {
	if key.kind == "Namespace" || s.child(key) == n {
		return nil, false
	}
	if child := s.child(key); child != nil && child.owns(n) {
		return child, true
	}
	for _, c := range s.index[key] {
		if c.how != byApply {
			continue
		}
		if c.node == n {
			return nil, false // the first
		}
		if c.node.spec.Spec.Prune || n.spec.Spec.Prune {
			return c.node, s.child(key) != c.node
		}
	}
	return nil, false
}

func (s *stage) child(key objectKey) *node {
	if key.kind != "Kustomization" || key.group != "kustomize.toolkit.fluxcd.io" {
		return nil
	}
	return s.w.nodes[tiers.KustomizationRef(key.namespace, key.name)]
}

// owns reports whether a node applies another.
func (n *node) owns(other *node) bool { return slices.Contains(other.parents, n) }
