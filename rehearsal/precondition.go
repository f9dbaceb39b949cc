package rehearsal

import (
	"cmp"
	"fmt"
	"slices"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

func refOfDependency(n *node, d kustomizev1.DependencyReference) tiers.Ref {
	return tiers.KustomizationRef(cmp.Or(d.Namespace, n.ref.Namespace), d.Name)
}

// preconditions lists what has to be made outside of git. Each is said once, for
// the first Kustomization that needs it.
func (s *stage) preconditions(r *Result, outcomes map[*node]*outcome) {
	said := map[objectKey]bool{}
	for _, n := range s.w.order {
		for _, f := range s.preconditionsOf(n, said) {
			r.Findings = append(r.Findings, f)
			outcomes[n].worsen(f.Verdict, f.Class)
		}
		s.expansions(n, r, outcomes[n])
	}
}

// expansions are objects of a set of which others are made, where nobody looks. A
// Kustomization does not hang on them unless it waits.
func (s *stage) expansions(n *node, r *Result, o *outcome) {
	for _, set := range n.objects() {
		if !expands(set) {
			continue
		}
		r.Findings = append(r.Findings, remark(n, set, Unknown, InSource,
			named(set)+" makes objects of templates, which are not expanded: whether those converge cannot be told from here",
			"Say what of it others wait for with --seeded or in a baseline.")...)
		if n.spec.Spec.Wait {
			o.worsen(Unknown, InSource)
		}
	}
}

// inherit passes on what is not certain: whoever is behind it comes only if that
// comes.
func (s *stage) inherit(outcomes map[*node]*outcome) {
	for changed := true; changed; {
		changed = false
		for _, n := range s.w.order {
			if outcomes[n].verdict != OK {
				continue
			}
			if from := s.conditional(n, outcomes); from != nil {
				o := outcomes[from]
				*outcomes[n] = outcome{
					verdict: o.verdict, class: o.class, blocked: cmp.Or(o.blocked, from.ref.NamespacedName()),
					flux: outcomes[n].flux, standup: outcomes[n].standup,
				}
				changed = true
			}
		}
	}
}

// conditional finds the worst of what a node hangs on and is not certain.
func (s *stage) conditional(n *node, outcomes map[*node]*outcome) *node {
	from := append([]*node(nil), n.parents...)
	for _, d := range n.spec.Spec.DependsOn {
		if dep, ok := s.w.nodes[refOfDependency(n, d)]; ok {
			from = append(from, dep)
		}
	}
	from = append(from, s.w.awaited(n)...)
	var worst *node
	for _, p := range from {
		o := outcomes[p]
		uncertain := o.verdict == Precondition && o.class != IsSuspended || o.verdict == Runtime || o.verdict == Unknown
		if uncertain && (worst == nil || o.verdict.rank() > outcomes[worst].verdict.rank()) {
			worst = p
		}
	}
	return worst
}

func (s *stage) preconditionsOf(n *node, said map[objectKey]bool) []Finding {
	var found []Finding
	u := &unit{node: n}
	add := func(key objectKey, f func(*cause)) {
		if said[key] || s.exist[key] || len(s.index[key]) > 0 || s.w.opts.Baseline.absent(key.kind, key.namespace, key.name) {
			return
		}
		said[key] = true
		c := cause{unit: u}
		c.about(n.object)
		c.Verdict = Precondition
		f(&c)
		found = append(found, c.Finding)
	}
	if key, ok := sopsKey(n); ok {
		add(key, func(c *cause) {
			c.Class, c.Message = InDecryption, keyMessage(n, key)
			c.Remedy = fmt.Sprintf("Create %s with the private key before Flux starts.", key)
		})
	}
	for _, key := range n.values {
		add(key, func(c *cause) {
			c.Class = InSubstitute
			c.Message = fmt.Sprintf("%s, from which variables are substituted, is not in the tree and has to exist before", key)
			if o, ok := s.opaqueObject(); ok {
				c.Message += fmt.Sprintf(", unless it is what %s:%d has, which is encrypted as a whole", o.File, o.Line)
			}
			c.Remedy = fmt.Sprintf("Create %s before Flux starts, or put it into the tree.", key)
		})
	}
	s.skippedOnes(n, add)
	for _, o := range n.objects() {
		if o.LeftAlone() {
			continue
		}
		if p, ok := s.platformOf(kindOf(o)); ok {
			add(objectKey{kind: kindOf(o).String()}, func(c *cause) {
				c.about(o)
				c.Verdict, c.Class, c.Missing = Precondition, NoCreator, kindsOf(kindOf(o))
				c.Message = fmt.Sprintf("%s comes with no chart, but with %s", kindOf(o), p.Name)
				c.Remedy = fmt.Sprintf("Make sure that the new cluster serves it, and say so (--seeded %s).", kindOf(o).Group)
			})
		}
		if o.IsHelmRelease() {
			for _, nd := range releaseNeeds(o) {
				if nd.object.kind != "Namespace" && nd.why != forChart {
					add(nd.object, func(c *cause) {
						c.about(o)
						c.Verdict, c.Class = Precondition, InSubstitute
						c.Message = fmt.Sprintf("%s, from which %s takes values, is not in the tree and has to exist before", nd.object, named(o))
						c.Remedy = fmt.Sprintf("Create %s before Flux starts, or put it into the tree.", nd.object)
					})
				}
			}
		}
		if kindOf(o) == (catalog.GroupKind{Group: "bitnami.com", Kind: "SealedSecret"}) {
			add(objectKey{kind: "sealing key"}, func(c *cause) {
				c.about(o)
				c.Verdict, c.Class = Precondition, InDecryption
				c.Message = fmt.Sprintf("%s can only be opened with the key that it was sealed for, which a new cluster does not have", named(o))
				c.Remedy = "Restore the Secrets with the label sealedsecrets.bitnami.com/sealed-secrets-key before Flux starts."
			})
		}
	}
	return append(append(found, s.unreadable(n)...), s.remarks(n)...)
}

// addDecryption is the remedy for ciphertext that nobody decrypts.
const addDecryption = "Add spec.decryption with provider sops."

// skippedOnes are the definitions and Classes that a set has and Flux skips.
func (s *stage) skippedOnes(n *node, add func(objectKey, func(*cause))) {
	for _, o := range n.objects() {
		if !s.waitedForAnyway(o) {
			continue
		}
		add(keyOf(o), func(c *cause) {
			c.about(o)
			c.Verdict, c.Class = Precondition, NoCreator
			c.Message = fmt.Sprintf("%s is skipped, and Flux waits for it all the same: the set fails until somebody makes it", named(o))
			c.Remedy = fmt.Sprintf("Create %s before Flux starts, or take it out of the set.", keyOf(o))
		})
	}
}

// opaqueObject finds an object of the tree of which nobody can tell what it is.
func (s *stage) opaqueObject() (manifests.Object, bool) {
	for _, n := range s.w.order {
		for _, o := range n.objects() {
			if opaque(o) {
				return o, true
			}
		}
	}
	return manifests.Object{}, false
}

// platformOf finds the distribution that a kind hangs on, unless it is known to
// be there.
func (s *stage) platformOf(gk catalog.GroupKind) (catalog.Platform, bool) {
	if _, there := s.base[gk]; there || slices.Contains(s.groups, gk.Group) {
		return catalog.Platform{}, false
	}
	return s.w.opts.Catalog.Platform(gk)
}

// unreadable are encrypted objects that are applied as they are.
func (s *stage) unreadable(n *node) []Finding {
	o, silent, ok := plainCiphertext(n)
	if !ok || !silent {
		return nil
	}
	return remark(n, o, Hazard, InDecryption,
		named(o)+" is encrypted, and the Kustomization has no spec.decryption: the ciphertext is applied as its value", addDecryption)
}
