// Package schemas knows what the API server refuses about an object by its form
// alone, whatever else is in the cluster: its name and labels, fields that its
// kind does not have, values of the wrong type, what is required and not there.
//
// Native kinds are judged with the schema that client-go carries, Flux's own with
// the definitions that are generated from its API modules, others with the
// CustomResourceDefinitions that are given. What only the API server's code
// decides (most rules over several fields, CEL rules, webhooks) is not judged.
package schemas

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// Set is the schemas of a cluster. It is not safe for concurrent use.
type Set struct {
	native func() managedfields.TypeConverter
	flux   func() (map[schema.GroupVersionKind]*definition, error)
	given  map[schema.GroupVersionKind][]*definition
}

// New is a set that knows the native kinds and those of Flux. It reads their
// schemas, which takes a tenth of a second, beside what its caller does next.
func New() *Set {
	s := &Set{
		native: sync.OnceValue(newNative), flux: sync.OnceValues(newFlux),
		given: map[schema.GroupVersionKind][]*definition{},
	}
	go func() {
		s.native()
		_, _ = s.flux() // Check tells
	}()
	return s
}

// Define adds the kinds of a CustomResourceDefinition to the set. It lists what
// the API server refuses about the definition itself, whose kinds are not known
// then. Of a kind that is defined more than once the mildest definition counts.
func (s *Set) Define(crd *unstructured.Unstructured) []string {
	defined, faults := define(crd)
	for gvk, d := range defined {
		s.given[gvk] = append(s.given[gvk], d)
	}
	return faults
}

// Check lists what the API server refuses about an object, as PATH: WHAT, and
// without any value that may be a secret; nil if nothing is known against it. The
// error is that of a program that was built with definitions it cannot read.
func (s *Set) Check(o *unstructured.Unstructured) ([]string, error) {
	gvk := o.GroupVersionKind()
	definitions := s.given[gvk]
	if len(definitions) == 0 {
		flux, err := s.flux()
		if err != nil {
			return nil, err
		}
		if d := flux[gvk]; d != nil {
			definitions = append(definitions, d)
		}
	}
	if len(definitions) == 0 {
		return append(metadata(o), nativeFaults(s.native(), o)...), nil
	}
	return append(metadata(o), mildest(definitions, o)...), nil
}

func mildest(definitions []*definition, o *unstructured.Unstructured) []string {
	var least []string
	for i, d := range definitions {
		if faults := d.check(o); i == 0 || len(faults) < len(least) {
			least = faults
		}
	}
	return least
}
