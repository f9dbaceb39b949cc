package rehearsal

import (
	"time"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// unit is one object that a controller works on: a Kustomization, a HelmRelease,
// a workload, or a provider.
type unit struct {
	node   *node
	object manifests.Object // zero for the Kustomization itself
	step   func(*unit)

	created, ready     bool
	createdAt, readyAt time.Duration
	// eligible is when nothing but the dry-run was left to pass, and applied
	// when that was passed.
	eligible, appliedAt time.Duration
	applied             bool

	waits []wait // why it is not further; empty when it is

	scheduled bool
	parkedAt  time.Duration
	delay     time.Duration
	excused   map[string]bool // waits that were removed to see what is behind
}

func (u *unit) isKustomization() bool { return u.object.Unstructured == nil }

// wait is one reason why a unit does not go on.
type wait struct {
	need *need // what is missing
	on   *unit // or who is not Ready
	how  waitKind
	ref  tiers.Ref // of a dependency that does not exist
	err  error     // of a build
}

type waitKind int

const (
	waitNeed waitKind = iota
	waitParent
	waitDependency
	waitMissing // a dependency that does not exist
	waitHealth
	waitSuspended
	waitBlind
	waitFault
)

// key names a wait among those of a unit.
func (w wait) key() string {
	switch {
	case w.need != nil:
		return "need " + w.need.String() + w.need.version
	case w.how == waitMissing:
		return "missing " + w.ref.String()
	case w.on != nil:
		return "on " + w.on.name()
	}
	return "self"
}

func (u *unit) name() string {
	if u.isKustomization() {
		return u.node.ref.String()
	}
	return keyOf(u.object).String() + " of " + u.node.ref.String()
}

// model is one run on the virtual clock.
type model struct {
	clock
	*stage
	// nudged: standup wakes who waits as soon as something changes.
	nudged bool

	units    []*unit
	byNode   map[*node]*unit
	byObject map[*node]map[objectKey]*unit
	objects  map[objectKey]time.Duration
	arrivals map[*bringer]time.Duration
	seeded   map[catalog.GroupKind]time.Duration
	parked   []*unit
}

func newModel(s *stage, nudged bool) *model {
	m := &model{
		stage: s, nudged: nudged, byNode: map[*node]*unit{}, byObject: map[*node]map[objectKey]*unit{},
		objects: map[objectKey]time.Duration{}, arrivals: map[*bringer]time.Duration{}, seeded: map[catalog.GroupKind]time.Duration{},
	}
	for key := range s.exist {
		m.objects[key] = 0
	}
	for _, n := range s.w.order {
		u := &unit{node: n, step: m.kustomization, excused: map[string]bool{}}
		m.units, m.byNode[n] = append(m.units, u), u
		m.byObject[n] = map[objectKey]*unit{}
		for _, o := range n.objects() {
			if o.LeftAlone() {
				continue
			}
			if step := m.stepOf(o); step != nil {
				child := &unit{node: n, object: o, step: step, excused: map[string]bool{}}
				m.units, m.byObject[n][keyOf(o)] = append(m.units, child), child
			}
		}
	}
	m.create(m.byNode[s.w.root])
	return m
}

func (m *model) stepOf(o manifests.Object) func(*unit) {
	switch {
	case o.IsHelmRelease():
		return m.release
	case isWorkload(o):
		return m.workload
	}
	if _, ok := m.w.opts.Catalog.ByProvider(kindOf(o)); ok {
		return m.provider
	}
	return nil
}

func (m *model) create(u *unit) {
	if u == nil || u.created {
		return
	}
	u.created, u.createdAt, u.scheduled = true, m.now, true
	m.after(0, func() { m.turn(u) })
}

func (m *model) turn(u *unit) {
	u.scheduled = false
	if !u.ready {
		u.waits = nil
		u.step(u)
	}
}

// run goes on until nothing changes any more.
func (m *model) run() {
	for m.step() {
	}
}

// park puts a unit aside until something changes: until then every look ends
// like this one. It is looked at when its timer is due.
func (m *model) park(u *unit, delay time.Duration, waits ...wait) {
	u.waits, u.parkedAt, u.delay = waits, m.now, delay
	m.parked = append(m.parked, u)
}

// changed wakes all that is parked.
func (m *model) changed() {
	parked := m.parked
	m.parked = nil
	for _, u := range parked {
		if u.scheduled || u.ready {
			continue
		}
		u.scheduled = true
		m.after(m.until(u), func() { m.turn(u) })
	}
}

// until is the time to the next tick of a unit's timer.
func (m *model) until(u *unit) time.Duration {
	if m.nudged || u.delay <= pollTime {
		return min(nudgeTime, max(u.delay, nudgeTime))
	}
	passed := m.now - u.parkedAt
	return u.delay - passed%u.delay
}

// setReady is the end of a unit's way.
func (m *model) setReady(u *unit) {
	u.ready, u.readyAt, u.waits = true, m.now, nil
	if !u.isKustomization() {
		m.serveHosts(u.object)
	}
	m.changed()
}

// has reports whether a need is met, since when, and whether that is certain.
func (m *model) has(n need) (at time.Duration, met, certain bool) {
	if m.isThere(n) {
		return 0, true, true
	}
	if n.kind.Kind == "" {
		at, met = m.objects[n.object]
		return at, met, true
	}
	if at, met = m.seeded[n.kind]; met {
		return at, true, true
	}
	for _, c := range m.creators(n) {
		arrived, ok := m.arrivals[c.bringer]
		if !ok || !c.bringer.serves(n) {
			continue
		}
		sure := c.bringer.of(n.kind) == catalog.Yes
		if !met || sure && !certain || sure == certain && arrived < at {
			at, met, certain = arrived, true, sure
		}
	}
	return at, met, certain
}

// serves reports whether the version comes with a kind whose definition is in
// the tree. What the catalogue says of versions is not complete.
func (b *bringer) serves(n need) bool {
	if b.kind.Kind == "" || n.version == "" {
		return true
	}
	for _, v := range b.kind.Versions {
		if v == n.version {
			return true
		}
	}
	return false
}
