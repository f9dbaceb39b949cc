package rehearsal

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// webhookCost is what a pass that comes a moment too early may cost before it is
// worth a word: a HelmRelease is Ready a little before its webhook answers.
const webhookCost = 5 * time.Minute

// webhookRaces finds what is refused while a webhook is registered and does not
// answer yet.
func (m *model) webhookRaces(r *Result, outcomes map[*node]*outcome) {
	for _, b := range m.bringers {
		switch b.brings.Entry.Webhook {
		case catalog.RefusesOwn:
			m.ownKindsRefused(b, r, outcomes)
		case catalog.RefusesAll:
			m.allRefused(b, r, outcomes)
		case catalog.RewritesKustomizations: // see findRewriter
		}
	}
}

// ownKindsRefused: objects of the operator's own kinds, in sets that are ordered
// after it. Of the others the missing kind is said already. The cause is told once,
// for the set that it may cost most.
func (m *model) ownKindsRefused(b *bringer, r *Result, outcomes map[*node]*outcome) {
	objects := map[*node]manifests.Object{}
	var hit []*node
	for _, n := range m.w.order {
		if n == b.node || outcomes[n].verdict != OK || n.retry() <= webhookCost {
			continue
		}
		i := slices.IndexFunc(n.objects(), func(o manifests.Object) bool { return !o.LeftAlone() && b.of(kindOf(o)) == catalog.Yes })
		if i < 0 || m.isThere(need{kind: kindOf(n.objects()[i])}) {
			continue // by another's hand; so may be the operator
		}
		objects[n] = n.objects()[i]
		hit = append(hit, n)
	}
	if len(hit) == 0 {
		return
	}
	worst := slices.MaxFunc(hit, func(x, y *node) int { return cmp.Compare(x.retry(), y.retry()) })
	others := ""
	if len(hit) > 1 {
		others = fmt.Sprintf("; so it is for %d others", len(hit)-1)
	}
	f := remark(worst, objects[worst], Race, InAdmission,
		fmt.Sprintf("the webhook of %s in %s may not answer yet when that is Ready; a first pass that is too early costs up to %s%s", named(b.object), b.node.ref, worst.retry(), others),
		"Set a short retryInterval.")
	f[0].Provider = &Located{Kind: b.object.GetKind(), Namespace: b.object.GetNamespace(), Name: b.object.GetName()}
	r.Findings = append(r.Findings, f...)
	for _, n := range hit {
		outcomes[n].verdict, outcomes[n].class = Race, InAdmission
		if n != worst {
			outcomes[n].blocked = worst.ref.NamespacedName()
		}
	}
}

// allRefused: a policy engine that is asked about every object. All that is not
// over before it begins may fail a pass; the cause is told once, where it is.
func (m *model) allRefused(b *bringer, r *Result, outcomes map[*node]*outcome) {
	before := map[*node]bool{b.node: true}
	m.before(b.node, before)
	var hit []*node
	for _, n := range m.w.order {
		if !before[n] && !m.dependsOn(n, b.node) && (outcomes[n].verdict == OK || outcomes[n].verdict == Hazard) {
			hit = append(hit, n)
		}
	}
	if len(hit) == 0 || outcomes[b.node].verdict.rank() > Precondition.rank() {
		return
	}
	cause := b.node.ref.NamespacedName()
	worst := slices.MaxFunc(hit, func(x, y *node) int { return int(x.retry() - y.retry()) })
	f := remark(b.node, b.object, Race, InAdmission,
		fmt.Sprintf("its webhook sees every object, and refuses all while it is registered and does not answer: a pass of %d other Kustomizations may fail in that time, which costs up to %s (%s)", len(hit), worst.retry(), worst.ref.NamespacedName()),
		"Bring it up before the others, and give them a short retryInterval.")
	r.Findings = append(r.Findings, f...)
	outcomes[b.node].worsen(Race, InAdmission)
	for _, n := range hit {
		outcomes[n].verdict, outcomes[n].class, outcomes[n].blocked = Race, InAdmission, cause
	}
}
