package tiers

import (
	"cmp"
	"slices"
)

// neededBy finds, for each unlisted Kustomization that a listed one needs, be
// it through others, the first tier that needs it.
func neededBy(r *relations, tier map[Ref]int) map[Ref]int {
	d := deadlines{rel: r, tier: tier, start: map[Ref]int{}, ready: map[Ref]int{}}
	listed := slices.DeleteFunc(r.refs(), func(ref Ref) bool { _, is := tier[ref]; return !is })
	// First tiers first: then hardly anything is followed twice.
	slices.SortStableFunc(listed, func(a, b Ref) int { return cmp.Compare(tier[a], tier[b]) })
	for _, ref := range listed {
		d.starts(ref, tier[ref])
	}
	return d.start
}

// deadlines are the tiers by which something must have started, or be Ready.
// They only ever fall, so following them ends, cycles or not.
type deadlines struct {
	rel          *relations
	tier         map[Ref]int
	start, ready map[Ref]int // start of unlisted ones only
}

// starts follows what ref needs before it starts in tier at.
func (d *deadlines) starts(ref Ref, at int) {
	for _, dep := range d.rel.dependencies(ref) {
		d.readyBy(dep, at)
	}
	if parent, ok := d.rel.parent(ref); ok {
		d.startBy(parent, at)
	}
}

func (d *deadlines) startBy(ref Ref, at int) {
	if _, listed := d.tier[ref]; listed {
		return // it starts when the file says so
	}
	if known, has := d.start[ref]; has && known <= at {
		return
	}
	d.start[ref] = at
	d.starts(ref, at)
}

func (d *deadlines) readyBy(ref Ref, at int) {
	if known, has := d.ready[ref]; has && known <= at {
		return
	}
	d.ready[ref] = at
	d.startBy(ref, at)
	for _, w := range d.rel.waitsFor(ref) {
		d.readyBy(w, at)
	}
}
