package tiers

import (
	"fmt"
	"slices"
	"strings"
)

// advice words the lines that list what is not listed. It keeps the tiers as
// they will be once its own words are followed, so that each builds on the last.
type advice struct {
	namespace string
	names     []string         // tiers, in order
	listed    []string         // tiers as the file has them
	members   map[string][]Ref // by tier
	tier      map[Ref]string
}

func newAdvice(order *TierOrder, tier map[Ref]int) *advice {
	a := &advice{namespace: order.Defaults.Namespace, members: map[string][]Ref{}, tier: map[Ref]string{}}
	for i := range order.Tiers {
		t := &order.Tiers[i]
		a.names = append(a.names, t.Name)
		a.members[t.Name] = t.Members(a.namespace)
	}
	a.listed = slices.Clone(a.names)
	for ref, i := range tier {
		a.tier[ref] = order.Tiers[i].Name
	}
	return a
}

// add makes room for u and returns the line to write and where: a tier of its
// own behind all that it needs, unless that very tier needs it.
func (a *advice) add(u unlisted) string {
	at := -1
	for _, n := range u.needs {
		if tier, known := a.tier[n]; known { // not so for the rest of a cycle
			at = max(at, slices.Index(a.names, tier))
		}
	}
	if u.loose {
		at = len(a.names) - 1
	}
	if at >= 0 && u.needed && slices.Index(a.names, a.listed[u.neededBy]) <= at {
		return a.join(u.ref, a.names[at])
	}
	return a.insert(u.ref, at)
}

// insert gives ref a tier of its own behind the one at index at.
func (a *advice) insert(ref Ref, at int) string {
	name := a.freeName(ref)
	line := "- name: " + name
	if KustomizationRef(a.namespace, name) != ref {
		line = fmt.Sprintf("- {name: %s, kustomizations: [%s]}", name, memberName(a.namespace, ref))
	}
	where := fmt.Sprintf("in front of tier %q", a.names[0])
	if at >= 0 {
		where = fmt.Sprintf("after tier %q", a.names[at])
	}
	a.names = slices.Insert(a.names, at+1, name)
	a.members[name] = []Ref{ref}
	a.tier[ref] = name
	return fmt.Sprintf("add `%s` to tiers, %s", line, where)
}

// join writes ref into the kustomizations of a tier that there is.
func (a *advice) join(ref Ref, tier string) string {
	a.members[tier] = append(a.members[tier], ref)
	a.tier[ref] = tier
	names := make([]string, len(a.members[tier]))
	for i, m := range a.members[tier] {
		names[i] = memberName(a.namespace, m)
	}
	return fmt.Sprintf("write `kustomizations: [%s]` in tier %q", strings.Join(names, ", "), tier)
}

// freeName is the Kustomization's own name unless a tier has it already.
func (a *advice) freeName(ref Ref) string {
	name := ref.Name
	if slices.Contains(a.names, name) {
		name = ref.Namespace + "-" + ref.Name
	}
	for n := 2; slices.Contains(a.names, name); n++ {
		name = fmt.Sprintf("%s-%s-%d", ref.Namespace, ref.Name, n)
	}
	return name
}
