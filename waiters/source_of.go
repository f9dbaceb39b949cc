package waiters

import (
	"fmt"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// anySource is what the kinds of sources have in common, as far as judging
// needs it. Reading it beats six typed conversions: the API versions differ
// between Flux releases, these fields do not.
type anySource struct {
	Spec struct {
		Suspend  bool   `json:"suspend"`
		URL      string `json:"url"`
		Endpoint string `json:"endpoint"` // Bucket
		Type     string `json:"type"`     // HelmRepository
	} `json:"spec"`
	Status struct {
		ObservedGeneration     int64              `json:"observedGeneration"`
		LastHandledReconcileAt string             `json:"lastHandledReconcileAt"`
		Conditions             []metav1.Condition `json:"conditions"`
		Artifact               *meta.Artifact     `json:"artifact"`
	} `json:"status"`
}

// SourceOf reads a GitRepository, OCIRepository, Bucket, ExternalArtifact,
// HelmRepository or HelmChart.
func SourceOf(u *unstructured.Unstructured) (Source, error) {
	if !isSource(u) {
		return Source{}, fmt.Errorf("%s %s/%s is not a Flux source", u.GroupVersionKind(), u.GetNamespace(), u.GetName())
	}
	var in anySource
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &in); err != nil {
		return Source{}, fmt.Errorf("%s %s/%s cannot be read: %w", u.GetKind(), u.GetNamespace(), u.GetName(), err)
	}
	url := in.Spec.URL
	if url == "" {
		url = in.Spec.Endpoint
	}
	return Source{
		Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(),
		Generation: u.GetGeneration(), ObservedGeneration: in.Status.ObservedGeneration,
		Suspended: in.Spec.Suspend, URL: url,
		Conditions: in.Status.Conditions, Artifact: in.Status.Artifact,
		Static:      u.GetKind() == sourcev1.HelmRepositoryKind && in.Spec.Type == sourcev1.HelmRepositoryTypeOCI,
		RequestedAt: u.GetAnnotations()[meta.ReconcileRequestAnnotation],
		LastHandled: in.Status.LastHandledReconcileAt,
		Deleting:    u.GetDeletionTimestamp() != nil,
	}, nil
}

func isSource(u *unstructured.Unstructured) bool {
	if u.GroupVersionKind().Group != sourcev1.GroupVersion.Group {
		return false
	}
	switch u.GetKind() {
	case sourcev1.GitRepositoryKind, sourcev1.OCIRepositoryKind, sourcev1.BucketKind,
		sourcev1.ExternalArtifactKind, sourcev1.HelmRepositoryKind, sourcev1.HelmChartKind:
		return true
	}
	return false
}
