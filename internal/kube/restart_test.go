package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/waiters"
)

// A restart marks the pods, as kubectl rollout restart does, and changes
// nothing else.
func TestAControllerIsRestarted(t *testing.T) {
	s := kubetest.New(t)
	before := deployment("kustomize-controller", nil)
	edited(before, "namespace", "flux-system")
	s.Put(t, before)
	if err := connect(t, s).Restart(t.Context(), "kustomize-controller", "RUN"); err != nil {
		t.Fatal(err)
	}
	after := s.Get(t, "apps/v1", "Deployment", "flux-system", "kustomize-controller")
	marked, _, err := unstructured.NestedStringMap(after, "spec", "template", "metadata", "annotations")
	if diff := cmp.Diff(map[string]string{"kubectl.kubernetes.io/restartedAt": "RUN"}, marked); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	unstructured.RemoveNestedField(after, "spec", "template", "metadata", "annotations")
	if diff := cmp.Diff(before["spec"], after["spec"]); diff != "" {
		t.Errorf("it changed (-want +got):\n%s", diff)
	}
}

func TestARestartThatFails(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	if err := c.Restart(t.Context(), "kustomize-controller", "RUN"); !apierrors.IsNotFound(err) {
		t.Errorf("of nobody: %v", err)
	}
	s.SetFault(answering("/kustomize-controller", 403, "Forbidden"))
	if err := c.Restart(t.Context(), "kustomize-controller", "RUN"); !asError[*ForbiddenError](err) || !waiters.IsTerminal(err) {
		t.Errorf("forbidden: %v", err)
	}
	s.SetFault(answering("/kustomize-controller", 503, "ServiceUnavailable"))
	if err := c.Restart(t.Context(), "kustomize-controller", "RUN"); waiters.IsTerminal(err) || !apierrors.IsServiceUnavailable(err) {
		t.Errorf("away: %v", err)
	}
}
