package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

func TestValuesAreRead(t *testing.T) {
	s := kubetest.New(t)
	vars := object("v1", "ConfigMap", contractNamespace, "vars", nil)
	vars["data"] = map[string]any{"DOMAIN": "example.test"}
	secret := object("v1", "Secret", contractNamespace, "vars", nil)
	secret["data"] = map[string]any{"TOKEN": "aHVudGVyMg=="}
	s.Put(t, vars)
	s.Put(t, secret)
	c := connect(t, s)
	plain, err := c.ConfigMap(t.Context(), contractNamespace, "vars")
	if diff := cmp.Diff(map[string]string{"DOMAIN": "example.test"}, plain); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	hidden, err := c.Secret(t.Context(), contractNamespace, "vars")
	if diff := cmp.Diff(map[string][]byte{"TOKEN": []byte("hunter2")}, hidden); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// Whoever substitutes with them has to tell "absent" from "may not look".
func TestValuesThatCannotBeRead(t *testing.T) {
	s := kubetest.New(t)
	c := connect(t, s)
	reads := map[string]func() error{
		"configmaps": func() error { _, err := c.ConfigMap(t.Context(), contractNamespace, "x"); return err },
		"secrets":    func() error { _, err := c.Secret(t.Context(), contractNamespace, "x"); return err },
	}
	for name, read := range reads {
		s.SetFault(nil)
		if err := read(); !apierrors.IsNotFound(err) {
			t.Errorf("absent %s: %v", name, err)
		}
		s.SetFault(answering("/"+name+"/x", 403, "Forbidden"))
		if err := read(); !asError[*ForbiddenError](err) || apierrors.IsNotFound(err) {
			t.Errorf("forbidden %s: %v", name, err)
		}
		s.SetFault(answering("/"+name+"/x", 503, "ServiceUnavailable"))
		if err := read(); !apierrors.IsServiceUnavailable(err) {
			t.Errorf("%s while the server is away: %v", name, err)
		}
	}
}
