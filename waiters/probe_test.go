package waiters

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// cluster is the hand fake of what probes look at.
type cluster struct {
	object *unstructured.Unstructured // nil: not found
	served bool
	dryRun error
	err    error
}

func (c cluster) Get(_ context.Context, gvk schema.GroupVersionKind, _, name string) (*unstructured.Unstructured, error) {
	if c.err == nil && c.object == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, name)
	}
	return c.object, c.err
}

func (c cluster) Served(context.Context, schema.GroupVersionKind) (bool, error) {
	return c.served, c.err
}

func (c cluster) DryRunCreate(context.Context, *unstructured.Unstructured) error { return c.dryRun }

func checkLook(t *testing.T, p Probe, want Observation) {
	t.Helper()
	got, err := p.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkSeen(t, got, want)
}

func checkLookFails(t *testing.T, p Probe, want error) {
	t.Helper()
	if got, err := p.Observe(t.Context()); !errors.Is(err, want) {
		t.Errorf("got %+v, %v; want %v", got, err, want)
	}
}

var (
	profile = Target{GVK: schema.GroupVersionKind{Group: "cdi.kubevirt.io", Version: "v1beta1", Kind: "StorageProfile"}, Name: "longhorn-vm"}
	web     = Target{GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, Namespace: "apps", Name: "web"}
	errDown = errors.New("connection refused")
	notHere = Observation{State: Missing, Reason: "NotFound", Message: "does not exist"}
)

func TestTargetNames(t *testing.T) {
	for want, target := range map[string]Target{"StorageProfile/longhorn-vm": profile, "Deployment/apps/web": web} {
		if got := target.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestKindServed(t *testing.T) {
	checkLook(t, NewKindServed("cdi", cluster{served: true}, profile.GVK), Observation{State: Ready, Reason: "Served", Message: "is served"})
	checkLook(t, NewKindServed("cdi", cluster{}, profile.GVK), Observation{
		State: Missing, Reason: "NotServed", Message: "is not served yet",
		Cause: Cause{Kind: MissingKind, Class: NeedsAction, Subject: "StorageProfile.cdi.kubevirt.io"},
	})
	checkLookFails(t, NewKindServed("cdi", cluster{err: errDown}, profile.GVK), errDown)
	if name := NewKindServed("cdi", cluster{}, profile.GVK).Name(); name != "cdi" {
		t.Errorf("name is %q", name)
	}
}

func TestWorkloadAvailable(t *testing.T) {
	up := object(t, `{apiVersion: apps/v1, kind: DaemonSet, metadata: {namespace: apps, name: web, generation: 1}, status: {observedGeneration: 1, desiredNumberScheduled: 0}}`)
	checkLook(t, NewWorkloadAvailable("web", cluster{object: up}, web), Observation{State: Ready, Reason: "Available", Message: "0 of 0 available"})
	checkLook(t, NewWorkloadAvailable("web", cluster{}, web), notHere)
	checkLookFails(t, NewWorkloadAvailable("web", cluster{err: errDown}, web), errDown)
	if name := NewWorkloadAvailable("web", cluster{}, web).Name(); name != "web" {
		t.Errorf("name is %q", name)
	}
}

func TestWebhookAnswers(t *testing.T) {
	obj := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: apps, name: canary}}`)
	call := `Internal error occurred: failed calling webhook "v.example.io": failed to call webhook: Post "https://v.apps.svc:443/": dial tcp 10.0.0.1:443: connect: connection refused`
	for _, tc := range []struct {
		name string
		err  error
		want Observation
	}{
		{"admitted", nil, Observation{State: Ready, Reason: "Admitted", Message: "the dry run was admitted"}},
		{
			"exists", apierrors.NewAlreadyExists(schema.GroupResource{Resource: "configmaps"}, "canary"),
			Observation{State: Ready, Reason: "Admitted", Message: "the dry run was admitted; the object exists"},
		},
		{
			"no is an answer", errors.New(`admission webhook "v.example.io" denied the request: no`),
			Observation{State: Ready, Reason: "Denied", Message: `admission webhook "v.example.io" denied the request: no`},
		},
		{
			"does not answer", errors.New(call),
			Observation{
				State: Progressing, Reason: "WebhookUnavailable", Message: call,
				Cause: Cause{Kind: WebhookUnavailable, Class: Passing, Subject: "webhook v.example.io"},
			},
		},
		{
			"namespace is on the way", apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "apps"),
			Observation{
				State: Progressing, Reason: "MissingNamespace", Message: `namespaces "apps" not found`,
				Cause: Cause{Kind: MissingNamespace, Class: NeedsAction, Subject: "Namespace apps"},
			},
		},
		{
			"the probe's own object is wrong", errors.New(`ConfigMap "canary" is invalid: metadata.name: Invalid value: "x": no`),
			Observation{
				State: Stalled, Reason: "InvalidObject", Message: `ConfigMap "canary" is invalid: metadata.name: Invalid value: "x": no`,
				Cause: Cause{Kind: InvalidObject, Class: Terminal, Subject: `ConfigMap "canary"`},
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checkLook(t, NewWebhookAnswers("w", cluster{dryRun: tc.err}, obj), tc.want)
		})
	}
	forbidden := TerminalError(errors.New("forbidden"))
	checkLookFails(t, NewWebhookAnswers("w", cluster{dryRun: errDown}, obj), errDown)
	checkLookFails(t, NewWebhookAnswers("w", cluster{dryRun: forbidden}, obj), forbidden)
	if name := NewWebhookAnswers("w", cluster{}, obj).Name(); name != "w" {
		t.Errorf("name is %q", name)
	}
}
