package wedge

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// Owner labels that kustomize-controller sets on what it applies
// (fluxcd/pkg/ssa, manager.go, SetOwnerLabels).
const (
	OwnerName      = "kustomize.toolkit.fluxcd.io/name"
	OwnerNamespace = "kustomize.toolkit.fluxcd.io/namespace"
)

// seed adds to dx what has to be applied early for the kind of f to come: what
// the provider needs from its own set, then the provider.
func (x *exam) seed(ctx context.Context, dx *Diagnosis, f finding) error {
	if !f.Shape.Wedged() || f.Shape == NoCreator {
		return nil
	}
	why := fmt.Sprintf("it brings %s, which %s uses; %s", f.GroupKind(), f.Object.Ref(), f.trap())
	if f.apply.Unstructured != f.provider.Unstructured {
		why = fmt.Sprintf("beneath it is %s, which brings %s, which %s uses; %s", f.Provider.Ref(), f.GroupKind(), f.Object.Ref(), f.trap())
	}
	return x.plant(ctx, dx, planting{set: f.set, owner: f.owner}, f.apply, why)
}

// trap says why the provider never comes by itself.
func (f *finding) trap() string {
	switch f.Shape {
	case SameSet:
		return "both are in one set, of which nothing is applied while the kind is missing"
	case Ancestor:
		return "it is created with the set of which nothing is applied while the kind is missing"
	case GateOrder:
		return fmt.Sprintf("its own set, that of %s, waits for the one that needs the kind", f.Owner)
	case Coming, NoCreator:
	}
	return string(f.Shape)
}

// planting is where objects to apply early come from.
type planting struct {
	set   *manifests.Set
	owner *kustomizev1.Kustomization
	depth int
}

// maxDepth bounds what a malformed set of mutual references can do.
const maxDepth = 16

// plant adds o to the seeds, after what it needs.
func (x *exam) plant(ctx context.Context, dx *Diagnosis, p planting, o manifests.Object, why string) error {
	ref := locate(o).Ref()
	if x.seeded[ref] || p.depth > maxDepth {
		return nil
	}
	x.seeded[ref] = true
	if o.Encrypted {
		there, err := x.exists(ctx, o.Unstructured)
		if err == nil && !there {
			dx.Unmet = append(dx.Unmet, Unmet{
				What:   fmt.Sprintf("%s is needed, is encrypted in git and does not exist in the cluster", ref),
				Remedy: "Create it by hand; standup decrypts nothing.",
			})
		}
		return err
	}
	if err := x.home(ctx, dx, p.set, o); err != nil {
		return err
	}
	x.gate(dx, o)
	p.depth++
	await, err := x.ownKind(ctx, dx, p, o)
	if err != nil {
		return err
	}
	for _, need := range x.needs(p.set, o) {
		there, err := x.exists(ctx, need.Unstructured)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		if err := x.plant(ctx, dx, p, need, fmt.Sprintf("%s needs it", ref)); err != nil {
			return err
		}
	}
	if err := x.operator(ctx, dx, p, o, len(await) > 0); err != nil {
		return err
	}
	seed := Seed{Object: owned(o.Unstructured, p.owner), Owner: refOf(p.owner), Why: why, Await: await}
	seed.Printable, seed.RedactText = p.set.Redact(seed.Object), p.set.RedactText
	dx.Seeds = append(dx.Seeds, seed)
	return nil
}

// home makes sure that o has a namespace: that exists, or is an object of the
// set. One that a chart makes is neither before the chart is installed.
func (x *exam) home(ctx context.Context, dx *Diagnosis, set *manifests.Set, o manifests.Object) error {
	name := o.GetNamespace()
	if name == "" || slices.ContainsFunc(set.Objects, func(n manifests.Object) bool {
		return n.IsNamespace() && n.GetName() == name && !n.LeftAlone()
	}) {
		return nil
	}
	there, err := x.exists(ctx, namespaceNamed(name))
	if err == nil && !there {
		dx.Unmet = append(dx.Unmet, Unmet{
			What:   fmt.Sprintf("Namespace %s, where %s is to be, does not exist and is not in the set", name, locate(o).Ref()),
			Remedy: fmt.Sprintf("Create Namespace %s, or add it to the set: what a chart makes comes too late.", name),
		})
	}
	return err
}

// gate makes sure that a child Kustomization does not wait for the one that is
// wedged: then it would never apply its set, although it exists.
func (x *exam) gate(dx *Diagnosis, o manifests.Object) {
	child, ok := childOf(o)
	if !ok || x.isLive(refOf(child)) {
		return
	}
	for _, d := range child.Spec.DependsOn {
		ref := tiers.KustomizationRef(cmp.Or(d.Namespace, child.Namespace), d.Name)
		if ref != dx.Kustomization && !slices.Contains(x.Behind, ref) {
			continue
		}
		dx.Unmet = append(dx.Unmet, Unmet{
			What:   fmt.Sprintf("%s depends on %s, which cannot become Ready before it", locate(o).Ref(), ref),
			Remedy: fmt.Sprintf("Take %s out of the dependsOn of %s.", ref, locate(o).Ref()),
		})
	}
}

// ownKind makes sure that the kind of o itself can be applied: it is served, or
// something in the same set brings it.
func (x *exam) ownKind(ctx context.Context, dx *Diagnosis, p planting, o manifests.Object) ([]schema.GroupVersionKind, error) {
	gvk := o.GroupVersionKind()
	served, err := x.isServed(ctx, gvk)
	if err != nil || served {
		return nil, err
	}
	for _, other := range p.set.Objects {
		defines, isCRD := definedKind(other)
		if other.Unstructured == o.Unstructured || idle(other) != "" || (!isCRD || defines != gvk.GroupKind()) && !x.brings(ctx, other, p.set, gvk.GroupKind()) {
			continue
		}
		return []schema.GroupVersionKind{gvk}, x.plant(ctx, dx, p, other, fmt.Sprintf("it brings %s, the kind of %s", gvk.GroupKind(), locate(o).Ref()))
	}
	others, err := x.elsewhere(ctx, gvk.GroupKind())
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(others, x.comes) {
		return []schema.GroupVersionKind{gvk}, nil
	}
	if i := slices.IndexFunc(others, func(p place) bool { return x.behind(p.owner) }); i >= 0 {
		from := planting{set: others[i].set, owner: others[i].owner, depth: p.depth}
		return []schema.GroupVersionKind{gvk}, x.plant(ctx, dx, from, others[i].apply, fmt.Sprintf("it brings %s, the kind of %s", gvk.GroupKind(), locate(o).Ref()))
	}
	if guess, ok := x.eliminate(ctx, p.set, gvk); ok && guess.Unstructured != o.Unstructured {
		return []schema.GroupVersionKind{gvk}, x.plant(ctx, dx, p, guess, fmt.Sprintf("by elimination it brings %s, the kind of %s", gvk.GroupKind(), locate(o).Ref()))
	}
	dx.Unmet = append(dx.Unmet, Unmet{
		What:   fmt.Sprintf("%s would bring what is missing, and its own kind, %s, is not served", locate(o).Ref(), gvk.GroupKind()),
		Remedy: fmt.Sprintf("Install what brings %s.", gvk.GroupKind()),
	})
	return nil, nil
}

// operator makes sure that somebody reacts to o: its operator runs, or is in
// the same set, or comes with what brings the kind of o.
func (x *exam) operator(ctx context.Context, dx *Diagnosis, p planting, o manifests.Object, comes bool) error {
	b, ok := x.of(ctx, o, p.set)
	if !ok || b.Entry.Operator == nil || comes || o.IsHelmRelease() || o.GroupVersionKind().Group == "apps" {
		return nil
	}
	wanted := *b.Entry.Operator
	workloads, err := x.doctor.Cluster.List(ctx, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: wanted.Kind})
	if err != nil {
		return fmt.Errorf("look for %s %s: %w", wanted.Kind, wanted.Name, err)
	}
	for i := range workloads {
		if wanted.Runs(workloads[i].Object) {
			return nil
		}
	}
	for _, other := range p.set.Objects {
		if other.LeftAlone() || other.Unstructured == o.Unstructured {
			continue
		}
		if other.GetKind() == wanted.Kind && wanted.Runs(other.Object) || x.installs(ctx, other, p.set, wanted) {
			return x.plant(ctx, dx, p, other, fmt.Sprintf("it is the operator of %s", locate(o).Ref()))
		}
	}
	dx.Unmet = append(dx.Unmet, Unmet{
		What:   fmt.Sprintf("%s %s, the operator that reacts to %s, is not in the cluster", wanted.Kind, tiers.Ref{Namespace: wanted.Namespace, Name: wanted.Name}.NamespacedName(), locate(o).Ref()),
		Remedy: fmt.Sprintf("Install %s first, in a Kustomization that this one depends on.", wanted.Name),
	})
	return nil
}

// owned is o as kustomize-controller would apply it for its owner.
func owned(o *unstructured.Unstructured, owner *kustomizev1.Kustomization) *unstructured.Unstructured {
	u := o.DeepCopy()
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[OwnerName], labels[OwnerNamespace] = owner.Name, owner.Namespace
	u.SetLabels(labels)
	return u
}
