package schemas

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// The definitions of Flux's kinds, made by controller-gen of the API modules that
// go.mod pins (tools/flux-definitions.sh), as the controllers' own are.
//
//go:embed flux/*.yaml
var fluxFiles embed.FS

// newFlux reads the embedded definitions.
func newFlux() (map[schema.GroupVersionKind]*definition, error) {
	files, err := fluxFiles.ReadDir("flux")
	if err != nil {
		return nil, fmt.Errorf("definitions of Flux: %w", err)
	}
	all := map[schema.GroupVersionKind]*definition{}
	for _, f := range files {
		text, err := fluxFiles.ReadFile(path.Join("flux", f.Name()))
		if err != nil {
			return nil, fmt.Errorf("definitions of Flux: %w", err)
		}
		crd := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &crd.Object); err != nil {
			return nil, fmt.Errorf("definition %s: %w", f.Name(), err)
		}
		defined, faults := define(crd)
		if len(faults) > 0 {
			return nil, fmt.Errorf("definition %s: %s", f.Name(), strings.Join(faults, "; "))
		}
		maps.Copy(all, defined)
	}
	return all, nil
}
