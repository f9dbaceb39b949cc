package manifests

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// switchKey turns substitution off for one object, as a label or an annotation.
const switchKey = "kustomize.toolkit.fluxcd.io/substitute"

// substitution is spec.postBuild of one build.
type substitution struct {
	enabled        bool // spec.postBuild is there
	always, strict bool
	vars           variables

	begun     bool
	undefined []Undefined
}

// newSubstitution reads spec.postBuild. Values are fetched only if some object
// is to be substituted, as the controller does: a set of none needs no Secret.
func newSubstitution(
	ctx context.Context, spec *unstructured.Unstructured, values Values, strict bool, resources []*resource.Resource,
) (*substitution, error) {
	s := &substitution{strict: strict}
	postBuild, found, err := unstructured.NestedMap(spec.Object, "spec", "postBuild")
	if err != nil || !found || postBuild == nil {
		return s, err
	}
	s.enabled = true
	s.always = postBuild["substituteStrategy"] == "Always"
	for _, r := range resources {
		if !isSwitchedOff(r) {
			s.vars, err = loadVariables(ctx, spec, values)
			return s, err
		}
	}
	return s, nil
}

func isSwitchedOff(r *resource.Resource) bool {
	return r.GetLabels(switchKey)[switchKey] == kustomize.DisabledValue ||
		r.GetAnnotations(switchKey)[switchKey] == kustomize.DisabledValue
}

// err is what was found wrong with the variables of the whole set. With a
// source of values missing, nobody knows which variables it would have defined.
func (s *substitution) err() error {
	if len(s.vars.missing) > 0 {
		return errors.Join(s.vars.missing...)
	}
	if len(s.undefined) > 0 {
		return &SubstituteError{Undefined: s.undefined}
	}
	return nil
}

// applies reports whether an object is substituted at all. Without variables it
// is not, so that ${a:=b} stays as it is, unless the strategy is Always.
func (s *substitution) applies(r *resource.Resource) bool {
	return s.enabled && !isSwitchedOff(r) && (len(s.vars.all) > 0 || s.always)
}

// changes reports whether substitution may change an object. Most objects have no
// token, and to substitute them costs more than to build them. The first one is
// done in any case: so the library has looked at the names of the variables.
func (s *substitution) changes(r *resource.Resource) bool {
	first := !s.begun
	s.begun = true
	return first || hasDollar(r.YNode())
}

func hasDollar(n *yaml.Node) bool {
	return strings.Contains(n.Value, "$") || slices.ContainsFunc(n.Content, hasDollar)
}

// undefinedBy lists the variables that an object needs and that are not defined.
func (s *substitution) undefinedBy(r *resource.Resource) []string {
	if !s.strict {
		return nil
	}
	var text strings.Builder
	writeTokens(&text, r.YNode())
	return undefinedIn(text.String(), s.vars.all)
}

// writeTokens writes the values and keys that may have a variable, one a line.
func writeTokens(text *strings.Builder, n *yaml.Node) {
	if strings.Contains(n.Value, "$") {
		text.WriteString(n.Value + "\n")
	}
	for _, inner := range n.Content {
		writeTokens(text, inner)
	}
	if n.Alias != nil {
		writeTokens(text, n.Alias)
	}
}

// keeping adds variables that stand for their own tokens, so that these are left
// as they are and one build finds all that are undefined.
func keeping(vars map[string]string, undefined []string) map[string]string {
	if len(undefined) == 0 {
		return vars
	}
	vars = maps.Clone(vars)
	for _, name := range undefined {
		vars[name] = "${" + name + "}"
	}
	return vars
}

// with substitutes an object with the given variables alone.
func (s *substitution) with(ctx context.Context, r *resource.Resource, vars map[string]string) error {
	inline := map[string]any{}
	for name, value := range vars {
		inline[name] = value
	}
	spec := unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"postBuild": map[string]any{"substitute": inline}},
	}}
	_, err := kustomize.SubstituteVariables(ctx, nil, spec, r,
		kustomize.SubstituteWithDryRun(true), // the values are given
		kustomize.SubstituteWithStrict(s.strict),
		kustomize.SubstituteWithAlways(s.always))
	if err != nil {
		return fmt.Errorf("substitution failed: %w", err)
	}
	return nil
}

// masked are the variables with another value for each that came from a Secret
// and was not overridden.
func (s *substitution) masked() map[string]string {
	vars := maps.Clone(s.vars.all)
	for name, value := range s.vars.secret {
		if vars[name] == value {
			vars[name] = unlike(value)
		}
	}
	return vars
}

// unlike gives a value that differs from another in length and at each place, so
// that whatever is made of the two differs too. It is a plain word: YAML takes
// it anywhere.
func unlike(value string) string {
	other := []byte(value + "standup")
	for i, c := range other {
		if other[i] = 'x'; c == 'x' || c == 'X' {
			other[i] = 'z'
		}
	}
	return string(other)
}
