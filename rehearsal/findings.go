package rehearsal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// about fills in whose finding it is, and the object.
func (c *cause) about(o manifests.Object) {
	c.Kustomization = c.unit.node.ref.NamespacedName()
	c.Missing = []Kind{}
	c.Object = locate(o)
}

func locate(o manifests.Object) *Object {
	if o.Unstructured == nil {
		return nil
	}
	return &Object{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), File: o.File, Line: o.Line}
}

func named(o manifests.Object) string { return keyOf(o).String() }

// subject is the object that a unit stands for.
func (u *unit) subject() manifests.Object {
	if u.isKustomization() {
		return u.node.object
	}
	return u.object
}

func (b *blame) missingDependency(c *cause) {
	c.about(c.unit.subject())
	c.Verdict, c.Class = Deadlock, DepMissing
	c.Message = fmt.Sprintf("dependsOn names %s, which nothing in the tree creates", c.wait.ref)
	c.Remedy = fmt.Sprintf("Remove %s from dependsOn, or add it to the tree.", c.wait.ref.NamespacedName())
	for _, n := range b.m.w.order {
		for _, o := range n.objects() {
			if o.IsHelmRelease() && o.GetName() == c.wait.ref.Name && c.wait.ref.Kind == "Kustomization" {
				c.Message += fmt.Sprintf("; there is a %s, but a Kustomization can only depend on Kustomizations", named(o))
				c.Remedy = fmt.Sprintf("Depend on %s, which has %s, or move the edge into the HelmRelease that needs it.", n.ref.NamespacedName(), named(o))
				c.Provider = &Located{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()}
				return
			}
		}
	}
	if near := tiers.NearestRef(c.wait.ref, slices.SortedFunc(maps.Keys(b.m.w.nodes), tiers.Ref.Compare)); c.wait.ref.Kind == near.Kind && near != c.unit.node.ref {
		c.Message += fmt.Sprintf("; there is %s", near)
		c.Remedy = fmt.Sprintf("Depend on %s if that is what is meant, or remove %s from dependsOn.", near.NamespacedName(), c.wait.ref.NamespacedName())
	}
	b.unlessStranger(c, catalog.GroupKind{})
}

// unlessStranger turns a no into not knowing where the tree has sets that nobody
// can see, unless all of those wait for this one.
func (b *blame) unlessStranger(c *cause, gk catalog.GroupKind) {
	for _, s := range b.m.strangers(gk) {
		owner := b.m.byNode[s.node]
		if s.node == c.unit.node || b.waitsFor(owner, b.m.byNode[c.unit.node]) {
			continue
		}
		c.Verdict = Unknown
		what := s.node.ref.String()
		if s.bringer != nil || s.how == byOperator {
			what = named(s.object)
		}
		c.Message += fmt.Sprintf("; %s might, which cannot be seen from here", what)
		return
	}
}

// own judges what is wrong with a Kustomization by itself.
func (b *blame) own(c *cause) {
	n := c.unit.node
	c.about(c.unit.subject())
	switch c.wait.how {
	case waitSuspended:
		c.Verdict, c.Class = Precondition, IsSuspended
		c.Message = "it is suspended in git, and nothing waits for it"
		c.Remedy = "Resume it in git when it is wanted."
		if len(b.waits.Behind(c.unit)) > 0 {
			c.Verdict = Deadlock
			c.Message = "it is suspended in git, and others wait for it"
			c.Remedy = "Resume it in git, or take it out of what depends on it."
		}
	case waitBlind:
		c.Verdict, c.Class = Unknown, InSource
		c.Message, c.Remedy = n.unseen()
	case waitRefused:
		c.Verdict, c.Class, c.Message = Deadlock, InForm, c.wait.err.Error()
		c.Remedy = "Correct the object; `kubectl apply --server-side --dry-run=server` on a cluster that has the kind says the same."
		if r, ok := errors.AsType[*refusal](c.wait.err); ok {
			c.Object = locate(r.object)
		}
	case waitNeed, waitParent, waitDependency, waitMissing, waitHealth, waitExpression, waitStalled: // not by itself
	case waitFault:
		c.Verdict, c.Class = Deadlock, InBuild
		c.Message = c.wait.err.Error()
		c.Remedy = "Mend the build; `kustomize build` on the path shows the same."
		if e, ok := errors.AsType[*ciphertextError](c.wait.err); ok {
			c.Class, c.Object, c.Remedy = InDecryption, locate(e.object), addDecryption
		}
		if e, ok := errors.AsType[*generatorError](c.wait.err); ok {
			c.Class, c.Object, c.Remedy = InSource, locate(e.object), "Correct its copy rules, or put what they name where they look for it."
		}
		if _, ok := errors.AsType[*gateError](c.wait.err); ok {
			c.Verdict, c.Class, c.Remedy = Stall, InSource, "Give kustomize-controller the flag --feature-gates=ExternalArtifact=true."
		}
		if s, ok := errors.AsType[*manifests.SubstituteError](c.wait.err); ok {
			c.Class = InSubstitute
			c.Remedy = "Define the variable in one of the objects of substituteFrom, or give it a default."
			if u := s.Undefined[0]; u.File != "" {
				c.Object = &Object{Kind: u.Kind, Namespace: u.Namespace, Name: u.Name, File: u.File, Line: u.Line}
			}
		}
	}
}

// nobody judges a need that nothing in the tree meets.
func (b *blame) nobody(c *cause) {
	nd := c.wait.need
	c.about(orElse(nd.by, c.unit.subject()))
	c.Verdict = Deadlock
	defer b.unlessUnseen(c, nil)
	switch {
	case nd.kind.Kind != "":
		c.Class, c.Missing = NoCreator, kindsOf(nd.kind)
		c.Message = fmt.Sprintf("nothing in the tree brings %s", nd.kind)
		c.Remedy = b.hint(c.unit.node, nd.kind)
		for _, x := range b.m.creators(*nd) {
			if x.bringer != nil && !x.bringer.serves(*nd) {
				c.Message = fmt.Sprintf("%s does not serve %s of %s, only %s", named(x.object), nd.version, nd.kind, strings.Join(x.bringer.kind.Versions, ", "))
				c.Remedy = "Write the object in a version that is served."
				return
			}
		}
		if !b.otherVersion(c) {
			b.unlessStranger(c, nd.kind)
		}
	case nd.object == namespaceKey(""):
		c.Class = InNamespace
		c.Message = fmt.Sprintf("%s is in no namespace, which its kind has to be, and the Kustomization has no targetNamespace", named(nd.by))
		c.Remedy = "Give it a metadata.namespace, or the Kustomization a targetNamespace."
	case nd.why == forHealth:
		c.Class = NoCreator
		c.Message = fmt.Sprintf("healthChecks names %s, which nothing in the tree creates", nd.object)
		c.Remedy = fmt.Sprintf("Correct the name, or take %s out of healthChecks.", nd.object)
	case nd.object.kind == "Namespace":
		c.Class = InNamespace
		c.Message = fmt.Sprintf("%s does not exist, and nothing in the tree creates it", nd.object)
		c.Remedy = fmt.Sprintf("Add %s to this set or to one that this one depends on, or take what is in it out.", nd.object)
		b.unlessStranger(c, catalog.GroupKind{})
	case nd.why == forAdmission:
		c.Class = InAdmission
		c.Message = fmt.Sprintf("%s does not exist, and the API server refuses a Pod without its account", nd.object)
		c.Remedy = fmt.Sprintf("Add %s to a Kustomization that this one depends on.", nd.object)
	default:
		c.Verdict = Precondition
		c.Class = classOfNeed(nd)
		c.Message = fmt.Sprintf("%s does not exist", nd.object)
		if nd.why == forDecryption {
			c.Message = keyMessage(c.unit.node, nd.object)
		}
		c.Remedy = fmt.Sprintf("Create %s before Flux starts.", nd.object)
	}
}

func orElse(a, b manifests.Object) manifests.Object {
	if a.Unstructured != nil {
		return a
	}
	return b
}

func classOfNeed(nd *need) Class {
	switch nd.why {
	case forAdmission:
		return InAdmission
	case forBuild, forValues, forPod:
		return InSubstitute
	case forDecryption:
		return InDecryption
	case forSource, forChart:
		return InSource
	case forDryRun, forSkipped, forHealth:
	}
	if nd.object.kind == "Namespace" {
		return InNamespace
	}
	return NoCreator
}

// hint is what can be said of a kind that nothing brings.
func (b *blame) hint(n *node, gk catalog.GroupKind) string {
	if tool, ok := b.m.w.opts.Catalog.Tool(gk); ok {
		return fmt.Sprintf("It is a file of %s and no object of a cluster: move it out of the path, or name it in .sourceignore.", tool.Name)
	}
	for _, x := range b.m.bringers {
		if share, listed := x.brings.Share(gk); listed && share.Come == catalog.No && share.When != nil {
			return fmt.Sprintf("%s would bring it if %s; or seed it before Flux (--seeded %s/%s).", named(x.object), share.When, gk.Group, gk.Kind)
		}
	}
	var names []string
	for _, e := range b.m.w.opts.Catalog.Providing(gk) {
		names = append(names, e.Name)
	}
	if len(names) > 0 {
		return fmt.Sprintf("It comes with %s: install that in a Kustomization that %s depends on, or seed it before Flux (--seeded %s/%s).", strings.Join(names, " or "), n.ref.Name, gk.Group, gk.Kind)
	}
	return fmt.Sprintf("Install what brings it in a Kustomization that %s depends on, or seed it before Flux (--seeded %s/%s).", n.ref.Name, gk.Group, gk.Kind)
}

// deadlock judges a need whose creators all wait for the one that has it.
func (b *blame) deadlock(c *cause, own, beneath, waiting *creator) {
	nd := c.wait.need
	c.about(orElse(nd.by, c.unit.subject()))
	c.Verdict = Deadlock
	if nd.kind.Kind != "" {
		c.Missing = kindsOf(nd.kind)
	}
	var by *creator
	switch {
	case own != nil:
		by, c.Class = own, SameSet
		c.Message = fmt.Sprintf("%s comes with %s of the same set, which is not applied before everything in the set passes its dry-run", nd, named(own.object))
		c.Remedy = fmt.Sprintf("Move %s to a Kustomization of its own that depends on this one; until then `standup crds` applies %s early.", nd.what(), named(own.object))
	case beneath != nil:
		by, c.Class = beneath, Ancestor
		c.Message = fmt.Sprintf("%s comes with %s in %s, which this set creates and never does before everything in it passes its dry-run", nd, named(beneath.object), beneath.node.ref)
		c.Remedy = fmt.Sprintf("Move %s down into a Kustomization that depends on %s, or seed what it needs before Flux.", nd.what(), beneath.node.ref.NamespacedName())
	default:
		by, c.Class = waiting, GateOrder
		c.Message = fmt.Sprintf("%s comes with %s in %s, which waits for this one", nd, named(waiting.object), waiting.node.ref)
		c.Remedy = fmt.Sprintf("Turn the order round: let what needs %s depend on %s, and not the other way.", nd, waiting.node.ref.NamespacedName())
	}
	c.by = by
	c.Provider = &Located{Kind: by.object.GetKind(), Namespace: by.object.GetNamespace(), Name: by.object.GetName()}
	defer b.unlessUnseen(c, by)
	if nd.why == forSource {
		c.Class = InSource
		c.Message = fmt.Sprintf("its source is on %s, which %s of %s serves, and that comes from the source", nd.object.name, named(by.object), by.node.ref)
		c.Remedy = "Keep the source outside of what it brings up, or start from a copy of it elsewhere."
		if nd.object.kind != hostKey("").kind {
			c.Message = fmt.Sprintf("its source %s comes with %s of %s, which waits for this one", nd.object, named(by.object), by.node.ref)
			c.Remedy = fmt.Sprintf("Move %s to a Kustomization that does not wait for this one.", named(by.object))
		}
	}
	if c.Class != SameSet || nd.kind.Kind != "" {
		return
	}
	// Of one set, what is missing says more than that it is of the same set.
	switch {
	case nd.object.kind == "Namespace":
		c.Class = InNamespace
	case nd.why == forAdmission:
		c.Class = InAdmission
	case nd.why == forBuild:
		c.Class = InBuild
		c.Message = fmt.Sprintf("substituteFrom names %s, which %s of the same set makes, and a set is built before it is applied", nd, named(own.object))
		c.Remedy = fmt.Sprintf("Move %s to a Kustomization that this one depends on.", named(own.object))
	}
}

// what names the object that has a need.
func (n *need) what() string {
	if n.by.Unstructured != nil {
		return named(n.by)
	}
	return "what needs it"
}

// circle judges units that wait for each other.
func (b *blame) circle(circle []*unit) {
	depends := true
	var path []string
	holder := circle[0]
	for i, u := range circle {
		path = append(path, u.subjectName())
		next := circle[(i+1)%len(circle)]
		for _, w := range b.waitsOf(u) {
			if w.on == next && w.how != waitDependency || w.need != nil && slices.Contains(b.heldBy(w), next) {
				depends = false
			}
			if w.on == next && w.how == waitHealth {
				holder = u
			}
		}
	}
	path = append(path, path[0])
	c := cause{unit: holder, wait: wait{how: waitDependency, on: circle[(slices.Index(circle, holder)+1)%len(circle)]}}
	c.about(holder.subject())
	c.Verdict, c.Class = Deadlock, GateOrder
	c.Message = "each waits for the next: " + strings.Join(path, " -> ")
	c.Remedy = "Take one of these waits out: a dependsOn, or the wait of the first."
	if depends {
		c.Class = DepCycle
		c.Message = "dependency cycle: " + strings.Join(path, " -> ")
		if holder.isKustomization() { // helm-controller sorts nothing by dependsOn
			c.Message += "; while it stands, Flux wakes no Kustomization of the same source on a new revision"
		}
		c.Remedy = "Remove one of the dependsOn of the cycle."
	}
	b.causes[holder] = append(b.causes[holder], c)
	if c.Class == DepCycle {
		for _, u := range circle {
			if u != holder {
				b.causes[u] = append(b.causes[u], cause{unit: u, wait: c.wait, Finding: Finding{Verdict: Deadlock, Class: DepCycle}})
			}
		}
	}
}

func (u *unit) subjectName() string {
	if u.isKustomization() {
		return u.node.ref.NamespacedName()
	}
	return named(u.object)
}
