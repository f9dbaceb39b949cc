package wedge_test

import (
	"errors"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"

	"github.com/standup-sh/standup/bootstrap/wedge"
)

// What this API server serves says nothing of the cluster that a kubeConfig
// leads to: nothing may be applied here for what is missing there.
func TestAKustomizationOfAnotherClusterIsNotDiagnosed(t *testing.T) {
	t.Parallel()
	k := &kustomizev1.Kustomization{}
	k.Name, k.Namespace = "far", "flux-system"
	k.Spec.KubeConfig = &meta.KubeConfigReference{}
	_, err := (&wedge.Doctor{}).Diagnose(t.Context(), wedge.Case{Kustomization: k})
	var elsewhere *wedge.ElsewhereError
	if !errors.As(err, &elsewhere) || elsewhere.Kustomization.Name != "far" {
		t.Errorf("got %v", err)
	}
}
