package kube

import (
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/waiters"
)

func TestDryRunCreate(t *testing.T) {
	refusing := func(message string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || r.URL.Query().Get("dryRun") != "All" {
				return false
			}
			kubetest.Fail(w, 403, "Forbidden", message)
			return true
		}
	}
	for _, tt := range []struct {
		name     string
		fault    func(http.ResponseWriter, *http.Request) bool
		kind     string
		check    func(error) bool
		terminal bool
	}{
		{"accepted", nil, "ConfigMap", func(err error) bool { return err == nil }, false},
		{"a webhook says no", refusing(`admission webhook "w" denied the request: no`), "ConfigMap", apierrors.IsForbidden, false},
		{"not allowed", refusing(`User "u" cannot create resource "configmaps" in API group ""`), "ConfigMap", asError[*ForbiddenError], true},
		{"the kind is not served", nil, "Thing", apierrors.IsNotFound, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := kubetest.New(t)
			s.SetFault(tt.fault)
			u := &unstructured.Unstructured{Object: object("v1", tt.kind, contractNamespace, "probe", nil)}
			err := connect(t, s).DryRunCreate(t.Context(), u)
			if !tt.check(err) || waiters.IsTerminal(err) != tt.terminal {
				t.Errorf("terminal %t, %v", waiters.IsTerminal(err), err)
			}
		})
	}
}
