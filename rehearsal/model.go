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
	// eligible is when nothing but the dry-run was left to pass, and appliedAt
	// when that and the apply had passed.
	eligible, appliedAt time.Duration
	// passed counts the stages that are applied.
	passed int
	// installed: a release is rendered and its objects are there.
	installed bool
	failures  int   // of a release
	missed    *need // by the last of them
	stalled   bool  // its controller has given up

	waits []wait // why it is not further; empty when it is

	scheduled bool // a turn is due, or a worker waited for
	parked    bool // until something changes
	parkedAt  time.Duration
	delay     time.Duration
	excused   map[string]bool // waits that were removed to see what is behind

	pool     *pool // of its controller's workers; nil where they do not matter
	holding  bool  // a worker
	deadline time.Duration
}

func (u *unit) isKustomization() bool { return u.object.Unstructured == nil }

// wait is one reason why a unit does not go on.
type wait struct {
	need *need // what is missing
	on   *unit // or who is not Ready
	how  waitKind
	ref  tiers.Ref // of a dependency that does not exist
	err  error     // of a build, or of an expression
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
	waitRefused    // an object that the API server refuses for its form
	waitExpression // a readyExpr that is not true, or not valid
	waitStalled    // the controller has given up, for the need or unit that is named
)

// key names a wait among those of a unit.
func (w wait) key() string {
	switch {
	case w.need != nil:
		return "need " + w.need.String() + w.need.version
	case w.how == waitRefused:
		return w.err.Error()
	case w.how == waitMissing:
		return "missing " + w.ref.String()
	case w.how == waitExpression && w.on != nil:
		return "expression on " + w.on.name()
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

	units     []*unit
	byNode    map[*node]*unit
	byObject  map[*node]map[objectKey]*unit
	objects   map[objectKey]time.Duration
	arrivals  map[*bringer]time.Duration
	seeded    map[catalog.GroupKind]time.Duration
	parked    []*unit
	changes   int // how often something has changed, the last time at changedAt
	changedAt time.Duration
	// kustomize and helm are the workers of the controllers.
	kustomize, helm *pool
}

// newModel begins a run on an empty cluster. A busy one has no more workers than
// the controllers; else work never waits for a worker, so that what is found
// does not hang on estimates of how long things take.
func newModel(s *stage, nudged, busy bool) *model {
	m := &model{
		stage: s, nudged: nudged, byNode: map[*node]*unit{}, byObject: map[*node]map[objectKey]*unit{},
		objects: map[objectKey]time.Duration{}, arrivals: map[*bringer]time.Duration{}, seeded: map[catalog.GroupKind]time.Duration{},
	}
	if busy {
		m.kustomize, m.helm = &pool{size: s.workers("kustomize-controller")}, &pool{size: s.workers("helm-controller")}
	}
	for key := range s.exist {
		m.objects[key] = 0
	}
	for _, n := range s.w.order {
		u := &unit{node: n, step: m.kustomization, excused: map[string]bool{}, pool: m.kustomize}
		m.units, m.byNode[n] = append(m.units, u), u
		m.byObject[n] = map[objectKey]*unit{}
		for _, o := range n.objects() {
			if o.LeftAlone() {
				continue
			}
			if step := m.stepOf(o); step != nil {
				child := &unit{node: n, object: o, step: step, excused: map[string]bool{}}
				if o.IsHelmRelease() {
					child.pool = m.helm
				}
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
	case isGenerator(o):
		return m.generator
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
	if u.ready || u.stalled || !m.take(u) {
		return
	}
	u.waits = nil
	u.step(u)
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
	if !u.parked {
		u.parked = true
		m.parked = append(m.parked, u)
	}
	m.give(u)
}

// parkSince parks a unit whose look was some changes ago: what has changed since
// is seen when its timer is due.
func (m *model) parkSince(changes int, u *unit, delay time.Duration, waits ...wait) {
	m.park(u, delay, waits...)
	if m.changes != changes {
		m.wake(u)
	}
}

// back turns the clock to when something happened last: after that, passes only
// ran into their timeouts.
func (m *model) back() {
	m.now = m.changedAt
	for _, u := range m.units {
		u.parkedAt = min(u.parkedAt, m.now)
	}
}

// revive lets a controller try again that has given up.
func (m *model) revive(u *unit) {
	if u.stalled {
		u.stalled, u.failures = false, 0
		m.park(u, requeueTime, u.waits...)
	}
}

// changed wakes all that is parked.
func (m *model) changed() {
	m.changes++
	m.changedAt = m.now
	parked := m.parked
	m.parked = nil
	for _, u := range parked {
		u.parked = false
		m.wake(u)
	}
}

// wake looks at a unit again when its timer is due.
func (m *model) wake(u *unit) {
	if u.scheduled || u.ready || u.stalled {
		return
	}
	u.scheduled = true
	m.after(m.until(u), func() { m.turn(u) })
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
	m.give(u)
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
