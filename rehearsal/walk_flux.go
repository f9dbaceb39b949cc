package rehearsal

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// readFlux takes the version of Flux from the tree that installs it, where nobody
// has said it: a FluxInstance that is held to a minor version, or the manifests of
// `flux bootstrap`. Those beneath the entry go before those elsewhere, and where
// they differ none counts.
func (w *walk) readFlux() {
	if w.opts.Flux != (Flux{}) {
		return
	}
	near, far := map[Flux]bool{}, map[Flux]bool{}
	for _, file := range w.tree.Files(".yaml", ".yml") {
		content, err := w.tree.Read(file)
		if err != nil || !strings.Contains(string(content), "distribution:") && !strings.Contains(string(content), "app.kubernetes.io/part-of: flux") {
			continue
		}
		found := far
		if strings.HasPrefix(file, cleanPath(w.opts.Entry)+"/") {
			found = near
		}
		dec := yaml.NewDecoder(strings.NewReader(string(content)))
		for {
			var fields map[string]any
			if dec.Decode(&fields) != nil {
				break // the end, or not YAML
			}
			if f, err := ParseFlux(fluxVersion(&unstructured.Unstructured{Object: fields})); err == nil && f != (Flux{}) {
				found[f] = true
			}
		}
	}
	if len(near) == 0 {
		near = far
	}
	for f := range near {
		if len(near) == 1 {
			w.opts.Flux = f
		}
	}
}

// fluxVersion is what an object says of the version that is installed; empty if
// nothing.
func fluxVersion(o *unstructured.Unstructured) string {
	switch o.GetKind() {
	case "FluxInstance":
		return text(o, "spec", "distribution", "version")
	case "HelmRelease":
		return text(o, "spec", "values", "instance", "distribution", "version")
	case "":
		return text(o, "instance", "distribution", "version")
	case "Namespace":
		labels, _ := mapOf(o, "metadata")["labels"].(map[string]any)
		if labels["app.kubernetes.io/part-of"] == "flux" {
			version, _ := labels["app.kubernetes.io/version"].(string)
			return version
		}
	}
	return ""
}
