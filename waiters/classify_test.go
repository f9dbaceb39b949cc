package waiters

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// saying is one thing that a controller says, and what it means.
type saying struct {
	name            string
	reason, message string
	kind            CauseKind
	class           Class
	subject         string
}

// checkSayings holds every saying against Classify. Each classifier file has
// its own list beside it; the texts are the controllers' own.
func checkSayings(t *testing.T, sayings []saying) {
	t.Helper()
	for _, s := range sayings {
		t.Run(s.name, func(t *testing.T) {
			got := Classify(s.reason, s.message)
			remedy := got.Remedy
			got.Remedy = ""
			want := Cause{Kind: s.kind, Class: s.class, Subject: s.subject}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Classify(%q, %q) (-want +got):\n%s", s.reason, s.message, diff)
			}
			checkRemedy(t, remedy)
		})
	}
}

// checkRemedy holds a remedy to what it promises: one sentence.
func checkRemedy(t *testing.T, remedy string) {
	t.Helper()
	if !strings.HasSuffix(remedy, ".") || strings.Contains(remedy, "{}") || strings.Contains(remedy, "\n") {
		t.Errorf("remedy %q is not one finished sentence", remedy)
	}
}

func TestClassifyByReasonAlone(t *testing.T) {
	checkSayings(t, []saying{
		{"nothing said", "", "", Unclassified, Passing, ""},
		{"nothing known", "ReconciliationFailed", "the moon is in the wrong house", Unclassified, Passing, ""},
		{"build", "BuildFailed", "something new", BuildFailed, Terminal, ""},
		{"health", "HealthCheckFailed", "context canceled", HealthCheckTimeout, Passing, ""},
		{"prune", "PruneFailed", "something new", PruneFailed, Passing, ""},
		{"dependency", "DependencyNotReady", "something new", DependencyNotReady, Passing, ""},
		{"artifact", "ArtifactFailed", "something new", SourceNoArtifact, Passing, ""},
		{
			"authentication", "AuthenticationFailed",
			"invalid 'dummy' secret data: required fields 'accesskey' and 'secretkey'",
			SourceUnauthorised, NeedsAction, "",
		},
		{"git", "GitOperationFailed", "something new", SourceUnreachable, Passing, ""},
		{
			"chart values", "ValuesFilesError",
			"values files merge error: no values file found at path 'x.yaml'",
			BuildFailed, Terminal, "",
		},
		{
			"chart signature", "ChartVerificationError",
			"chart verification error: no signature",
			SourceUnverified, NeedsAction, "",
		},
	})
}

func TestClassifyInvalidSpec(t *testing.T) {
	checkSayings(t, []saying{
		{
			"health check expression", "InvalidCELExpression",
			"Reconciliation failed terminally due to configuration error: failed to create custom status evaluator for healthchecks[0]: failed to parse the expression Current: failed to parse the CEL expression 'status.': ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'",
			InvalidSpec, Terminal, "",
		},
		{
			"cross-namespace source", "AccessDenied",
			"can't access 'GitRepository/other/app', cross-namespace references have been blocked",
			InvalidSpec, Terminal, "",
		},
		{
			"external artifact gate", "AccessDenied",
			"can't access 'ExternalArtifact/flux-system/app', ExternalArtifact feature gate is disabled",
			InvalidSpec, Terminal, "",
		},
		{
			"workload identity gate", "FeatureGateDisabled",
			"to use spec.decryption.serviceAccountName for decryption authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller",
			InvalidSpec, Terminal, "",
		},
		{
			"source URL", "URLInvalid", `failed to parse url '://': parse "://": missing protocol scheme`, InvalidSpec, Terminal, "",
		},
		{
			"bucket STS", "InvalidSTSConfiguration",
			"STS provider 'aws' is not supported for 'generic' bucket provider",
			InvalidSpec, Terminal, "",
		},
	})
}

// The controller appends to an error what it had changed before, line by
// line; those lines are no part of the cause.
func TestClassifyIgnoresTheChangeLog(t *testing.T) {
	log := "\nNamespace/timeout created\nDeployment/apps/connection-refused configured\n"
	message := `StorageProfile/longhorn dry-run failed: no matches for kind "StorageProfile" in version "cdi.kubevirt.io/v1beta1"`
	if diff := cmp.Diff(Classify("ReconciliationFailed", message), Classify("ReconciliationFailed", message+log)); diff != "" {
		t.Errorf("the change log makes a difference:\n%s", diff)
	}
	if got := Shorten(message + log); got != message {
		t.Errorf("Shorten keeps the change log: %q", got)
	}
}

func TestStalledCause(t *testing.T) {
	for _, tc := range []struct {
		name            string
		reason, message string
		want            CauseKind
	}{
		{"nothing known is a fault of the spec", "Whatever", "whatever", InvalidSpec},
		{"a known text keeps its cause", "RetriesExceeded", "Failed to install after 1 attempt(s)", HelmRetriesExhausted},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := stalledCause(&metav1.Condition{Reason: tc.reason, Message: tc.message}); got.Kind != tc.want {
				t.Errorf("got %s, want %s", got.Kind, tc.want)
			}
		})
	}
}
