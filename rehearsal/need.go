package rehearsal

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// need is something that must exist before a step can be taken: a kind that is
// served, or an object. Exactly one of kind and object is set.
type need struct {
	kind    catalog.GroupKind
	version string // of the kind; "" is any
	object  objectKey
	why     why
	// by is the object that has the need; empty where the Kustomization has it.
	by manifests.Object
}

func (n need) String() string {
	if n.kind.Kind != "" {
		return n.kind.String()
	}
	return n.object.String()
}

// why says which decision asks.
type why int

const (
	forDryRun     why = iota // a kind, or a namespace
	forAdmission             // built-in admission refuses the object otherwise
	forBuild                 // postBuild.substituteFrom
	forDecryption            // the SOPS key
	forSource                // the source object
	forValues                // a HelmRelease's valuesFrom
	forPod                   // a workload's pods do not start otherwise
	forChart                 // a HelmRelease's chart; where the tree has no source for it, it is made elsewhere
	forHealth                // healthChecks, in a tree where nothing else makes objects
	forSkipped               // a definition or Class that is skipped, and waited for all the same
)

func namespaceKey(name string) objectKey { return objectKey{kind: "Namespace", name: name} }

// dryRunNeeds lists what the server-side dry-run of a set asks for, but for what
// an earlier stage of the same set has brought by then: one need a kind, a
// namespace and an account, with the first object that has it.
func (s *stage) dryRunNeeds(n *node) []need {
	own := map[catalog.GroupKind][]string{} // versions
	made := map[objectKey]int{}             // in which stage
	for _, o := range n.objects() {
		if o.LeftAlone() {
			continue
		}
		if kind, ok := defines(o); ok {
			own[kind.GroupKind()] = kind.Versions
		}
		made[keyOf(o)] = s.stageOf(o)
	}
	earlier := func(key objectKey, o manifests.Object) bool {
		at, ok := made[key]
		return ok && at < s.stageOf(o)
	}
	var needs []need
	seen := map[needKey]bool{}
	add := func(nd need, by manifests.Object) {
		if !seen[nd.key()] {
			seen[nd.key()] = true
			nd.by = by
			needs = append(needs, nd)
		}
	}
	// Earlier stages first: theirs are the errors that are seen first.
	objects := slices.Clone(n.objects())
	slices.SortStableFunc(objects, func(a, b manifests.Object) int { return cmp.Compare(s.stageOf(a), s.stageOf(b)) })
	for _, o := range objects {
		if s.waitedForAnyway(o) {
			add(need{object: keyOf(o), why: forSkipped}, o)
		}
		if o.LeftAlone() || o.GetKind() == "" || opaque(o) {
			continue
		}
		gvk := o.GroupVersionKind()
		if !slices.Contains(own[kindOf(o)], gvk.Version) {
			add(need{kind: kindOf(o), version: gvk.Version}, o)
		}
		switch ns := o.GetNamespace(); {
		case ns == "" && s.scopes[kindOf(o)] == catalog.Namespaced:
			add(need{object: namespaceKey("")}, o) // no such address in the API
		case ns != "" && !earlier(namespaceKey(ns), o) && s.scopes[kindOf(o)] != catalog.Cluster:
			add(need{object: namespaceKey(ns)}, o)
		}
		for _, key := range admissionNeeds(o) {
			if earlier(key, o) {
				continue
			}
			add(need{object: key, why: forAdmission}, o)
		}
	}
	return needs
}

// waitedForAnyway recognises a definition or a Class that is skipped and not
// known to exist. ApplyAllStaged waits for all of its first two stages, also for
// what it has skipped, so that the set fails until somebody else makes it
// (docs/reference/flux-facts.md).
func (s *stage) waitedForAnyway(o manifests.Object) bool {
	if !o.LeftAlone() || o.GetKind() == "" || s.stageOf(o) > classStage {
		return false
	}
	if kind, ok := defines(o); ok && s.isThere(need{kind: kind.GroupKind()}) {
		return false
	}
	key := keyOf(o)
	return !s.exist[key] && !s.exist[objectKey{kind: key.kind, namespace: key.namespace, name: key.name}]
}

// admissionNeeds lists what Kubernetes' own admission asks for: a Pod is refused
// without its account (kubernetes/plugin/pkg/admission/serviceaccount), also in
// a dry-run. The account "default" is made with its namespace.
func admissionNeeds(o manifests.Object) []objectKey {
	if kindOf(o) != (catalog.GroupKind{Kind: "Pod"}) {
		return nil
	}
	account := cmp.Or(text(o.Unstructured, "spec", "serviceAccountName"), text(o.Unstructured, "spec", "serviceAccount"))
	if account == "" || account == "default" {
		return nil
	}
	return []objectKey{{kind: "ServiceAccount", namespace: o.GetNamespace(), name: account}}
}

// releaseNeeds lists what a HelmRelease must have before it is installed.
func releaseNeeds(o manifests.Object) []need {
	var needs []need
	for _, from := range listAt(o.Unstructured, "spec", "valuesFrom") {
		u := &unstructured.Unstructured{Object: from}
		if flagAt(u, "optional") {
			continue
		}
		key := objectKey{kind: text(u, "kind"), namespace: o.GetNamespace(), name: text(u, "name")}
		needs = append(needs, need{object: key, why: forValues, by: o})
	}
	for _, path := range [][]string{{"spec", "chart", "spec", "sourceRef"}, {"spec", "chartRef"}} {
		if ref := (&unstructured.Unstructured{Object: mapAt(o.Unstructured, path...)}); len(ref.Object) > 0 {
			key := objectKey{sourceGroup, text(ref, "kind"), cmp.Or(text(ref, "namespace"), o.GetNamespace()), text(ref, "name")}
			needs = append(needs, need{object: key, why: forChart, by: o})
		}
	}
	target := text(o.Unstructured, "spec", "targetNamespace")
	if target != "" && !flagAt(o.Unstructured, "spec", "install", "createNamespace") {
		needs = append(needs, need{object: namespaceKey(target), why: forValues, by: o})
	}
	return needs
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// needKey tells needs apart, whoever has them.
type needKey struct {
	kind    catalog.GroupKind
	version string
	object  objectKey
	why     why
}

func (n need) key() needKey { return needKey{n.kind, n.version, n.object, n.why} }
