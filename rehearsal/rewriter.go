package rehearsal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// findRewriter notes what changes Kustomizations as they are applied. Then the
// variables that git defines are not all that there are: a set that lacks one may
// be whole in the cluster, and only a look there can tell.
func (w *walk) findRewriter() {
	for _, n := range w.order {
		for _, o := range n.objects() {
			if !o.LeftAlone() && w.rewrites(o) {
				w.rewriter = &o
				w.leaveToRewriter()
				return
			}
		}
	}
}

func (w *walk) leaveToRewriter() {
	for _, n := range w.order {
		if s, ok := errors.AsType[*manifests.SubstituteError](n.fault); ok {
			n.fault, n.undefined = nil, s
		}
	}
}

func (w *walk) rewrites(o manifests.Object) bool {
	switch gk := kindOf(o); {
	case o.IsHelmRelease():
		b, _ := w.opts.Catalog.Installed(w.releaseOf(o))
		return b.Entry.Webhook == catalog.RewritesKustomizations
	case gk == catalog.GroupKind{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}:
		return slices.ContainsFunc(listAt(o.Unstructured, "webhooks"), func(hook map[string]any) bool { return seesKustomizations(hook["rules"]) })
	case gk == catalog.GroupKind{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicy"}:
		return seesKustomizations(mapAt(o.Unstructured, "spec", "matchConstraints")["resourceRules"])
	}
	return false
}

// seesKustomizations reads the rules of a webhook or of an admission policy. One
// that sees everything is about something else.
func seesKustomizations(rules any) bool {
	items, _ := rules.([]any)
	return slices.ContainsFunc(items, func(item any) bool {
		rule, _ := item.(map[string]any)
		groups, _ := rule["apiGroups"].([]any)
		resources, _ := rule["resources"].([]any)
		return slices.Contains(groups, any("kustomize.toolkit.fluxcd.io")) &&
			slices.ContainsFunc(resources, func(r any) bool { return r == "*" || r == "kustomizations" })
	})
}

// leftToRewriter says which variables somebody else has to bring.
func (s *stage) leftToRewriter(n *node) []Finding {
	if n.undefined == nil {
		return nil
	}
	var names []string
	for _, u := range n.undefined.Undefined {
		if !slices.Contains(names, u.Variable) {
			names = append(names, u.Variable)
		}
	}
	slices.Sort(names)
	by := *s.w.rewriter
	f := remark(n, n.object, Runtime, InSubstitute,
		fmt.Sprintf("nothing in git defines %s for it; %s changes Kustomizations as they are applied and may", strings.Join(names, ", "), named(by)),
		"Name the objects that have them in substituteFrom, which needs nobody else, or see in the cluster what the Kustomization has become.")
	f[0].Provider = &Located{Kind: by.GetKind(), Namespace: by.GetNamespace(), Name: by.GetName()}
	return f
}
