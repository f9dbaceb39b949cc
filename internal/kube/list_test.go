package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/waiters"
)

func TestAListIsSorted(t *testing.T) {
	s := kubetest.New(t)
	for _, at := range []string{"zoo/ant", "flux/zebra", "flux/ant", "flux-system/bee"} {
		namespace, name, _ := strings.Cut(at, "/")
		s.Put(t, object("v1", "ConfigMap", namespace, name, nil))
	}
	items, err := connect(t, s).List(t.Context(), configMapGVK)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range items {
		got = append(got, o.GetNamespace()+"/"+o.GetName())
	}
	if diff := cmp.Diff([]string{"flux/ant", "flux/zebra", "flux-system/bee", "zoo/ant"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOfAKindThatIsNotServedThereIsNothing(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	for _, version := range []string{"v1", ""} {
		if items, err := c.List(t.Context(), schemaKind("example.io", version, "Widget")); err != nil || len(items) > 0 {
			t.Errorf("%q: %v, %v", version, items, err)
		}
	}
}

// Could not look is not empty.
func TestAListThatFailsIsNotEmpty(t *testing.T) {
	for name, tt := range map[string]struct {
		code     int
		reason   string
		terminal bool
		check    func(error) bool
	}{
		"forbidden":    {403, "Forbidden", true, asError[*ForbiddenError]},
		"away":         {503, "ServiceUnavailable", false, apierrors.IsServiceUnavailable},
		"unauthorised": {401, "Unauthorized", true, asError[*UnauthorisedError]},
	} {
		t.Run(name, func(t *testing.T) {
			s := kubetest.New(t)
			s.SetFault(answering("/configmaps", tt.code, tt.reason))
			_, err := connect(t, s).List(t.Context(), configMapGVK)
			if !tt.check(err) || waiters.IsTerminal(err) != tt.terminal {
				t.Errorf("terminal %t, %T %v", waiters.IsTerminal(err), err, err)
			}
		})
	}
}
