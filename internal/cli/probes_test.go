package cli

import (
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

// withProbe is a TIER_ORDER file whose first tier is done only when the probe
// holds.
func withProbe(probe string) string {
	return "tiers:\n  - name: cilium\n    probes:\n      - " + strings.ReplaceAll(strings.TrimSpace(probe), "\n", "\n        ") + "\n  - name: platform\n  - name: apps\n"
}

const widgets = `
name: widgets
kindServed: {group: example.io, kind: Widget}
`

func TestResumeProbes(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, nil)
	f.Serve("example.io/v1", kubetest.Kind{Plural: "widgets", Kind: "Widget"})
	f.golden(t, "resume-probe", ExitOK, "resume", "-f", f.order(t, withProbe(widgets)))
	f.wrote(t, "cilium", "platform", "apps")
}

// The next tier waits until the probe holds.
func TestResumeWaitsForAProbe(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, nil)
	r := f.start(t, "resume", "-v", "-f", f.order(t, withProbe(widgets)))
	r.errs.await(t, "probe widgets: missing")
	f.wrote(t, "cilium")
	f.Serve("example.io/v1", kubetest.Kind{Plural: "widgets", Kind: "Widget"})
	if code := r.end(t); code != ExitOK {
		t.Errorf("exit code %d\n%s", code, r.errs)
	}
	f.wrote(t, "cilium", "platform", "apps")
}

func TestResumeGivesAProbeItsTime(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, nil)
	text, code := f.run(t, "resume", "-f", f.order(t, withProbe(widgets+"timeout: 1s\n")))
	if code != ExitOutOfTime || !strings.Contains(text, "Cause: probe widgets, tier cilium") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	f.wrote(t, "cilium")
}

// A probe that cannot work is found before anything is changed.
func TestResumeRefusesAProbeThatCannotWork(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	text, code := f.run(t, "resume", "-f", f.order(t, withProbe(`
name: ready
object: {apiVersion: v1, kind: ConfigMap, namespace: flux-system, name: ready}
current: data.ready ==
`)))
	if code != ExitUsage || !strings.Contains(text, "standup: TIER_ORDER.yaml:6:9: probe ready: current: ") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	f.unchanged(t)
}
