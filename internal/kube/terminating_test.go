package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

func definition(name string) map[string]any {
	return object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", name, nil)
}

// One that is being deleted is named; one that stays, is gone, or may not be
// read, is not.
func TestDefinitionsThatAreBeingDeleted(t *testing.T) {
	s := kubetest.New(t)
	s.Put(t, definition("stays.example.io"))
	s.Put(t, edited(definition("goes.example.io"), "deletionTimestamp", "2026-01-02T03:04:05Z"))
	s.Put(t, edited(definition("hidden.example.io"), "deletionTimestamp", "2026-01-02T03:04:05Z"))
	s.SetFault(answering("/hidden.example.io", 403, "Forbidden"))
	c := connect(t, s)
	going, err := c.Terminating(t.Context(), []string{"stays.example.io", "gone.example.io", "hidden.example.io", "goes.example.io"})
	if diff := cmp.Diff([]string{"goes.example.io"}, going); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	s.SetFault(answering("/stays.example.io", 503, "ServiceUnavailable"))
	if _, err := c.Terminating(t.Context(), []string{"stays.example.io"}); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("could not look: %v", err)
	}
}
