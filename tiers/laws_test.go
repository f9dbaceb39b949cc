package tiers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// holdsTheLaws checks what is true of every plan.
func holdsTheLaws(t *testing.T, in Input, p *Plan) {
	t.Helper()
	at := holdsOrder(t, p)
	holdsVerbs(t, in, p, at)
	holdsEdges(t, in, p, at)
	holdsBarriers(t, in, p, at)
	if diff := cmp.Diff(leftByOracle(in), p.Left); diff != "" {
		t.Errorf("left (-oracle +plan):\n%s", diff)
	}
}

// holdsOrder checks that each step is planned once, whole, and behind all that
// it needs. It returns the places of the steps.
func holdsOrder(t *testing.T, p *Plan) map[StepID]int {
	t.Helper()
	rows := map[string]bool{}
	for _, row := range p.Tiers {
		if rows[row.Name] {
			t.Errorf("tier %q has two rows", row.Name)
		}
		rows[row.Name] = true
	}
	at := map[StepID]int{}
	for i, s := range p.Steps {
		if _, twice := at[s.ID]; twice {
			t.Errorf("step %s is planned twice", s.ID)
		}
		at[s.ID] = i
		for _, d := range slices.Concat(s.DependsOn, s.After) {
			if _, before := at[d]; !before {
				t.Errorf("step %s is in front of %s, which it needs", s.ID, d)
			}
		}
		if s.Cause == "" || s.Timeout <= 0 || !rows[s.Tier] {
			t.Errorf("step %s has no cause, no timeout or no tier: %+v", s.ID, s)
		}
	}
	return at
}

// holdsVerbs checks that everything is driven to Ready or left, and that only
// what is suspended on the cluster is resumed.
func holdsVerbs(t *testing.T, in Input, p *Plan, at map[StepID]int) {
	t.Helper()
	without := map[Ref]bool{}
	for _, l := range p.Left {
		without[l.Object] = true
		for _, b := range l.Behind {
			without[b] = true
		}
	}
	for i := range in.Snapshot.Kustomizations {
		k := &in.Snapshot.Kustomizations[i]
		_, ready := at[stepID(Ready, k.Ref)]
		_, resumed := at[stepID(Resume, k.Ref)]
		if ready && without[k.Ref] {
			t.Errorf("%s is left or behind what is left, and has steps", k.Ref)
		}
		if !ready && !without[k.Ref] && (in.Order == nil || in.Order.Unlisted != UnlistedIgnore) {
			t.Errorf("%s is in no step and not left", k.Ref)
		}
		if resumed != (ready && k.Suspension == SuspendedLive) {
			t.Errorf("%s: resumed is %t, suspension is %d", k.Ref, resumed, k.Suspension)
		}
	}
}

// holdsEdges checks, for every pair of Kustomizations, that the first step of
// one is behind what it depends on, and a waiting parent behind its children.
func holdsEdges(t *testing.T, in Input, p *Plan, at map[StepID]int) {
	t.Helper()
	step := func(v Verb, ref Ref) *Step {
		if i, planned := at[stepID(v, ref)]; planned {
			return &p.Steps[i]
		}
		return nil
	}
	for i := range in.Snapshot.Kustomizations {
		k := &in.Snapshot.Kustomizations[i]
		ready := step(Ready, k.Ref)
		if ready == nil {
			continue
		}
		first := ready
		for _, v := range []Verb{Applied, Resume} {
			if s := step(v, k.Ref); s != nil {
				first = s
			}
		}
		for _, needed := range append(slices.Clone(k.DependsOn), k.Source) {
			if s := step(Ready, needed); s != nil && !slices.Contains(first.DependsOn, s.ID) {
				t.Errorf("%s does not depend on %s", first.ID, s.ID)
			}
		}
		if s := step(Ready, k.Parent); s == nil || k.Parent == k.Ref {
			continue
		}
		i := slices.IndexFunc(in.Snapshot.Kustomizations, func(o Kustomization) bool { return o.Ref == k.Parent })
		parent := &in.Snapshot.Kustomizations[i]
		waits := parent.Waits && (len(parent.WaitsFor) == 0 || slices.Contains(parent.WaitsFor, k.Ref))
		if waits && !slices.Contains(step(Ready, k.Parent).DependsOn, ready.ID) {
			t.Errorf("the waiting parent %s is Ready before its child %s", k.Parent, k.Ref)
		}
	}
}

// oracle answers questions about a cluster as slowly as they are plain.
type oracle struct {
	byRef   map[Ref]*Kustomization
	sources map[Ref]Source
	why     map[Ref]string // why it is left
}

func newOracle(in Input) oracle {
	o := oracle{byRef: map[Ref]*Kustomization{}, sources: map[Ref]Source{}, why: map[Ref]string{}}
	for _, s := range in.Snapshot.Sources {
		o.sources[s.Ref] = s
	}
	for i := range in.Snapshot.Kustomizations {
		k := &in.Snapshot.Kustomizations[i]
		o.byRef[k.Ref] = k
		if k.Suspension == SuspendedInGit {
			o.why[k.Ref] = "suspended in git"
		}
		if tier := o.leftBy(in.Order, k.Ref); tier != "" && k.Suspension == SuspendedLive {
			o.why[k.Ref] = fmt.Sprintf("leaveSuspended of tier %q", tier)
		}
		if o.sources[k.Source].Suspension == SuspendedInGit {
			o.why[k.Source] = "suspended in git"
		}
	}
	return o
}

// leftBy names the tier that leaves ref suspended.
func (o oracle) leftBy(order *TierOrder, ref Ref) string {
	if order == nil {
		return ""
	}
	for i := range order.Tiers {
		if order.Tiers[i].Leaves(DefaultNamespace, ref) {
			return order.Tiers[i].Name
		}
	}
	return ""
}

// behind reports whether ref cannot start before cause is Ready.
func (o oracle) behind(ref, cause Ref, seen map[Ref]bool) bool {
	if ref == cause {
		return true
	}
	k := o.byRef[ref]
	if k == nil || seen[ref] || o.why[ref] != "" && k.Settled {
		return false
	}
	seen[ref] = true
	through := append(slices.Clone(k.DependsOn), k.Source)
	if k.Missing {
		through = append(through, k.Parent)
	}
	return slices.ContainsFunc(through, func(n Ref) bool { return o.behind(n, cause, seen) })
}

// leftByOracle asks of each left object and each Kustomization in turn.
func leftByOracle(in Input) []Left {
	o := newOracle(in)
	var left []Left
	for cause, why := range o.why {
		l := Left{Object: cause, Why: why}
		settled := o.sources[cause].Settled
		if k := o.byRef[cause]; k != nil {
			settled = k.Settled
		}
		for ref := range o.byRef {
			if !settled && o.why[ref] == "" && o.behind(ref, cause, map[Ref]bool{}) {
				l.Behind = append(l.Behind, ref)
			}
		}
		slices.SortFunc(l.Behind, Ref.Compare)
		left = append(left, l)
	}
	slices.SortFunc(left, func(a, b Left) int { return a.Object.Compare(b.Object) })
	return left
}

// holdsBarriers checks that no step can start before everything of the tiers
// in front has ended, but for what cannot end by then.
func holdsBarriers(t *testing.T, in Input, p *Plan, at map[StepID]int) {
	t.Helper()
	if in.Order == nil || !in.Order.Barriers {
		for _, s := range p.Steps {
			if len(s.After) > 0 {
				t.Errorf("step %s is behind a barrier that nobody declared", s.ID)
			}
		}
		return
	}
	number := map[string]int{}
	for i, tier := range in.Order.Tiers {
		number[tier.Name] = i + 1 // the sources' row is 0
	}
	// reach[i] has every step that must have ended before step i starts.
	reach := make([]map[int]bool, len(p.Steps))
	for i, s := range p.Steps {
		reach[i] = map[int]bool{}
		for _, d := range slices.Concat(s.DependsOn, s.After) {
			reach[i][at[d]] = true
			for j := range reach[at[d]] {
				reach[i][j] = true
			}
		}
	}
	for i, s := range p.Steps {
		for j, earlier := range p.Steps {
			if number[earlier.Tier] == 0 || number[earlier.Tier] >= number[s.Tier] || reach[i][j] {
				continue
			}
			if !needsLater(p, reach[j], number, number[s.Tier]) {
				t.Errorf("step %s (tier %s) does not wait for %s (tier %s)", s.ID, s.Tier, earlier.ID, earlier.Tier)
			}
		}
	}
}

// needsLater reports whether a step needs one of tier n or later.
func needsLater(p *Plan, reach map[int]bool, number map[string]int, n int) bool {
	for j := range reach {
		if number[p.Steps[j].Tier] >= n {
			return true
		}
	}
	return false
}

// world makes a random cluster whose dependencies have no cycle.
func world(r *rand.Rand, size int) Snapshot {
	s := Snapshot{Sources: []Source{{Ref: sourceRef("s0")}, {Ref: sourceRef("s1"), Suspension: SuspendedLive}, {Ref: sourceRef("s2"), Suspension: SuspendedInGit, Settled: r.IntN(2) == 0}}}
	for i := range size {
		k := Kustomization{
			Ref:    ref(fmt.Sprintf("k%02d", i)),
			Source: sourceRef(fmt.Sprintf("s%d", []int{0, 0, 0, 1, 1, 2, 3}[r.IntN(7)])), // s3 does not exist
			Waits:  r.IntN(3) == 0, Settled: r.IntN(3) == 0, Missing: r.IntN(9) == 0,
		}
		if r.IntN(4) == 0 {
			k.Ref.Namespace = "apps"
		}
		if !k.Missing {
			k.Suspension = []Suspension{NotSuspended, SuspendedLive, SuspendedLive, SuspendedInGit}[r.IntN(4)]
		}
		for range r.IntN(3) {
			if i > 0 {
				k.DependsOn = append(k.DependsOn, s.Kustomizations[r.IntN(i)].Ref)
			}
		}
		if i > 0 && r.IntN(2) == 0 {
			k.Parent = s.Kustomizations[r.IntN(i)].Ref
		}
		s.Kustomizations = append(s.Kustomizations, k)
	}
	return s
}

func shuffled(r *rand.Rand, s Snapshot) Snapshot {
	s.Kustomizations = slices.Clone(s.Kustomizations)
	r.Shuffle(len(s.Kustomizations), func(i, j int) {
		s.Kustomizations[i], s.Kustomizations[j] = s.Kustomizations[j], s.Kustomizations[i]
	})
	s.Sources = slices.Clone(s.Sources)
	slices.Reverse(s.Sources)
	return s
}

// randomOrder lists some of the Kustomizations, in an order that may be wrong.
func randomOrder(r *rand.Rand, s Snapshot) *TierOrder {
	order := &TierOrder{Barriers: r.IntN(4) > 0}
	for i, k := range s.Kustomizations {
		if r.IntN(5) == 0 {
			continue
		}
		name := memberName(DefaultNamespace, k.Ref)
		if n := len(order.Tiers); n > 0 && r.IntN(2) == 0 {
			order.Tiers[n-1].Kustomizations = append(order.Tiers[n-1].Kustomizations, name)
			continue
		}
		t := Tier{Name: fmt.Sprintf("t%02d", i), Kustomizations: []string{name}, Optional: r.IntN(5) == 0}
		if r.IntN(5) == 0 {
			t.LeaveSuspended = []string{name}
		}
		if r.IntN(4) == 0 {
			t.Probes = []ProbeSpec{{Name: "p", TCP: "a:1"}, {Name: "q", TCP: "a:2"}}
		}
		order.Tiers = append(order.Tiers, t)
	}
	if n := len(order.Tiers); n > 0 && r.IntN(2) == 0 {
		t := &order.Tiers[r.IntN(n)]
		t.Kustomizations = append(t.Kustomizations, "not-there-yet")
	}
	if n := len(order.Tiers); n > 1 && r.IntN(3) == 0 {
		i, j := r.IntN(n), r.IntN(n)
		order.Tiers[i], order.Tiers[j] = order.Tiers[j], order.Tiers[i]
	}
	return order.fill()
}

// TestLaws builds plans for random clusters under random orders: none has a
// cycle, a lost Kustomization or a leaking barrier, and the order in which the
// cluster is listed does not show.
func TestLaws(t *testing.T) {
	built := 0
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := world(r, 1+r.IntN(14))
		in := Input{Snapshot: s}
		if r.IntN(5) > 0 {
			in.Order = randomOrder(r, s)
		}
		p, err := Build(in)
		again, errAgain := Build(Input{Order: in.Order, Snapshot: shuffled(r, s)})
		if diff := cmp.Diff(render(p, err), render(again, errAgain)); diff != "" {
			t.Fatalf("seed %d: the same cluster, listed otherwise, gives another plan:\n%s", seed, diff)
		}
		if err != nil {
			switch err.(type) { //nolint:errorlint // Build promises these very types
			case *CycleError, *InvalidOrderError:
				continue
			}
			t.Fatalf("seed %d: %v", seed, err)
		}
		built++
		holdsTheLaws(t, in, p)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, render(p, err))
		}
	}
	if built < 250 {
		t.Errorf("only %d of 800 random clusters gave a plan", built)
	}
}

// TestAdviceIsEnough follows the fix of every unlisted Kustomization, one after
// the other: then nothing is unlisted, and no contradiction is new.
func TestAdviceIsEnough(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := world(r, 1+r.IntN(12))
		order := randomOrder(r, s)
		order.Barriers = true
		if len(order.Tiers) == 0 || len(relate(s, nil).cycles()) > 0 {
			continue
		}
		before := countOrder(Check(order, s))
		for _, d := range place(order, relate(s, nil)).unlisted {
			follow(t, order, d.Fix)
		}
		after := Check(order, s)
		for _, d := range after {
			if d.Kind == DriftUnlisted {
				t.Errorf("seed %d: still unlisted: %s", seed, d)
			}
		}
		if before == 0 && countOrder(after) > 0 {
			t.Errorf("seed %d: the advice made a contradiction: %s", seed, driftText(after))
		}
	}
}

func countOrder(found []Drift) int {
	n := 0
	for _, d := range found {
		if d.Kind == DriftOrder {
			n++
		}
	}
	return n
}
