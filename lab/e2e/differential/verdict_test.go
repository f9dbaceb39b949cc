package differential

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// model is what the program says about two Kustomizations, of which b depends on a.
func model(t *testing.T, text string) *result {
	t.Helper()
	r := &result{}
	if err := json.Unmarshal([]byte(text), r); err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	bothReady = `{"kustomizations": [
		{"namespace": "x", "name": "a", "verdict": "OK", "readyAfter": {"flux": "1s"}},
		{"namespace": "x", "name": "b", "verdict": "OK", "readyAfter": {"flux": "31s"}}]}`
	kindMissing = `{"kustomizations": [
		{"namespace": "x", "name": "a", "verdict": "DEADLOCK", "class": "same-set", "readyAfter": {}},
		{"namespace": "x", "name": "b", "verdict": "DEADLOCK", "class": "same-set", "blockedBy": "x/a", "readyAfter": {}}],
		"findings": [{"verdict": "DEADLOCK", "class": "same-set", "kustomization": "x/a", "missing": [{"kind": "Widget"}]}]}`
	conditional = `{"kustomizations": [
		{"namespace": "x", "name": "a", "verdict": "PRECONDITION", "class": "decryption", "readyAfter": {"flux": "1s"}},
		{"namespace": "x", "name": "b", "verdict": "UNKNOWN", "class": "source", "readyAfter": {}}]}`
)

func TestADifferenceIsSeen(t *testing.T) {
	t.Parallel()
	ready := func(at int) *history { return &history{ready: true, first: at} }
	failed := func(reason, message string) *history {
		return &history{failures: []failure{{reason, message}}}
	}
	waiting := failed("DependencyNotReady", "dependency 'x/a' is not ready")
	widget := failed("ReconciliationFailed", `Widget/w dry-run failed: no matches for kind "Widget" in version "example.org/v1"`)
	b := func(h history) *history { h.dependsOn = []string{"x/a"}; return &h }
	for _, tc := range []struct {
		name, model string
		a, b        *history
		want        []string
	}{
		{"agreement", bothReady, ready(1), b(*ready(2)), nil},
		{"agreement on a wedge", kindMissing, widget, b(*waiting), nil},
		{"not Ready", bothReady, ready(1), failed("BuildFailed", "no"), []string{"x/b: the model says OK; it is not Ready: the build fails (BuildFailed: no)"}},
		{"never made", bothReady, ready(1), nil, []string{"x/b: the model says OK; it is not Ready: never created"}},
		{"Ready after all", kindMissing, widget, b(*ready(3)), []string{"x/b: the model says DEADLOCK same-set; it is Ready"}},
		{"another kind", kindMissing, failed("ReconciliationFailed", `no matches for kind "Gear" in version "v1"`), b(*waiting), []string{
			`x/a: the model says DEADLOCK same-set; the controller says: a kind is not served (ReconciliationFailed: no matches for kind "Gear" in version "v1")`,
		}},
		{"another reason", kindMissing, failed("BuildFailed", "no"), b(*waiting), []string{
			"x/a: the model says DEADLOCK same-set; the controller says: the build fails (BuildFailed: no)",
		}},
		{"a pass too many", bothReady, &history{ready: true, first: 1, failures: widget.failures}, b(*ready(2)), []string{
			`x/a: the model says OK; a pass of it failed: ReconciliationFailed: Widget/w dry-run failed: no matches for kind "Widget" in version "example.org/v1"`,
		}},
		{"the wrong order", bothReady, ready(5), b(*ready(2)), []string{"x/b turned Ready before x/a"}},
		{"what is not known is not claimed", conditional, failed("BuildFailed", "no key"), ready(1), nil},
	} {
		seen := map[string]*history{"x/a": tc.a}
		if tc.b != nil {
			seen["x/b"] = tc.b
		}
		if diff := cmp.Diff(tc.want, compare(model(t, tc.model), seen)); diff != "" {
			t.Errorf("%s: want -, got +\n%s", tc.name, diff)
		}
	}
	strange := map[string]*history{"x/a": ready(1), "x/b": ready(2), "x/c": ready(3)}
	if diff := cmp.Diff([]string{"x/c: the model does not know it; it exists"}, compare(model(t, bothReady), strange)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAControllerSaysIsRead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		reason, message string
		want            stop
		kind            string
	}{
		{"DependencyNotReady", "dependency 'x/a' is not ready", byDependency, ""},
		{"DependencyNotReady", `dependency 'x/a' not found: kustomizations.kustomize.toolkit.fluxcd.io "a" not found`, byNoSuch, ""},
		{"ReconciliationFailed", `Gear/g dry-run failed: no matches for kind "Gear" in version "example.org/v1"`, byKind, "Gear"},
		{"ReconciliationFailed", `ConfigMap/n/c not found: namespaces "n" not found`, byNamespace, ""},
		{"ReconciliationFailed", `pods "p" is forbidden: error looking up service account m/sa: serviceaccount "sa" not found`, byAdmission, ""},
		{"BuildFailed", "substitute from 'ConfigMap/v' error", byBuild, ""},
		{"ArtifactFailed", "kustomization path not found: stat /a: no such file or directory", byBuild, ""},
		{"ArtifactFailed", "Source artifact not found, retrying in 30s", bySource, ""},
		{"HealthCheckFailed", "timeout waiting for: [Deployment/default/d status: 'InProgress']", byHealth, ""},
		{"ReconciliationFailed", "timeout waiting for: [WidgetClass/w status: 'NotFound']", bySkipped, ""},
		{"ReconciliationFailed", "something that nobody has seen before", byElse, ""},
		{"InvalidCELExpression", "failed to parse the CEL expression 'status.('", byExpression, ""},
		{"DependencyNotReady", "dependency 'x/a' is not ready according to readyExpr eval", byExpression, ""},
	} {
		h := history{failures: []failure{{tc.reason, tc.message}}}
		if got, kind := h.why(); got != tc.want || kind != tc.kind {
			t.Errorf("%s: %s: got %q %q, want %q %q", tc.reason, tc.message, got, kind, tc.want, tc.kind)
		}
	}
	if got, _ := (&history{}).why(); got != byNothing {
		t.Errorf("of nothing: %q", got)
	}
	if got, _ := (&history{suspended: true}).why(); got != bySuspension {
		t.Errorf("of a suspended one: %q", got)
	}
}
