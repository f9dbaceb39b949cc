package bootstrap

import (
	"cmp"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
)

// Snapshot reads from the world what a plan is made from.
func Snapshot(w World) tiers.Snapshot {
	var s tiers.Snapshot
	for _, k := range w.Kustomizations() {
		s.Kustomizations = append(s.Kustomizations, kustomizationOf(w, k))
	}
	for _, src := range w.Sources() {
		ref := tiers.Ref{Kind: src.Kind, Namespace: src.Namespace, Name: src.Name}
		s.Sources = append(s.Sources, tiers.Source{Ref: ref, Suspension: w.Suspension(ref), Settled: src.Artifact != nil})
	}
	return s
}

func kustomizationOf(w World, k *kustomizev1.Kustomization) tiers.Kustomization {
	ref := tiers.KustomizationRef(k.Namespace, k.Name)
	t := tiers.Kustomization{
		Ref:           ref,
		Source:        sourceOf(k),
		DependsOn:     dependenciesOf(k),
		Parent:        parentOf(k),
		Waits:         k.Spec.Wait,
		Suspension:    w.Suspension(ref),
		Settled:       satisfiesDependents(k, wanted(w, k)),
		Interval:      k.Spec.Interval.Duration,
		RetryInterval: k.GetRetryInterval(),
	}
	if k.Spec.Wait {
		return t // the controller ignores healthChecks then
	}
	for _, c := range k.Spec.HealthChecks {
		if c.Kind == kustomizev1.KustomizationKind {
			t.Waits = true
			t.WaitsFor = append(t.WaitsFor, tiers.KustomizationRef(cmp.Or(c.Namespace, k.Namespace), c.Name))
		}
	}
	return t
}

// sourceOf resolves spec.sourceRef; its namespace defaults to the object's.
func sourceOf(k *kustomizev1.Kustomization) tiers.Ref {
	r := tiers.Ref{Kind: k.Spec.SourceRef.Kind, Namespace: k.Spec.SourceRef.Namespace, Name: k.Spec.SourceRef.Name}
	if r.Namespace == "" {
		r.Namespace = k.Namespace
	}
	return r
}

func dependenciesOf(k *kustomizev1.Kustomization) []tiers.Ref {
	var deps []tiers.Ref
	for _, d := range k.Spec.DependsOn {
		ns := d.Namespace
		if ns == "" {
			ns = k.Namespace
		}
		deps = append(deps, tiers.KustomizationRef(ns, d.Name))
	}
	return deps
}

// parentOf returns zero for a root, and for one that applies itself.
func parentOf(k *kustomizev1.Kustomization) tiers.Ref {
	name, namespace := k.Labels[wedge.OwnerName], k.Labels[wedge.OwnerNamespace]
	if name == "" || (name == k.Name && namespace == k.Namespace) {
		return tiers.Ref{}
	}
	return tiers.KustomizationRef(namespace, name)
}

// wanted is the revision that k should be at: its source's current artifact.
func wanted(w World, k *kustomizev1.Kustomization) string {
	src, ok := w.Source(sourceOf(k))
	if !ok || src.Artifact == nil {
		return ""
	}
	return src.Artifact.Revision
}

// satisfiesDependents is kustomize-controller's own check of a dependency
// (kustomization_controller.go, checkDependencies): it does not ask whether the
// dependency is suspended.
func satisfiesDependents(k *kustomizev1.Kustomization, wanted string) bool {
	return k.Generation == k.Status.ObservedGeneration &&
		apimeta.IsStatusConditionTrue(k.Status.Conditions, meta.ReadyCondition) &&
		(wanted == "" || k.Status.LastAppliedRevision == wanted)
}

// hasHealthChecks reports whether the controller itself judges what it applied.
func hasHealthChecks(k *kustomizev1.Kustomization) bool {
	return k.Spec.Wait || len(k.Spec.HealthChecks) > 0
}
