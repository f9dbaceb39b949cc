package waiters

import (
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// JudgeObject judges an object of any kind; nil is Missing. hasStatus says
// that objects of its kind normally have a status. This switch is the one
// place that knows which kinds are judged by more than kstatus.
func JudgeObject(u *unstructured.Unstructured, hasStatus bool, now time.Time) Observation {
	if u == nil {
		return missing()
	}
	switch gk := u.GroupVersionKind().GroupKind(); gk {
	case schema.GroupKind{Group: kustomizev1.GroupVersion.Group, Kind: kustomizev1.KustomizationKind}:
		return judgeAs(u, func(k *kustomizev1.Kustomization) Observation { return JudgeKustomization(k, "") })
	case schema.GroupKind{Group: helmv2.GroupVersion.Group, Kind: helmv2.HelmReleaseKind}:
		return judgeAs(u, judgeHelmRelease)
	case schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:
		return judgeCRD(u)
	case schema.GroupKind{Group: "apps", Kind: "Deployment"},
		schema.GroupKind{Group: "apps", Kind: "StatefulSet"},
		schema.GroupKind{Group: "apps", Kind: "DaemonSet"}:
		return judgeWorkload(u)
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		return judgeJob(u)
	}
	if isSource(u) {
		s, err := SourceOf(u)
		if err != nil {
			return unreadable(err)
		}
		return JudgeSource(s)
	}
	return judgeAny(u, hasStatus, now)
}

// judgeAs judges u as the typed T.
func judgeAs[T any](u *unstructured.Unstructured, judge func(*T) Observation) Observation {
	typed := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		return unreadable(err)
	}
	return judge(typed)
}

// unreadable is for objects whose fields do not have the types that their
// kind promises. Waiting is all that can be done: somebody must replace them.
func unreadable(err error) Observation {
	return Observation{
		State: Progressing, Reason: "Unreadable", Message: Shorten(err.Error()),
		Cause: newCause(Unclassified, ""),
	}
}

// named names an object as Flux's messages do: Kind/namespace/name.
func named(u *unstructured.Unstructured) string {
	return Target{GVK: u.GroupVersionKind(), Namespace: u.GetNamespace(), Name: u.GetName()}.String()
}
