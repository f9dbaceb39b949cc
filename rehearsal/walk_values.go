package rehearsal

import (
	"context"
	"encoding/base64"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/manifests"
)

// ConfigMap implements manifests.Values from what the walk has found so far.
func (w *walk) ConfigMap(_ context.Context, namespace, name string) (map[string]string, error) {
	o, ok := w.values[objectKey{kind: "ConfigMap", namespace: namespace, name: name}]
	if !ok {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
	}
	data := map[string]string{}
	for key, value := range mapAt(o.Unstructured, "data") {
		data[key], _ = value.(string)
	}
	return data, nil
}

// Secret implements manifests.Values. Of an encrypted Secret the keys are known
// and the values are not: a word stands for each.
func (w *walk) Secret(_ context.Context, namespace, name string) (map[string][]byte, error) {
	o, ok := w.values[objectKey{kind: "Secret", namespace: namespace, name: name}]
	if !ok {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name)
	}
	data := secretData(o)
	if o.Encrypted {
		for key := range data {
			data[key] = []byte("encrypted")
		}
	}
	return data, nil
}

func secretData(o manifests.Object) map[string][]byte {
	data := map[string][]byte{}
	for key, value := range mapAt(o.Unstructured, "stringData") {
		s, _ := value.(string)
		data[key] = []byte(s)
	}
	for key, value := range mapAt(o.Unstructured, "data") {
		s, _ := value.(string)
		plain, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			plain = []byte(s)
		}
		data[key] = plain
	}
	return data
}

// valuesOf lists what substituteFrom needs, without what is optional.
func (w *walk) valuesOf(n *node) []objectKey {
	var keys []objectKey
	if n.spec.Spec.PostBuild == nil {
		return nil
	}
	for _, r := range n.spec.Spec.PostBuild.SubstituteFrom {
		if !r.Optional {
			keys = append(keys, objectKey{kind: r.Kind, namespace: n.ref.Namespace, name: r.Name})
		}
	}
	return keys
}

// guesses reports whether some object that a set is substituted from is
// not in the tree, or encrypted there.
func (w *walk) guesses(n *node) bool {
	if n.spec.Spec.PostBuild == nil {
		return false
	}
	for _, r := range n.spec.Spec.PostBuild.SubstituteFrom {
		o, ok := w.values[objectKey{kind: r.Kind, namespace: n.ref.Namespace, name: r.Name}]
		if !ok || w.guessed[o.Unstructured] {
			return true
		}
	}
	return false
}

func mapAt(o *unstructured.Unstructured, fields ...string) map[string]any {
	m, _, _ := unstructured.NestedMap(o.Object, fields...) // absent is empty
	return m
}

func text(o *unstructured.Unstructured, fields ...string) string {
	s, _, _ := unstructured.NestedString(o.Object, fields...) // absent is empty
	return s
}

func flagAt(o *unstructured.Unstructured, fields ...string) bool {
	b, _, _ := unstructured.NestedBool(o.Object, fields...) // absent is false
	return b
}

func listAt(o *unstructured.Unstructured, fields ...string) []map[string]any {
	items, _, _ := unstructured.NestedSlice(o.Object, fields...) // absent is empty
	var out []map[string]any
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}
