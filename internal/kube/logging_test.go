package kube

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/klog/v2"
)

// The table owns stderr: what client-go logs goes to whoever connected last.
func TestKlogIsOurs(t *testing.T) {
	var lines []string
	record := func(format string, args ...any) { lines = append(lines, sprintf(format, args...)) }
	redirectKlog(t.Logf)
	redirectKlog(record)
	klog.InfoS("watch ended", "kind", "Kustomization")
	klog.ErrorS(errors.New("gone"), "list failed")
	klog.Warning("old API")
	redirectKlog(func(string, ...any) {})
	got := strings.Join(lines, "\n")
	for _, want := range []string{`"msg"="watch ended" "kind"="Kustomization"`, `"msg"="list failed" "error"="gone"`, "old API"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}

func TestOnlyRealWarningsAreTold(t *testing.T) {
	var told int
	w := warnings{func(string, ...any) { told++ }}
	w.HandleWarningHeader(299, "-", "v1beta1 is deprecated")
	w.HandleWarningHeader(199, "-", "noise")
	w.HandleWarningHeader(299, "-", "")
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

func TestReadinessOf(t *testing.T) {
	for status, want := range map[int]readiness{200: ready, 500: starting, 503: starting, 403: starting, 401: readinessUnknown, 404: readinessUnknown} {
		if got := readinessOf(status); got != want {
			t.Errorf("%d: %d", status, got)
		}
	}
}
