package rehearsal

import (
	"fmt"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
)

// unseen says what cannot be seen of a set, and how it could be.
func (n *node) unseen() (message, remedy string) {
	if len(n.remote()) > 0 {
		return "a part of its set cannot be seen: " + n.blind,
			fmt.Sprintf("Copy %s into the tree; that also takes the network out of a cold start.", n.remote()[0])
	}
	if n.spec.Spec.KubeConfig != nil {
		return "its set is for another cluster: that one is not rehearsed here", "Rehearse that cluster by itself, with this set as its entry."
	}
	return "its set cannot be seen: " + n.blind, fmt.Sprintf("Say where the source is: --source %s=DIR.", n.source)
}

// otherVersion judges a kind that is there before Flux starts, in other versions.
// Kubernetes serves the older ones of its own where its API server is told to,
// which is not in git.
func (b *blame) otherVersion(c *cause) bool {
	nd := c.wait.need
	served := b.m.base[nd.kind]
	if len(served) == 0 || nd.version == "" {
		return false
	}
	by := "Flux"
	c.Remedy = fmt.Sprintf("Write %s, after reading what has changed in it.", served[0])
	if b.m.builtIn(nd.kind) {
		by = "Kubernetes"
		c.Verdict = Unknown
		c.Remedy = fmt.Sprintf("Write %s if the cluster is new enough, or switch %s/%s on with --runtime-config of the API server and say so (--seeded %s/%s).", served[0], nd.kind.Group, nd.version, nd.kind.Group, nd.kind.Kind)
	}
	c.Message = fmt.Sprintf("%s serves %s as %s, and not as %s unless it is an older one or is told to", by, nd.kind, strings.Join(served, " and "), nd.version)
	return true
}

// unlessUnseen turns a no into not knowing where the missing part of the set may
// have what it needs: a definition there is applied in time. It does the same
// where it is not certain that what was found brings the kind, and something else
// that nobody can see might.
func (b *blame) unlessUnseen(c *cause, by *creator) {
	if c.Verdict != Deadlock {
		return
	}
	if n := c.unit.node; c.unit.isKustomization() && n.blind != "" {
		c.Verdict = Unknown
		c.Message += "; " + n.blind + " and may have it"
		return
	}
	kind, name := c.wait.need.kind, c.wait.need.object
	switch {
	case kind.Kind != "" && by != nil && by.bringer.brings.Unknown && by.bringer.of(kind) != catalog.Yes:
		b.unlessStranger(c, kind)
	case by == nil && name.kind == "Namespace":
		b.unlessRelease(c, name.name)
	}
}

// unlessRelease turns a no into not knowing where a chart may make a namespace: it
// has a word in common with it, and its release does not wait for this one.
func (b *blame) unlessRelease(c *cause, namespace string) {
	for _, x := range b.m.bringers {
		if !x.object.IsHelmRelease() || x.object.GetNamespace() == namespace || x.node == c.unit.node ||
			!catalog.Related(namespace, b.m.w.namesOf(x)...) || b.waitsFor(b.m.byNode[x.node], c.unit) {
			continue
		}
		c.Verdict = Unknown
		c.Message += fmt.Sprintf("; the chart of %s might, which cannot be seen from here", named(x.object))
		return
	}
}
