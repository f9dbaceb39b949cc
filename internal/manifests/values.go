package manifests

import (
	"context"
	"fmt"
	"maps"

	"github.com/fluxcd/pkg/kustomize"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Values gives the data of the objects that spec.postBuild.substituteFrom names.
// What does not exist is an error for which apierrors.IsNotFound is true.
type Values interface {
	ConfigMap(ctx context.Context, namespace, name string) (map[string]string, error)
	Secret(ctx context.Context, namespace, name string) (map[string][]byte, error)
}

// variables are what a set is substituted with.
type variables struct {
	all     map[string]string // by name; inline ones win
	secret  map[string]string // those that came from Secrets
	missing []error           // a *MissingValuesError each, in order
}

// loadVariables resolves substituteFrom and the inline variables. That a needed
// object is missing is in the result and not the error, so that all are found.
func loadVariables(ctx context.Context, spec *unstructured.Unstructured, values Values) (variables, error) {
	vars := variables{}
	reader := &reader{values: values, absent: map[reference]bool{}}
	ctx = kustomize.ContextWithSecretVarsCollector(ctx, func(found map[string]string) { vars.secret = found })
	var err error
	if vars.all, err = kustomize.LoadVariables(ctx, reader, *spec); err != nil {
		return variables{}, err
	}
	inline, _, err := unstructured.NestedStringMap(spec.Object, "spec", "postBuild", "substitute")
	if err != nil {
		return variables{}, err
	}
	maps.Copy(vars.all, inline)
	references, _, err := unstructured.NestedSlice(spec.Object, "spec", "postBuild", "substituteFrom")
	if err != nil {
		return variables{}, err
	}
	for _, r := range references {
		fields, _ := r.(map[string]any)
		kind, _, _ := unstructured.NestedString(fields, "kind")
		name, _, _ := unstructured.NestedString(fields, "name")
		optional, _, _ := unstructured.NestedBool(fields, "optional")
		if ref := (reference{kind, name}); !optional && reader.absent[ref] {
			vars.missing = append(vars.missing, &MissingValuesError{Kind: kind, Namespace: spec.GetNamespace(), Name: name})
			delete(reader.absent, ref) // said once
		}
	}
	return vars, nil
}

type reference struct{ kind, name string }

// reader is the client that the library asks for, as far as it uses it. It
// answers for an absent object with an empty one, and remembers.
type reader struct {
	client.Client // nil: anything but Get is a fault of ours

	values Values
	absent map[reference]bool
}

// Get reads a ConfigMap or Secret.
func (r *reader) Get(ctx context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	var kind string
	var err error
	switch o := into.(type) {
	case *corev1.ConfigMap:
		if kind = "ConfigMap"; r.values != nil {
			o.Data, err = r.values.ConfigMap(ctx, key.Namespace, key.Name)
		}
	case *corev1.Secret:
		if kind = "Secret"; r.values != nil {
			o.Data, err = r.values.Secret(ctx, key.Namespace, key.Name)
		}
	default:
		return fmt.Errorf("values cannot come from a %T", into)
	}
	if r.values == nil || apierrors.IsNotFound(err) {
		r.absent[reference{kind, key.Name}] = true
		return nil
	}
	if err != nil {
		return &unreadable{err}
	}
	return nil
}

// unreadable is an error of Values: one could not look, which says nothing about
// the set.
type unreadable struct{ err error }

func (e *unreadable) Error() string { return e.err.Error() }
func (e *unreadable) Unwrap() error { return e.err }
