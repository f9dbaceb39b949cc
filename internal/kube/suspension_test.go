package kube

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/tiers"
)

func claim(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
	at := metav1.NewTime(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC))
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, Time: &at, FieldsV1: metav1.NewFieldsV1(fields)}
}

func TestSuspensionOf(t *testing.T) {
	const (
		apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
		suspends      = `{"f:spec":{"f:path":{},"f:suspend":{}}}`
		other         = `{"f:spec":{"f:path":{}}}`
	)
	later := claim("kubectl-edit", update, suspends)
	later.Time = &metav1.Time{Time: later.Time.Add(time.Hour)}
	status := claim("gotk-kustomize-controller", apply, suspends)
	status.Subresource = "status"
	for _, tt := range []struct {
		name   string
		fields []metav1.ManagedFieldsEntry
		want   suspension
	}{
		{"nobody claims it", nil, suspension{tiers.SuspendedLive, ""}},
		{"flux suspend", []metav1.ManagedFieldsEntry{claim("kustomize-controller", apply, other), claim("flux", update, suspends)}, suspension{tiers.SuspendedLive, "flux"}},
		{"kubectl patch", []metav1.ManagedFieldsEntry{claim("kubectl-patch", update, suspends)}, suspension{tiers.SuspendedLive, "kubectl-patch"}},
		{"kubectl apply --server-side", []metav1.ManagedFieldsEntry{claim("kubectl", apply, suspends)}, suspension{tiers.SuspendedLive, "kubectl"}},
		{"the tree", []metav1.ManagedFieldsEntry{claim("kustomize-controller", apply, suspends)}, suspension{tiers.SuspendedInGit, "kustomize-controller"}},
		{"an operator's tree", []metav1.ManagedFieldsEntry{claim("flux-operator", apply, suspends)}, suspension{tiers.SuspendedInGit, "flux-operator"}},
		{"both: the tree wins", []metav1.ManagedFieldsEntry{later, claim("kustomize-controller", apply, suspends)}, suspension{tiers.SuspendedInGit, "kustomize-controller"}},
		{"two persons: the later", []metav1.ManagedFieldsEntry{claim("flux", update, suspends), later, claim("flux", update, suspends)}, suspension{tiers.SuspendedLive, "kubectl-edit"}},
		{"standup's own apply, of old", []metav1.ManagedFieldsEntry{claim("standup", apply, suspends)}, suspension{tiers.SuspendedLive, "standup"}},
		{"flux bootstrap's apply", []metav1.ManagedFieldsEntry{claim("flux", apply, suspends)}, suspension{tiers.SuspendedLive, "flux"}},
		{"a status of that name", []metav1.ManagedFieldsEntry{status}, suspension{tiers.SuspendedLive, ""}},
		{"unreadable fields", []metav1.ManagedFieldsEntry{claim("x", apply, `[]`), {Manager: "y", Operation: apply}}, suspension{tiers.SuspendedLive, ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := suspensionOf(tt.fields); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestNewItemKeepsLittle(t *testing.T) {
	obj := kustomization("apps", true)
	meta := obj["metadata"].(map[string]any)
	meta["annotations"] = map[string]any{"kubectl.kubernetes.io/last-applied-configuration": "{}", "a": "b"}
	meta["managedFields"] = []any{map[string]any{
		"manager": "kustomize-controller", "operation": "Apply", "fieldsType": "FieldsV1",
		"fieldsV1": map[string]any{"f:spec": map[string]any{"f:suspend": map[string]any{}}},
	}}
	i, err := newItem(tiers.KindKustomization, &unstructured.Unstructured{Object: obj})
	if err != nil {
		t.Fatal(err)
	}
	if i.suspension != (suspension{tiers.SuspendedInGit, "kustomize-controller"}) {
		t.Errorf("suspension %+v", i.suspension)
	}
	if k := i.kustomization; len(k.ManagedFields) != 0 || len(k.Annotations) != 1 || k.Annotations["a"] != "b" {
		t.Errorf("kept %v and %v", k.ManagedFields, k.Annotations)
	}
}

func TestNewItemRefusesWhatDoesNotFit(t *testing.T) {
	obj := kustomization("apps", false)
	obj["spec"].(map[string]any)["path"] = int64(7)
	if _, err := newItem(tiers.KindKustomization, &unstructured.Unstructured{Object: obj}); err == nil {
		t.Error("a path that is a number was read")
	}
}
