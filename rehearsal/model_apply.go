package rehearsal

import (
	"slices"
	"time"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// applyAllStaged: ApplyAllStaged (fluxcd/pkg/ssa v0.76.1, manager_apply.go,
// lines 347 to 420). Each stage is tried as a whole before anything of it is
// applied; the first error ends the pass, and what earlier stages have applied
// stays. All errors are wanted here, and so the later stages are asked as well.
func (m *model) applyAllStaged(u *unit) {
	var waits []wait
	passed := u.passed
	for stage := u.passed; stage < len(m.stages[u.node]); stage++ {
		waits = append(waits, m.dryRun(u, stage)...)
		if len(waits) == 0 {
			passed = stage + 1
		}
	}
	began := m.changes
	m.after(applyTime, func() {
		established := time.Duration(0)
		for stage := u.passed; stage < passed; stage++ {
			if m.apply(u, stage) {
				established = definedTime // a pass waits for that
			}
		}
		m.after(established, func() {
			if len(waits) > 0 {
				m.parkSince(began, u, u.node.retry(), waits...)
				return
			}
			if u.appliedAt == 0 {
				u.appliedAt = m.now
			}
			m.health(u)
		})
	})
}

// dryRun: ApplyAll, lines 206 to 345, for one stage.
func (m *model) dryRun(u *unit, stage int) []wait {
	var waits []wait
	for _, nd := range m.stages[u.node][stage].needs {
		if _, met, _ := m.has(nd); !met && (nd.why != forSkipped || m.expected(nd)) {
			waits = append(waits, wait{need: &nd})
		}
	}
	for _, r := range m.stages[u.node][stage].refused {
		waits = append(waits, wait{how: waitRefused, err: r})
	}
	return u.excuse(waits)
}

// applied reports whether all stages of a Kustomization have been.
func (m *model) applied(u *unit) bool { return u.passed == len(m.stages[u.node]) }

// apply makes the objects of a stage exist, and sets off what they set off. It
// reports whether there are definitions among them.
func (m *model) apply(u *unit, stage int) (defines bool) {
	u.passed = stage + 1
	for _, o := range m.stages[u.node][stage].objects {
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
		if b := m.definitions[o.Unstructured]; b != nil {
			defines = true
			m.after(definedTime, func() { m.arrive(b) })
		}
	}
	if len(m.stages[u.node][stage].objects) > 0 {
		m.changed()
	}
	return defines
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

// applyStage is one stage of a set: its objects, and what must be there for
// their dry-run.
type applyStage struct {
	objects []manifests.Object
	needs   []need
	refused []*refusal
}

// stagesOf splits a set as ApplyAllStaged does. There is always a last stage.
func (s *stage) stagesOf(n *node) ([]applyStage, error) {
	found := make([]applyStage, restStage+1)
	for _, o := range n.objects() {
		if !o.LeftAlone() {
			at := s.stageOf(o)
			found[at].objects = append(found[at].objects, o)
		}
	}
	for _, nd := range s.dryRunNeeds(n) {
		at := s.stageOf(nd.by)
		if nd.why == forSkipped {
			at++ // what else is in its stage is applied
		}
		found[at].needs = append(found[at].needs, nd)
	}
	refused, err := s.refusals(n)
	for _, r := range refused {
		at := s.stageOf(r.object)
		found[at].refused = append(found[at].refused, r)
	}
	return found, err
}

// The stages of an apply; that of custom kinds since kustomize-controller 1.8.
const (
	definitionStage = iota
	classStage
	customStage
	restStage
)

func (s *stage) stageOf(o manifests.Object) int {
	gk := kindOf(o)
	switch o.Stage() {
	case manifests.Definitions:
		if gk.Kind != "ClusterRole" || s.w.opts.Flux.clusterRolesFirst() {
			return definitionStage
		}
	case manifests.Classes:
		return classStage
	case manifests.Rest:
		if slices.Contains(s.w.settings.customKinds, gk) && s.w.opts.Flux.customStages() {
			return customStage
		}
	}
	return restStage
}

// timeout is how long a pass waits for health (kustomization_types.go,
// GetTimeout).
func (n *node) timeout() time.Duration { return n.spec.GetTimeout() }
