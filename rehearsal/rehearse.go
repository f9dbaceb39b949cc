package rehearsal

import (
	"context"
	"time"
)

// maxRounds bounds how often a cause is removed to see what is behind it.
const maxRounds = 50

// outcome is what was found out about the nodes.
type outcome struct {
	verdict Verdict
	class   Class
	blocked string
	flux    *time.Duration
	standup *time.Duration
}

// worsen notes a verdict, unless there is a worse one already.
func (o *outcome) worsen(v Verdict, class Class) {
	if v.rank() > o.verdict.rank() {
		o.verdict, o.class = v, class
	}
}

// rehearse runs the model for Flux alone, and on through all that is found; then
// once more for what standup would make of it.
func (s *stage) rehearse(ctx context.Context) (*Result, error) {
	r := &Result{Schema: Schema, Kustomizations: []Kustomization{}, Findings: []Finding{}}
	outcomes := map[*node]*outcome{}
	for _, n := range s.w.order {
		outcomes[n] = &outcome{verdict: OK}
	}
	var splits []split
	m := newModel(s, false, false)
	for round := range maxRounds {
		m.run()
		b := m.blame()
		if round == 0 {
			b.retried(r, outcomes)
		}
		if len(b.stuck) == 0 {
			break
		}
		b.record(r, outcomes, round == 0)
		splits = append(splits, b.splits()...)
		if !b.repair() {
			break
		}
	}
	s.preconditions(r, outcomes)
	s.hazards(r, outcomes)
	m.races(r, outcomes)
	m.webhookRaces(r, outcomes)
	m.lateKinds(r, outcomes)
	s.inherit(outcomes)
	if err := s.compare(ctx, r, outcomes); err != nil {
		return nil, err
	}
	s.rehearseFlux(r, outcomes)
	s.rehearseStandup(r, outcomes)
	for _, n := range s.w.order {
		r.Kustomizations = append(r.Kustomizations, outcomes[n].public(n))
	}
	r.Converges = r.converges()
	r.Timeline.retries(s, outcomes)
	r.sort()
	r.Fixes = s.fixes(splits)
	return r, nil
}

// rehearseFlux runs once more as busy as the controllers are, for the times.
func (s *stage) rehearseFlux(r *Result, outcomes map[*node]*outcome) {
	m := newModel(s, false, true)
	m.run()
	for n, u := range m.byNode {
		if u.ready {
			outcomes[n].flux = &u.readyAt
		}
	}
	r.Timeline.Flux = m.course()
}

// rehearseStandup runs once more with a standup that wakes who waits, and breaks
// what it can break.
func (s *stage) rehearseStandup(r *Result, outcomes map[*node]*outcome) {
	m := newModel(s, true, true)
	for range maxRounds {
		m.run()
		b := m.blame()
		if len(b.stuck) == 0 || !b.seed() {
			break
		}
	}
	for n, u := range m.byNode {
		if u.ready {
			outcomes[n].standup = &u.readyAt
		}
	}
	r.Timeline.Standup = m.course()
}

// record turns the causes of one round into findings and verdicts. What was
// found first stays: later rounds see what it hid.
func (b *blame) record(r *Result, outcomes map[*node]*outcome, firstRound bool) {
	for _, u := range b.stuck {
		o := outcomes[u.node]
		for _, c := range b.causes[u] {
			if c.Message != "" {
				r.Findings = append(r.Findings, c.Finding)
			}
			if c.Verdict == Stall && !u.isKustomization() && b.m.byNode[u.node].ready {
				continue // nothing waits for the release
			}
			if c.Verdict.rank() > o.verdict.rank() || o.blocked != "" {
				o.verdict, o.class, o.blocked = c.Verdict, c.Class, ""
			}
		}
	}
	if !firstRound {
		return
	}
	for _, u := range b.stuck {
		o := outcomes[u.node]
		if !u.isKustomization() || o.verdict != OK {
			continue
		}
		if at, c := b.root(u); c != nil {
			o.verdict, o.class = c.Verdict, c.Class
			if at.node != u.node {
				o.blocked = at.node.ref.NamespacedName()
			}
		}
	}
}

// splits are the causes that a Kustomization of its own for what needs a kind
// takes away.
func (b *blame) splits() []split {
	var found []split
	for _, u := range b.stuck {
		for _, c := range b.causes[u] {
			if c.by != nil && u.isKustomization() && c.wait.need != nil && c.wait.need.kind.Kind != "" && (c.Class == SameSet || c.Class == Ancestor) {
				found = append(found, split{node: u.node, kind: c.wait.need.kind, by: *c.by})
			}
		}
	}
	return found
}

// repair removes every cause, so that the model goes on. It reports whether
// there was any.
func (b *blame) repair() bool {
	found := false
	for _, u := range b.stuck {
		for _, c := range b.causes[u] {
			found = true
			b.remove(u, c.wait)
		}
		// With the cause away it would not have given up.
		b.m.revive(u)
	}
	b.m.changed()
	return found
}

func (b *blame) remove(u *unit, w wait) {
	u.excused[w.key()] = true
	if w.need == nil {
		return
	}
	if w.need.kind.Kind != "" {
		b.m.seeded[w.need.kind] = b.m.now
	} else {
		b.m.exists(w.need.object)
	}
}

// seed does what standup does to a wedge: it applies what brings the kinds.
func (b *blame) seed() bool {
	found := false
	b.m.back()
	for _, u := range b.stuck {
		for _, c := range b.causes[u] {
			wedged := c.Class == SameSet || c.Class == Ancestor || c.Class == GateOrder
			if wedged && c.wait.need != nil && c.wait.need.kind.Kind != "" {
				found = true
				b.m.seeded[c.wait.need.kind] = b.m.now
			}
		}
	}
	b.m.changed()
	return found
}

func (o *outcome) public(n *node) Kustomization {
	k := Kustomization{Namespace: n.ref.Namespace, Name: n.ref.Name, Verdict: o.verdict, Class: o.class}
	if o.blocked != "" {
		k.BlockedBy = &o.blocked
	}
	k.ReadyAfter = Ready{Flux: words(o.flux), Standup: words(o.standup)}
	return k
}

func words(d *time.Duration) *string {
	if d == nil {
		return nil
	}
	text := d.String()
	return &text
}

func (r *Result) converges() string {
	switch {
	case r.Has(Deadlock, Stall), r.failsPrecondition():
		return ResultNo
	case r.Has(Unknown, Runtime):
		return ResultNotKnown
	}
	return ResultYes
}

// failsPrecondition reports whether a Kustomization stands still because the
// baseline says that what it needs is absent.
func (r *Result) failsPrecondition() bool {
	for _, k := range r.Kustomizations {
		if k.Verdict == Precondition && k.BlockedBy == nil && k.ReadyAfter.Flux == nil && k.Class != IsSuspended {
			return true
		}
	}
	return false
}
