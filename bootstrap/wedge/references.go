package wedge

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// needs lists the objects of the set that o cannot work without: its namespace,
// the sources, values and credentials that it refers to, what it depends on,
// and for a workload the account that it runs as. Custom resources are not
// among them: those are what the missing kinds are for.
func (x *exam) needs(set *manifests.Set, o manifests.Object) []manifests.Object {
	refs := references(o.Unstructured)
	var found []manifests.Object
	for _, other := range set.Objects {
		ref := locate(other).Ref()
		if other.Unstructured == o.Unstructured || other.LeftAlone() || !supports(other.GroupVersionKind()) {
			continue
		}
		if slices.ContainsFunc(refs, func(r tiers.Ref) bool { return means(r, ref) }) || bindsAccountOf(other.Unstructured, o.Unstructured) {
			found = append(found, other)
		}
	}
	slices.SortStableFunc(found, func(a, b manifests.Object) int { return cmp.Compare(rank(a.GetKind()), rank(b.GetKind())) })
	return found
}

// means reports whether a reference names an object. One to an object without a
// namespace, such as the ClusterRole of a RoleBinding, is written like any other.
func means(reference, object tiers.Ref) bool {
	if object.Namespace == "" {
		reference.Namespace = ""
	}
	return reference == object
}

// supports tells what helps a provider to work from what is made of it.
func supports(gvk schema.GroupVersionKind) bool {
	switch gvk.Group {
	case "":
		return slices.Contains([]string{"Namespace", "ServiceAccount", "ConfigMap", "Secret"}, gvk.Kind)
	case "rbac.authorization.k8s.io", "source.toolkit.fluxcd.io":
		return true
	case "helm.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io":
		return true
	}
	return false
}

// rank orders what one object needs: namespaces first, accounts before roles.
func rank(kind string) int {
	order := []string{"Namespace", "ServiceAccount", "Secret", "ConfigMap"}
	if i := slices.Index(order, kind); i >= 0 {
		return i
	}
	return len(order)
}

// references reads what an object refers to, by the conventions of the
// Kubernetes and Flux APIs: {kind, name, namespace}, dependsOn, and fields
// that are named after the kind that they name.
func references(o *unstructured.Unstructured) []tiers.Ref {
	r := refs{namespace: o.GetNamespace(), kind: o.GetKind()}
	if r.namespace != "" {
		r.add("Namespace", "", r.namespace)
	}
	for key, value := range o.Object {
		if key != "metadata" && key != "status" {
			r.walk(key, value)
		}
	}
	slices.SortFunc(r.found, tiers.Ref.Compare)
	return slices.Compact(r.found)
}

type refs struct {
	namespace, kind string
	found           []tiers.Ref
}

func (r *refs) add(kind, namespace, name string) {
	r.found = append(r.found, tiers.Ref{Kind: kind, Namespace: namespace, Name: name})
}

func (r *refs) walk(key string, value any) {
	switch v := value.(type) {
	case map[string]any:
		r.object(key, v)
		for k, below := range v {
			r.walk(k, below)
		}
	case []any:
		for _, item := range v {
			r.walk(key, item)
		}
	case string:
		r.text(key, v)
	}
}

// object reads a reference that is a map.
func (r *refs) object(key string, v map[string]any) {
	name, _ := v["name"].(string)
	if name == "" {
		return
	}
	namespace, _ := v["namespace"].(string)
	namespace = cmp.Or(namespace, r.namespace)
	if kind, ok := v["kind"].(string); ok {
		r.add(kind, namespace, name)
		return
	}
	if key == "dependsOn" {
		r.add(r.kind, namespace, name)
		return
	}
	if kind := kindOfField(key); kind != "" {
		r.add(kind, namespace, name)
	}
}

// text reads a reference that is a bare name.
func (r *refs) text(key, name string) {
	switch lower := strings.ToLower(key); {
	case strings.HasSuffix(lower, "namespace"):
		r.add("Namespace", "", name)
	default:
		if kind := kindOfField(key); kind != "" {
			r.add(kind, r.namespace, name)
		}
	}
}

// kindOfField is the kind that a field such as secretRef, configMapName or
// serviceAccountName names.
func kindOfField(key string) string {
	lower := strings.ToLower(key)
	for _, kind := range []string{"ConfigMap", "ServiceAccount", "Secret"} {
		if strings.Contains(lower, strings.ToLower(kind)) {
			return kind
		}
	}
	return ""
}

// bindsAccountOf reports whether a binding is for the account that a workload
// runs as, or that a controller impersonates for a Flux object.
func bindsAccountOf(binding, workload *unstructured.Unstructured) bool {
	account := cmp.Or(text(workload, "spec", "template", "spec", "serviceAccountName"), text(workload, "spec", "serviceAccountName"))
	if account == "" || binding.GroupVersionKind().Group != "rbac.authorization.k8s.io" {
		return false
	}
	subjects, _, _ := unstructured.NestedSlice(binding.Object, "subjects") // a role has none
	for _, s := range subjects {
		subject, _ := s.(map[string]any)
		if subject["kind"] == "ServiceAccount" && subject["name"] == account && subject["namespace"] == workload.GetNamespace() {
			return true
		}
	}
	return false
}

// text reads a field; empty when it is absent.
func text(o *unstructured.Unstructured, fields ...string) string {
	s, _, _ := unstructured.NestedString(o.Object, fields...) // absent is empty
	return s
}
