package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// lateKinds finds kinds that come after an operator which looks for them once,
// when it starts: everything turns Ready, and nothing is done with them.
func (m *model) lateKinds(r *Result, outcomes map[*node]*outcome) {
	for _, e := range m.w.opts.Catalog.Entries() {
		if len(e.Once) == 0 {
			continue
		}
		release := m.releaseOfEntry(e)
		early := m.runsBefore(e)
		var groups []string
		switch {
		case release != nil:
			values := m.w.releaseOf(release.object)
			groups = e.LookedForOnce(&values)
		default:
			groups = e.LookedForOnce(nil)
			groups = slices.DeleteFunc(groups, func(g string) bool { return !early && !m.partlySeeded(g) })
		}
		for _, group := range groups {
			m.lateKindsOf(e, release, early || release == nil, group, r, outcomes)
		}
	}
}

// releaseOfEntry is what of the tree installs the chart of an entry.
func (s *stage) releaseOfEntry(e catalog.Entry) *bringer {
	i := slices.IndexFunc(s.bringers, func(b *bringer) bool { return b.object.IsHelmRelease() && b.brings.Entry.Name == e.Name })
	if i < 0 {
		return nil
	}
	return s.bringers[i]
}

// runsBefore reports whether the operator of an entry is there before Flux: the
// baseline has it, or kinds that only it brings.
func (s *stage) runsBefore(e catalog.Entry) bool {
	if s.exist[objectKey{kind: e.Operator.Kind, namespace: e.Operator.Namespace, name: e.Operator.Name}] {
		return true
	}
	return slices.ContainsFunc(e.Provides, func(k catalog.Kind) bool { return s.isThere(need{kind: k.GroupKind()}) })
}

// partlySeeded reports whether some kinds of a group are seeded and nothing in
// the tree installs them as a whole: then what works with them was installed
// before Flux as well.
func (s *stage) partlySeeded(group string) bool {
	some := false
	for gk := range s.base {
		some = some || gk.Group == group
	}
	return some && !slices.ContainsFunc(s.bringers, func(b *bringer) bool {
		return b.kind.Kind == "" && slices.ContainsFunc(b.brings.Shares, func(share catalog.Share) bool {
			return slices.ContainsFunc(share.Kinds, func(k catalog.Kind) bool { return k.Group == group })
		})
	})
}

// lateKindsOf judges one group, for an operator that runs before Flux or in a
// release that nothing orders after what brings the kinds. What one Kustomization
// brings is told at once.
func (m *model) lateKindsOf(e catalog.Entry, release *bringer, early bool, group string, r *Result, outcomes map[*node]*outcome) {
	late := map[*node][]Kind{}
	objects := map[*node]manifests.Object{}
	for _, b := range m.bringers {
		for _, gk := range b.certain(group) {
			if m.isThere(need{kind: gk}) || b == release || slices.Contains(late[b.node], kindsOf(gk)[0]) || !early && m.startsAfter(release, gk) {
				continue
			}
			if len(late[b.node]) == 0 {
				objects[b.node] = b.object
			}
			late[b.node] = append(late[b.node], kindsOf(gk)...)
		}
	}
	op := e.Operator
	for _, n := range m.w.order {
		kinds := late[n]
		if len(kinds) == 0 {
			continue
		}
		var names []string
		for _, k := range kinds {
			names = append(names, k.Kind)
		}
		f := remark(n, objects[n], Hazard, LateKind,
			fmt.Sprintf("%s of %s may come after %s has started, which looks for them once: all turns Ready, and it does nothing with what is of that group", strings.Join(names, ", "), group, op.Name),
			fmt.Sprintf("Seed the kind before %[1]s starts, or restart it when the kind is there: kubectl -n %[2]s rollout restart %[3]s/%[1]s.", op.Name, op.Namespace, strings.ToLower(op.Kind)))
		f[0].Missing = kinds
		f[0].Provider = &Located{Kind: op.Kind, Namespace: op.Namespace, Name: op.Name}
		r.Findings = append(r.Findings, f...)
		outcomes[n].worsen(Hazard, LateKind)
	}
}

// certain lists the kinds of a group that come with an object for sure.
func (b *bringer) certain(group string) []catalog.GroupKind {
	if b.kind.Group == group && b.kind.Kind != "" {
		return []catalog.GroupKind{b.kind.GroupKind()}
	}
	var found []catalog.GroupKind
	for _, share := range b.brings.Shares {
		for _, k := range share.Kinds {
			if k.Group == group && share.Come == catalog.Yes {
				found = append(found, k.GroupKind())
			}
		}
	}
	return found
}

// startsAfter reports whether a release is installed after a kind is there.
func (m *model) startsAfter(release *bringer, gk catalog.GroupKind) bool {
	_, ordered := m.orderedAfter(m.byNode[release.node], need{kind: gk})
	return ordered
}
