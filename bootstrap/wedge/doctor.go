package wedge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// Sets builds what a Kustomization would apply, as its controller does. The
// errors are those of manifests, or of fetching the source's artifact.
type Sets interface {
	Set(ctx context.Context, k *kustomizev1.Kustomization) (*manifests.Set, error)
}

// Cluster answers what a diagnosis asks of the API server, uncached.
type Cluster interface {
	// Get returns an error that IsNotFound recognises when the object, or its
	// kind, does not exist.
	Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error)
	// Served reports whether the API server serves the kind now.
	Served(ctx context.Context, gvk schema.GroupVersionKind) (bool, error)
	// List returns the objects of a kind in all namespaces, sorted.
	List(ctx context.Context, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error)
}

// Doctor diagnoses. All fields are required.
type Doctor struct {
	Sets    Sets
	Cluster Cluster
	Catalog *catalog.Catalog
}

// Case is what a diagnosis is made of, besides the cluster itself.
type Case struct {
	Kustomization *kustomizev1.Kustomization
	// Says is the kind that the controller says is missing; zero when it has
	// not said so.
	Says schema.GroupVersionKind
	// All are the Kustomizations of the cluster.
	All []*kustomizev1.Kustomization
	// Behind are those that cannot start because of this one.
	Behind []tiers.Ref
	// Comes reports whether another Kustomization will apply its set by itself.
	Comes func(*kustomizev1.Kustomization) bool
}

// Diagnose looks at one Kustomization that fails, or is about to fail, on a
// missing kind. The errors are those of building its set, and of the cluster.
func (d *Doctor) Diagnose(ctx context.Context, c Case) (*Diagnosis, error) {
	if c.Kustomization.Spec.KubeConfig != nil {
		return nil, &ElsewhereError{Kustomization: refOf(c.Kustomization)}
	}
	x := newExam(d, c)
	ref := refOf(c.Kustomization)
	set, err := x.set(ctx, c.Kustomization)
	if err != nil {
		return nil, err
	}
	dx := &Diagnosis{
		Kustomization: ref, Revision: c.Kustomization.Status.LastAttemptedRevision,
		Behind: c.Behind,
	}
	absent, err := x.absent(ctx, set)
	if err != nil {
		return nil, err
	}
	if err := x.namespaces(ctx, dx, set); err != nil {
		return nil, err
	}
	if len(absent)+len(dx.Namespaces) == 0 && c.Says.Kind != "" {
		served, err := x.isServed(ctx, c.Says)
		if err != nil {
			return nil, err
		}
		if served {
			dx.Stale = c.Says
		}
		return dx, nil
	}
	dx.Residue = residueOf(set, absent)
	for _, o := range absent {
		m, err := x.missing(ctx, set, o)
		if err != nil {
			return nil, err
		}
		dx.Missing = append(dx.Missing, m.Missing)
		if err := x.seed(ctx, dx, m); err != nil {
			return nil, err
		}
	}
	return dx, nil
}

// ElsewhereError says that a Kustomization applies to another cluster
// (spec.kubeConfig): what this API server serves says nothing of it.
type ElsewhereError struct{ Kustomization tiers.Ref }

// Error names it.
func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("%s applies its set to another cluster (spec.kubeConfig), which standup does not look at", e.Kustomization)
}

// exam is one diagnosis under way: what has been asked already.
type exam struct {
	doctor *Doctor
	Case

	served map[schema.GroupVersionKind]bool
	sets   map[tiers.Ref]*manifests.Set
	seeded map[tiers.Ref]bool
}

func newExam(d *Doctor, c Case) *exam {
	return &exam{
		doctor: d, Case: c,
		served: map[schema.GroupVersionKind]bool{}, sets: map[tiers.Ref]*manifests.Set{}, seeded: map[tiers.Ref]bool{},
	}
}

func (x *exam) set(ctx context.Context, k *kustomizev1.Kustomization) (*manifests.Set, error) {
	ref := refOf(k)
	if set, ok := x.sets[ref]; ok {
		return set, nil
	}
	set, err := x.doctor.Sets.Set(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	x.sets[ref] = set
	return set, nil
}

func (x *exam) isServed(ctx context.Context, gvk schema.GroupVersionKind) (bool, error) {
	if served, ok := x.served[gvk]; ok {
		return served, nil
	}
	served, err := x.doctor.Cluster.Served(ctx, gvk)
	if err != nil {
		return false, fmt.Errorf("is %s served: %w", gvk.GroupKind(), err)
	}
	x.served[gvk] = served
	return served, nil
}

func (x *exam) exists(ctx context.Context, o *unstructured.Unstructured) (bool, error) {
	_, err := x.doctor.Cluster.Get(ctx, o.GroupVersionKind(), o.GetNamespace(), o.GetName())
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// absent returns the first object of each kind that the set uses, that the API
// server does not serve and that no CRD of the set defines, sorted by kind.
func (x *exam) absent(ctx context.Context, set *manifests.Set) ([]manifests.Object, error) {
	defined, seen := definedBy(set), map[schema.GroupVersionKind]bool{}
	var first []manifests.Object
	for _, o := range set.Objects {
		gvk := o.GroupVersionKind()
		if o.LeftAlone() || defined[gvk.GroupKind()] || seen[gvk] {
			continue
		}
		seen[gvk] = true
		served, err := x.isServed(ctx, gvk)
		if err != nil {
			return nil, err
		}
		if !served {
			first = append(first, o)
		}
	}
	slices.SortFunc(first, func(a, b manifests.Object) int {
		x, y := a.GroupVersionKind(), b.GroupVersionKind()
		return cmp.Or(strings.Compare(x.GroupKind().String(), y.GroupKind().String()), strings.Compare(x.Version, y.Version))
	})
	return first, nil
}

// definedBy lists the kinds whose CRDs are in the set: those are applied, and
// waited for, in a stage of their own.
func definedBy(set *manifests.Set) map[schema.GroupKind]bool {
	kinds := map[schema.GroupKind]bool{}
	for _, o := range set.Objects {
		if gk, ok := definedKind(o); ok && !o.LeftAlone() {
			kinds[gk] = true
		}
	}
	return kinds
}

// definedKind is the kind that a CustomResourceDefinition defines.
func definedKind(o manifests.Object) (schema.GroupKind, bool) {
	d, ok := o.Defines()
	return schema.GroupKind{Group: d.Group, Kind: d.Kind}, ok
}

// idle says why an object brings nothing although it is written in git; empty
// when it does.
func idle(o manifests.Object) string {
	if o.LeftAlone() {
		return "kustomize-controller is told to leave it alone"
	}
	suspended, _, _ := unstructured.NestedBool(o.Object, "spec", "suspend") // absent: it is not
	if suspended && o.IsHelmRelease() {
		return "it is suspended"
	}
	return ""
}

func refOf(k *kustomizev1.Kustomization) tiers.Ref {
	return tiers.KustomizationRef(k.Namespace, k.Name)
}

func locate(o manifests.Object) Located {
	return Located{
		APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(),
		File: o.File, Line: o.Line,
	}
}
