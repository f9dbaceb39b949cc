package rehearsal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// remarks are findings that can be read from one set, without a run.
func (s *stage) remarks(n *node) []Finding {
	var found []Finding
	defined := s.variables()
	for _, o := range n.objects() {
		if o.LeftAlone() {
			continue
		}
		found = append(found, s.literal(n, o, defined)...)
		found = append(found, s.restores(n, o)...)
	}
	found = append(found, s.leftToRewriter(n)...)
	found = append(found, s.optionalValues(n)...)
	found = append(found, s.deadGate(n)...)
	return append(found, s.permits(n)...)
}

func remark(n *node, o manifests.Object, v Verdict, class Class, message, remedy string) []Finding {
	c := cause{unit: &unit{node: n}}
	c.about(o)
	c.Verdict, c.Class, c.Message, c.Remedy = v, class, message, remedy
	return []Finding{c.Finding}
}

// variables are the names that some Kustomization of the tree substitutes.
func (s *stage) variables() map[string]bool {
	if s.defined != nil {
		return s.defined
	}
	s.defined = map[string]bool{}
	for _, n := range s.w.order {
		if n.spec.Spec.PostBuild == nil {
			continue
		}
		for name := range n.spec.Spec.PostBuild.Substitute {
			s.defined[name] = true
		}
		for _, r := range n.spec.Spec.PostBuild.SubstituteFrom {
			if o, ok := s.w.values[objectKey{kind: r.Kind, namespace: n.ref.Namespace, name: r.Name}]; ok {
				for _, field := range []string{"data", "stringData"} {
					for name := range mapAt(o.Unstructured, field) {
						s.defined[name] = true
					}
				}
			}
		}
	}
	return s.defined
}

var token = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:=[^}]*)?\}`)

// literal: without postBuild nothing is substituted, and the token itself is
// applied (pkg/kustomize, kustomize_varsub.go). ConfigMaps may mean a shell's.
func (s *stage) literal(n *node, o manifests.Object, defined map[string]bool) []Finding {
	if s.w.rewriter != nil || n.spec.Spec.PostBuild != nil || o.Encrypted || kindOf(o).Group == "" && (o.GetKind() == "ConfigMap" || o.GetKind() == "Secret") {
		return nil
	}
	data, err := json.Marshal(o.Object)
	if err != nil {
		return nil // it was read from the same form
	}
	for _, m := range token.FindAllStringSubmatch(string(data), -1) {
		if m[2] == "" && !defined[m[1]] {
			continue
		}
		return remark(n, o, Hazard, InSubstitute,
			fmt.Sprintf("%s is applied with %s as it stands, since the Kustomization has no postBuild", named(o), m[0]),
			"Give the Kustomization a postBuild; an empty map is not enough, one variable is.")
	}
	return nil
}

// restores are objects that begin with data from elsewhere.
func (s *stage) restores(n *node, o manifests.Object) []Finding {
	from := ""
	switch kindOf(o) {
	case catalog.GroupKind{Group: "postgresql.cnpg.io", Kind: "Cluster"}:
		if r := mapAt(o.Unstructured, "spec", "bootstrap", "recovery"); len(r) > 0 {
			from = "a base backup"
		}
	case catalog.GroupKind{Kind: "PersistentVolumeClaim"}:
		if r := mapAt(o.Unstructured, "spec", "dataSourceRef"); len(r) > 0 {
			from = fmt.Sprintf("%v %v", r["kind"], r["name"])
		}
	}
	if from == "" {
		return nil
	}
	return remark(n, o, Precondition, InRestore,
		fmt.Sprintf("%s begins with what %s holds, which has to exist", named(o), from),
		fmt.Sprintf("Make sure of %s for %s before Flux starts, or let it begin empty.", from, named(o)))
}

// optionalValues: a set is built with empty values while an optional object is
// not there, and again with the right ones only at the next interval.
func (s *stage) optionalValues(n *node) []Finding {
	if n.spec.Spec.PostBuild == nil {
		return nil
	}
	for _, r := range n.spec.Spec.PostBuild.SubstituteFrom {
		key := objectKey{kind: r.Kind, namespace: n.ref.Namespace, name: r.Name}
		if !r.Optional || s.exist[key] || !slices.ContainsFunc(s.index[key], func(c creator) bool { return c.node == n }) {
			continue
		}
		return remark(n, n.object, Hazard, InSubstitute,
			fmt.Sprintf("the first pass substitutes empty values: %s is optional and made by this very set", key),
			fmt.Sprintf("Move what makes %s to a Kustomization that this one depends on.", key))
	}
	return nil
}

// deadGate: with wait, healthChecks are ignored (checkHealth). It matters where
// one names what is not in the set, and somebody relies on it.
func (s *stage) deadGate(n *node) []Finding {
	if !n.spec.Spec.Wait || !s.reliedOn(n) {
		return nil
	}
	for _, c := range n.spec.Spec.HealthChecks {
		group, _, cut := strings.Cut(c.APIVersion, "/")
		if !cut {
			group = ""
		}
		key := objectKey{group, c.Kind, c.Namespace, c.Name}
		if slices.ContainsFunc(s.index[key], func(x creator) bool { return x.node == n }) {
			continue
		}
		return remark(n, n.object, Race, DeadGate,
			fmt.Sprintf("wait: true makes Flux ignore healthChecks, and with them the one on %s, which is not in the set", key),
			"Take wait out and list all that has to be healthy under healthChecks.")
	}
	return nil
}

func (s *stage) reliedOn(n *node) bool {
	return slices.ContainsFunc(s.w.order, func(other *node) bool {
		for _, d := range other.spec.Spec.DependsOn {
			if refOfDependency(other, d) == n.ref {
				return true
			}
		}
		return false
	})
}

// permits finds an object that may permit a sibling: a webhook asks the cluster,
// where a dry-run leaves no trace. Whether it does is the webhook's to say. The
// grants of the Gateway API are read by controllers and not at admission.
func (s *stage) permits(n *node) []Finding {
	for _, grant := range n.objects() {
		gk := kindOf(grant)
		if grant.LeftAlone() || s.exist[keyOf(grant)] || gk.Group == "gateway.networking.k8s.io" {
			continue
		}
		for _, o := range n.objects() {
			if o.LeftAlone() || !permitted(grant, o) {
				continue
			}
			f := remark(n, o, Runtime, InAdmission,
				fmt.Sprintf("a webhook may refuse %s until %s exists, which is in the same set and not applied before all of it passes its dry-run", named(o), named(grant)),
				fmt.Sprintf("Move %s to a Kustomization that this one depends on.", named(grant)))
			f[0].Provider = &Located{Kind: grant.GetKind(), Namespace: grant.GetNamespace(), Name: grant.GetName()}
			return f
		}
	}
	return nil
}

// permitted knows two pairs: a grant and what its group refers to across
// namespaces, and a binding and the policy whose engine needs the right.
func permitted(grant, o manifests.Object) bool {
	switch gk := kindOf(grant); {
	case strings.HasSuffix(gk.Kind, "ReferenceGrant"):
		return kindOf(o).Group == gk.Group && kindOf(o) != gk && refersElsewhere(o.Object["spec"], o.GetNamespace())
	case gk.Group == "rbac.authorization.k8s.io" && strings.HasSuffix(gk.Kind, "Binding"):
		return kindOf(o).Group == "kyverno.io" && strings.HasSuffix(o.GetKind(), "Policy") && generates(o) && bindsTo(grant, "kyverno")
	}
	return false
}

// bindsTo reports whether a binding may be for an engine: a subject has its name
// in it, or there are none to judge by.
func bindsTo(binding manifests.Object, engine string) bool {
	subjects := listAt(binding.Unstructured, "subjects")
	return len(subjects) == 0 || slices.ContainsFunc(subjects, func(s map[string]any) bool {
		return catalog.Related(engine, fmt.Sprint(s["name"]), fmt.Sprint(s["namespace"]))
	})
}

func generates(o manifests.Object) bool {
	return slices.ContainsFunc(listAt(o.Unstructured, "spec", "rules"), func(r map[string]any) bool { return r["generate"] != nil })
}

// refersElsewhere reports whether a field names another namespace.
func refersElsewhere(v any, namespace string) bool {
	switch v := v.(type) {
	case map[string]any:
		if other, _ := v["namespace"].(string); other != "" && other != namespace {
			return true
		}
		for _, key := range sortedKeys(v) {
			if refersElsewhere(v[key], namespace) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return refersElsewhere(item, namespace) })
	}
	return false
}
