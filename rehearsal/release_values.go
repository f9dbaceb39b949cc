package rehearsal

import (
	"cmp"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// releaseOf reads what a HelmRelease says of its chart.
func (w *walk) releaseOf(o manifests.Object) catalog.Release {
	r := catalog.Release(manifests.ReleaseOf(o.Unstructured, func(kind, namespace, name string) *unstructured.Unstructured {
		return w.sources[tiers.Ref{Kind: kind, Namespace: namespace, Name: name}].Unstructured
	}))
	if r.Partial {
		r.Values, r.Partial = w.valuesFrom(o, r.Values)
	}
	return r
}

// valuesFrom merges the values of a release with those that it takes from
// ConfigMaps and Secrets of the tree, in the order of helm-controller
// (fluxcd/pkg/chartutil, ChartValuesFromReferences). Something that is not in the
// tree, is encrypted, or goes to a single path, leaves them partial.
func (w *walk) valuesFrom(o manifests.Object, own map[string]any) (values map[string]any, partial bool) {
	values = map[string]any{}
	for _, from := range listAt(o.Unstructured, "spec", "valuesFrom") {
		ref := &unstructured.Unstructured{Object: from}
		data, ok := w.dataOf(objectKey{kind: text(ref, "kind"), namespace: o.GetNamespace(), name: text(ref, "name")})
		content, found := data[cmp.Or(text(ref, "valuesKey"), "values.yaml")]
		var more map[string]any
		if !ok || !found || text(ref, "targetPath") != "" || yaml.Unmarshal(content, &more) != nil {
			partial = true
			continue
		}
		values = merged(values, more)
	}
	return merged(values, own), partial
}

// dataOf gives the content of a ConfigMap or Secret of the tree that can be read.
func (w *walk) dataOf(key objectKey) (map[string][]byte, bool) {
	o, ok := w.values[key]
	if !ok || o.Encrypted {
		return nil, false
	}
	data := map[string][]byte{}
	if key.kind == "Secret" {
		return secretData(o), true
	}
	for name, value := range mapAt(o.Unstructured, "data") {
		s, _ := value.(string)
		data[name] = []byte(s)
	}
	return data, true
}

// merged lays one set of values over another, as Helm does: maps are merged, all
// else is replaced.
func merged(below, above map[string]any) map[string]any {
	done := maps.Clone(below)
	if done == nil {
		done = map[string]any{}
	}
	for key, value := range above {
		if over, ok := value.(map[string]any); ok {
			if under, ok := done[key].(map[string]any); ok {
				value = merged(under, over)
			}
		}
		done[key] = value
	}
	return done
}
