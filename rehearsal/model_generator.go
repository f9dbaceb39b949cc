package rehearsal

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/standup-sh/standup/tiers"
)

func sourceKey(ref tiers.Ref) objectKey {
	return objectKey{sourceGroup, ref.Kind, ref.Namespace, ref.Name}
}

// indexArtifacts notes which generator makes the artifacts that are sources,
// also where it fails before it comes to them.
func (s *stage) indexArtifacts() {
	seen := map[tiers.Ref]bool{}
	for _, n := range s.w.order {
		g := s.w.generatorOf(n.source)
		if g == nil || seen[n.source] {
			continue
		}
		seen[n.source] = true
		for _, c := range s.index[keyOf(g.object)] {
			s.index[sourceKey(n.source)] = append(s.index[sourceKey(n.source)], creator{node: c.node, object: c.object, how: byOperator})
		}
	}
}

// generator is one pass of source-watcher (v2.2, artifactgenerator_controller.go,
// reconcile): it waits for its sources, and makes its artifacts until one fails.
func (m *model) generator(u *unit) {
	g := m.w.generatorAt(keyOf(u.object))
	var waits []wait
	for _, s := range g.spec.Sources {
		if nd := m.sourceNeed(g.sources[s.Alias]); nd != nil {
			waits = append(waits, wait{need: nd})
		}
	}
	if waits = u.excuse(waits); len(waits) > 0 {
		m.park(u, requeueTime, waits...)
		return
	}
	m.after(generatorTime, func() {
		made := slices.SortedFunc(maps.Keys(g.made), tiers.Ref.Compare)
		for _, ref := range slices.Concat(made, slices.SortedFunc(maps.Keys(g.unseen), tiers.Ref.Compare)) {
			m.exists(sourceKey(ref))
		}
		if g.fault == nil {
			m.setReady(u)
			return
		}
		m.changed()
		if waits := u.excuse([]wait{{how: waitFault, err: &generatorError{g.object, g.fault}}}); len(waits) > 0 {
			m.park(u, requeueTime, waits...)
			return
		}
		for _, n := range m.w.order {
			if m.w.generatorOf(n.source) == g {
				m.exists(sourceKey(n.source)) // to see what is wrong besides
			}
		}
		m.setReady(u)
	})
}

// sourceNeed is the need for a source that the tree applies or makes and that is
// not there yet; nil where there is none. The entry's source is there, since Flux
// was installed with it, and so is what is not in the tree.
func (m *model) sourceNeed(ref tiers.Ref) *need {
	nd := need{object: sourceKey(ref), why: forSource}
	if _, applied := m.w.sources[ref]; ref == m.w.entry || !applied && len(m.creators(nd)) == 0 {
		return nil
	}
	if _, met, _ := m.has(nd); met {
		return nil
	}
	return &nd
}

// gateError says that kustomize-controller refuses a source of this kind (v1.7
// and later, getSource); it does not try again before it is restarted.
type gateError struct{ source tiers.Ref }

func (e *gateError) Error() string {
	return fmt.Sprintf("kustomize-controller refuses %s: its feature gate ExternalArtifact is not on", e.source)
}

// generatorTime is what a generator takes for its artifacts.
const generatorTime = time.Second
