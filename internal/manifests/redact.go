package manifests

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Redacted stands for what must not be printed.
const Redacted = "**redacted**"

// minSecret is the length from which a secret value is looked for inside other
// text. A shorter one ("1", "yes") is part of almost any text, and everything
// would be hidden; it is hidden where a value is it and nothing else, and
// wherever substitution put it, which is known by place (see taints).
const minSecret = 4

// Set is the set of objects of one Flux Kustomization. It does not change once
// it was built; who changes an object changes it for all readers.
type Set struct {
	// Objects are in the order of kustomize.
	Objects []Object
	// Remote are the bases that the set is built without, if that was asked for.
	Remote []string

	secrets []string // values that came from Secrets, the longest first
	taints  map[objectKey][]taint
}

// Redact copies an object of the set, or what the API server made of one, so
// that it can be printed: no data of a Secret, no ciphertext, and nothing that
// substitution took from a Secret.
func (s *Set) Redact(u *unstructured.Unstructured) *unstructured.Unstructured {
	if u == nil || u.Object == nil {
		return u
	}
	taints := s.taints[keyOf(u)]
	u = u.DeepCopy()
	for _, t := range taints {
		if len(t) == 0 { // what depends on the secret is the shape of it all
			u.Object = map[string]any{
				"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(),
				"metadata": map[string]any{"name": s.RedactText(u.GetName())},
			}
			break
		}
		t.hide(u.Object)
	}
	if _, ok := u.Object["sops"]; ok {
		u.Object["sops"] = Redacted
	}
	if u.GetKind() == "Secret" {
		for _, name := range []string{"data", "stringData"} {
			if values, ok := u.Object[name].(map[string]any); ok {
				for key := range values {
					values[key] = Redacted
				}
			}
		}
		if annotations := u.GetAnnotations(); annotations[corev1.LastAppliedConfigAnnotation] != "" {
			annotations[corev1.LastAppliedConfigAnnotation] = Redacted // holds the data once more
			u.SetAnnotations(annotations)
		}
	}
	// By its kind and name the object is called everywhere else. They are hidden
	// only if they are ciphertext, or known to come from a Secret.
	kind, apiVersion, name, namespace := u.GetKind(), u.GetAPIVersion(), u.GetName(), u.GetNamespace()
	s.redactValue(u.Object)
	for _, id := range []struct {
		value string
		path  []string
	}{
		{kind, []string{"kind"}},
		{apiVersion, []string{"apiVersion"}},
		{name, []string{"metadata", "name"}},
		{namespace, []string{"metadata", "namespace"}},
	} {
		if id.value != "" && !strings.Contains(id.value, ciphertext) {
			_ = unstructured.SetNestedField(u.Object, id.value, id.path...) // it was read from there
		}
	}
	return u
}

// RedactText takes secret values out of a text, such as an error of the API
// server that quotes the object.
func (s *Set) RedactText(text string) string {
	for _, secret := range s.secrets {
		if text == secret {
			return Redacted
		}
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, Redacted)
		}
	}
	return text
}

func (s *Set) redactValue(v any) any {
	switch value := v.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = s.redactValue(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = s.redactValue(inner)
		}
	case string:
		if strings.Contains(value, ciphertext) || s.RedactText(value) != value {
			return Redacted // the whole of it: what stands around a secret tells of it
		}
	}
	return v
}

// secretValues prepares the values that came from Secrets: the longest first,
// so that one that contains another is hidden whole.
func secretValues(vars map[string]string) []string {
	var values []string
	for _, value := range vars {
		// YAML drops the space around a value when it is put in unquoted.
		for _, v := range []string{value, strings.TrimSpace(value)} {
			if v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return values
}

// objectKey names an object in a set.
type objectKey struct{ apiVersion, kind, namespace, name string }

func keyOf(u *unstructured.Unstructured) objectKey {
	return objectKey{u.GetAPIVersion(), u.GetKind(), u.GetNamespace(), u.GetName()}
}

// taint is the path to a value that depends on a Secret.
type taint []string

// hide replaces the value at the path. A path that is not there (any longer) is
// no fault: the API server may have dropped the field.
func (t taint) hide(v any) any {
	if len(t) == 0 {
		return Redacted
	}
	switch value := v.(type) {
	case map[string]any:
		if inner, ok := value[t[0]]; ok {
			value[t[0]] = t[1:].hide(inner)
		}
	case []any:
		for i, inner := range value {
			if fmt.Sprint(i) == t[0] {
				value[i] = t[1:].hide(inner)
			}
		}
	}
	return v
}

// taintsBetween finds where an object differs from the same object with other
// secret values: exactly what depends on them, whatever was done to the
// values on the way (case, substring, length), and be they ever so short.
func taintsBetween(actual, other any, at taint) []taint {
	switch r := actual.(type) {
	case map[string]any:
		m, ok := other.(map[string]any)
		if !ok || len(m) != len(r) {
			return []taint{slices.Clone(at)}
		}
		var found []taint
		for key, value := range r {
			counterpart, ok := m[key]
			if !ok {
				return []taint{slices.Clone(at)} // the key itself is secret
			}
			found = append(found, taintsBetween(value, counterpart, append(at, key))...)
		}
		return found
	case []any:
		m, ok := other.([]any)
		if !ok || len(m) != len(r) {
			return []taint{slices.Clone(at)}
		}
		var found []taint
		for i, value := range r {
			found = append(found, taintsBetween(value, m[i], append(at, fmt.Sprint(i)))...)
		}
		return found
	default:
		if actual != other {
			return []taint{slices.Clone(at)}
		}
		return nil
	}
}
