package rehearsal

import (
	_ "embed"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/tiers"
)

//go:embed builtin.yaml
var builtinYAML []byte

// Baseline is what exists before Flux starts, besides what every Kubernetes and
// every Flux has.
type Baseline struct {
	APIVersion string       `yaml:"apiVersion"`
	Kind       string       `yaml:"kind"`
	Kubernetes string       `yaml:"kubernetes,omitempty"`
	Flux       BaselineFlux `yaml:"flux,omitempty"`
	// Kinds are API groups, or group/Kind.
	Kinds   []string         `yaml:"kinds,omitempty"`
	Objects []BaselineObject `yaml:"objects,omitempty"`
}

// BaselineFlux is the Flux that is installed.
type BaselineFlux struct {
	Version    string   `yaml:"version,omitempty"`
	Components []string `yaml:"components,omitempty"`
}

// BaselineObject is an object that exists, or is known not to.
type BaselineObject struct {
	Kind      string `yaml:"kind"`
	Namespace string `yaml:"namespace,omitempty"`
	Name      string `yaml:"name"`
	// Absent says that the object is known not to exist: a precondition that
	// names it fails then.
	Absent bool `yaml:"absent,omitempty"`
}

// ParseBaseline reads a Baseline file. Its errors are FileErrors.
func ParseBaseline(file string, data []byte) (Baseline, error) {
	var b Baseline
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	dec.KnownFields(true)
	if err := dec.Decode(&b); err != nil && !errors.Is(err, io.EOF) {
		return b, &tiers.FileError{File: file, Line: 1, Message: "the baseline cannot be read: " + err.Error()}
	}
	if b.APIVersion != "standup/v1" || b.Kind != "Baseline" {
		return b, &tiers.FileError{File: file, Line: 1, Message: "this is not a baseline", Hint: "it begins with apiVersion: standup/v1 and kind: Baseline"}
	}
	for _, o := range b.Objects {
		if o.Kind == "" || o.Name == "" {
			return b, &tiers.FileError{File: file, Line: 1, Message: "an object of the baseline has no kind or no name"}
		}
	}
	return b, nil
}

func (b Baseline) absent(kind, namespace, name string) bool {
	return slices.Contains(b.Objects, BaselineObject{Kind: kind, Namespace: namespace, Name: name, Absent: true})
}

// builtins are the kinds of Kubernetes itself and of Flux's controllers.
type builtins struct {
	Kubernetes string         `yaml:"kubernetes"`
	Kinds      []catalog.Kind `yaml:"kinds"`
	// Components are the kinds that each Flux controller brings.
	Components map[string][]catalog.Kind `yaml:"components"`
}

func loadBuiltins() (builtins, error) {
	var b builtins
	err := yaml.Unmarshal(builtinYAML, &b)
	return b, err
}

// kinds lists what the API server serves before Flux starts.
func (b builtins) kinds(components []string) []catalog.Kind {
	if len(components) == 0 {
		components = defaultComponents()
	}
	kinds := slices.Clone(b.Kinds)
	for _, c := range components {
		kinds = append(kinds, b.Components[c]...)
	}
	return kinds
}
