package kube

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/waiters"
)

func seedling() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object("v1", "ConfigMap", contractNamespace, "vars", nil)}
}

// Whatever is applied early is applied in the name of kustomize-controller,
// takes no field from anybody, and is only tried when that is asked for.
func TestASeedIsAppliedAsItsKustomizationWould(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	if err := c.Seed(t.Context(), seedling(), true); err != nil {
		t.Fatal(err)
	}
	if kept := s.Get(t, "v1", "ConfigMap", contractNamespace, "vars"); kept != nil {
		t.Errorf("a dry-run has left %v", kept)
	}
	if err := c.Seed(t.Context(), seedling(), false); err != nil {
		t.Fatal(err)
	}
	if s.Get(t, "v1", "ConfigMap", contractNamespace, "vars") == nil {
		t.Error("nothing was applied")
	}
	apply := kubetest.Apply{
		Path: "/api/v1/namespaces/contract/configmaps/vars", Manager: "kustomize-controller", Object: seedling().Object,
	}
	try := apply
	try.DryRun = true
	if diff := cmp.Diff([]kubetest.Apply{try, apply}, s.Applies()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	managers := c.mustGet(t, "vars").GetManagedFields()
	if len(managers) != 1 || managers[0].Manager != "kustomize-controller" || managers[0].Operation != "Apply" {
		t.Errorf("its fields belong to %v", managers)
	}
}

func (c *Client) mustGet(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	found, err := c.Get(t.Context(), configMapGVK, contractNamespace, name)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestASeedOfAClusterScopedKind(t *testing.T) {
	s := kubetest.New(t)
	ns := &unstructured.Unstructured{Object: object("v1", "Namespace", "", "cdi", nil)}
	if err := connect(t, s).Seed(t.Context(), ns, false); err != nil || s.Get(t, "v1", "Namespace", "", "cdi") == nil {
		t.Errorf("it is not there: %v", err)
	}
}

// A field of somebody else's is never taken.
func TestASeedThatConflictsIsRefused(t *testing.T) {
	s := kubetest.New(t)
	s.SetConflict("helm")
	err := connect(t, s).Seed(t.Context(), seedling(), false)
	if !apierrors.IsConflict(err) || !waiters.IsTerminal(err) || !strings.Contains(err.Error(), `conflict with "helm"`) {
		t.Errorf("terminal %t, %v", waiters.IsTerminal(err), err)
	}
}

// What is said of the object itself stays said; what is said of the moment may
// pass.
func TestARefusedSeedIsTriedAgainWhereThatHelps(t *testing.T) {
	always := func(error) bool { return true }
	for name, tt := range map[string]struct {
		code            int
		reason, message string
		terminal        bool
		check           func(error) bool
	}{
		"invalid":                       {422, "Invalid", "spec.x: Required value", true, apierrors.IsInvalid},
		"not understood":                {400, "BadRequest", "strict decoding error", true, apierrors.IsBadRequest},
		"a conflict":                    {409, "Conflict", "Apply failed with 1 conflict", true, apierrors.IsConflict},
		"a webhook says no":             {403, "Forbidden", `admission webhook "x" denied the request: no`, true, notForbidden},
		"a webhook says it was bad":     {400, "BadRequest", `admission webhook "x" denied the request: bad`, true, always},
		"a policy says no":              {422, "Invalid", `ValidatingAdmissionPolicy 'x' with binding 'y' denied request: no`, true, always},
		"the authoriser says no":        {403, "Forbidden", `User "x" cannot patch resource "configmaps"`, true, asError[*ForbiddenError]},
		"a webhook does not answer":     {500, "InternalError", `failed calling webhook "x": connection refused`, false, apierrors.IsInternalError},
		"the API server is away":        {503, "ServiceUnavailable", "starting", false, apierrors.IsServiceUnavailable},
		"too much is asked":             {429, "TooManyRequests", "later", false, apierrors.IsTooManyRequests},
		"the namespace is not there":    {404, "NotFound", `namespaces "contract" not found`, false, apierrors.IsNotFound},
		"the credentials are not known": {401, "Unauthorized", "Unauthorized", true, asError[*UnauthorisedError]},
	} {
		t.Run(name, func(t *testing.T) {
			s := kubetest.New(t)
			s.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPatch {
					return false
				}
				kubetest.Fail(w, tt.code, tt.reason, tt.message)
				return true
			})
			err := connect(t, s).Seed(t.Context(), seedling(), true)
			if !tt.check(err) || waiters.IsTerminal(err) != tt.terminal || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("terminal %t, want %t; %T %v", waiters.IsTerminal(err), tt.terminal, err, err)
			}
		})
	}
}

// notForbidden is a No to the object, and none to who asks.
func notForbidden(err error) bool {
	return apierrors.IsForbidden(err) && !asError[*ForbiddenError](err)
}

// G03: nothing is applied of a kind that is not served; once it is, it is.
func TestG03NothingIsAppliedBeforeItsKindIsServed(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	widget := &unstructured.Unstructured{Object: object("example.io/v1", "Widget", contractNamespace, "w", nil)}
	if err := c.Seed(t.Context(), widget, false); !apierrors.IsNotFound(err) || waiters.IsTerminal(err) || !strings.Contains(err.Error(), "Widget.v1.example.io") {
		t.Errorf("terminal %t, %v", waiters.IsTerminal(err), err)
	}
	if got := s.Applies(); len(got) > 0 {
		t.Errorf("it was applied nevertheless: %v", got)
	}
	for _, plural := range []string{"widgets", "widgetz"} { // it comes, and comes back otherwise
		s.Serve("example.io/v1", kubetest.Kind{Plural: plural, Kind: "Widget"})
		if err := c.Seed(t.Context(), widget, false); err != nil {
			t.Errorf("as %s: %v", plural, err)
		}
	}
}
