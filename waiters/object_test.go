package waiters

import (
	"testing"
	"time"
)

// judged is one manifest and what is seen of it.
type judged struct {
	name, manifest string
	want           Observation
}

func checkJudged(t *testing.T, cases []judged) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			checkSeen(t, JudgeObject(object(t, tc.manifest), false, time.Unix(0, 0)), tc.want)
		})
	}
}

func TestJudgeObjectDispatch(t *testing.T) {
	checkSeen(t, JudgeObject(nil, true, time.Unix(0, 0)), Observation{State: Missing, Reason: "NotFound", Message: "does not exist"})
	checkJudged(t, []judged{
		{
			"nested Kustomization",
			`{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {namespace: ns, name: x, generation: 1},
			  status: {observedGeneration: 1, lastAppliedRevision: a, conditions: [{type: Ready, status: "True", observedGeneration: 1, reason: ReconciliationSucceeded, message: done}]}}`,
			Observation{State: Ready, Reason: "ReconciliationSucceeded", Message: "done", Revision: "a"},
		},
		{
			"source",
			`{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmChart, metadata: {namespace: ns, name: x, generation: 1}, status: {observedGeneration: -1}}`,
			Observation{State: Progressing, Reason: "NotObserved", Message: "the controller has not looked at it yet"},
		},
		{
			"a source's kind in another group",
			`{apiVersion: example.io/v1, kind: Bucket, metadata: {namespace: ns, name: x, generation: 1}}`,
			Observation{State: Ready, Reason: "Current", Message: "Resource is current"},
		},
		{
			"wrong types in a known kind",
			`{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {namespace: ns, name: x}, spec: {suspend: 7}}`,
			Observation{
				State: Progressing, Reason: "Unreadable", Message: "unrecognized type: bool",
				Cause: Cause{Kind: Unclassified, Class: Passing},
			},
		},
		{
			"wrong types in a source",
			`{apiVersion: source.toolkit.fluxcd.io/v1, kind: Bucket, metadata: {namespace: ns, name: x}, spec: {suspend: 7}}`,
			Observation{
				State: Progressing, Reason: "Unreadable", Message: "Bucket ns/x cannot be read: unrecognized type: bool",
				Cause: Cause{Kind: Unclassified, Class: Passing},
			},
		},
	})
}

func TestJudgeCRD(t *testing.T) {
	crd := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.io, generation: 1}, status: {conditions: `
	checkJudged(t, []judged{
		{
			"new", crd + `[]}}`,
			Observation{State: Progressing, Reason: "Installing", Message: "is not established yet"},
		},
		{
			"installing", crd + `[{type: NamesAccepted, status: "True", reason: NoConflicts}, {type: Established, status: "False", reason: Installing}]}}`,
			Observation{State: Progressing, Reason: "Installing", Message: "is not established yet"},
		},
		{
			"established", crd + `[{type: NamesAccepted, status: "True"}, {type: Established, status: "True", reason: InitialNamesAccepted}]}}`,
			Observation{State: Ready, Reason: "Established", Message: "is established"},
		},
		{
			"names taken", crd + `[{type: NamesAccepted, status: "False", reason: PluralConflict, message: '"widgets" is already in use'}]}}`,
			Observation{
				State: Stalled, Reason: "PluralConflict", Message: `"widgets" is already in use`,
				Cause: Cause{Kind: InvalidObject, Class: Terminal, Subject: "CustomResourceDefinition/widgets.example.io"},
			},
		},
		{
			"going", `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: w, deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {conditions: [{type: Established, status: "True"}]}}`,
			Observation{State: Progressing, Reason: "Deleting", Message: "being deleted"},
		},
		{
			"unreadable", crd + `7}}`,
			Observation{
				State: Progressing, Reason: "Unreadable", Message: "cannot restore slice from int64",
				Cause: Cause{Kind: Unclassified, Class: Passing},
			},
		},
	})
}

func TestJudgeHelmRelease(t *testing.T) {
	hr := `{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {namespace: platform, name: cdi, generation: 1}, status: {observedGeneration: 1, lastAttemptedRevision: 1.2.3, conditions: `
	checkJudged(t, []judged{
		{
			"ready", hr + `[{type: Ready, status: "True", observedGeneration: 1, reason: InstallSucceeded, message: Helm install succeeded}]}}`,
			Observation{State: Ready, Reason: "InstallSucceeded", Message: "Helm install succeeded", Revision: "1.2.3"},
		},
		{
			"ready, and working on it", hr + `[{type: Ready, status: "True", observedGeneration: 1, reason: InstallSucceeded, message: x}, {type: Reconciling, status: "True", observedGeneration: 1, reason: Progressing, message: "Running 'upgrade' action with timeout of 5m0s"}]}}`,
			Observation{State: Progressing, Reason: "InstallSucceeded", Message: "Running 'upgrade' action with timeout of 5m0s", Revision: "1.2.3"},
		},
		{
			"installing", hr + `[{type: Ready, status: Unknown, observedGeneration: 1, reason: Progressing, message: "Running 'install' action with timeout of 5m0s"}]}}`,
			Observation{State: Progressing, Reason: "Progressing", Message: "Running 'install' action with timeout of 5m0s", Revision: "1.2.3"},
		},
		{
			"blocked", hr + `[{type: Ready, status: "False", observedGeneration: 1, reason: DependencyNotReady, message: "dependency 'platform/db' is not ready"}]}}`,
			Observation{
				State: Blocked, Reason: "DependencyNotReady", Message: "dependency 'platform/db' is not ready", Revision: "1.2.3",
				Cause: Cause{Kind: DependencyNotReady, Class: Passing, Subject: "platform/db"},
			},
		},
		{
			"retrying", hr + `[{type: Ready, status: "False", observedGeneration: 1, reason: InstallFailed, message: "Helm install failed for release platform/cdi with chart cdi@1.2.3: context deadline exceeded"}, {type: Reconciling, status: "True", observedGeneration: 1, reason: ProgressingWithRetry, message: x}]}}`,
			Observation{
				State: Retrying, Reason: "InstallFailed", Message: "Helm install failed for release platform/cdi with chart cdi@1.2.3: context deadline exceeded", Revision: "1.2.3",
				Cause: Cause{Kind: HealthCheckTimeout, Class: Passing},
			},
		},
		{
			"gave up", hr + `[{type: Ready, status: "False", observedGeneration: 1, reason: InstallFailed, message: "Helm install failed: context deadline exceeded"}, {type: Stalled, status: "True", observedGeneration: 1, reason: RetriesExceeded, message: Failed to install after 1 attempt(s)}]}}`,
			Observation{
				State: Stalled, Reason: "RetriesExceeded", Message: "Failed to install after 1 attempt(s): Helm install failed: context deadline exceeded", Revision: "1.2.3",
				Cause: Cause{Kind: HelmRetriesExhausted, Class: Terminal, Subject: "HelmRelease/platform/cdi"},
			},
		},
		{
			"suspended", `{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {namespace: platform, name: cdi}, spec: {suspend: true}}`,
			Observation{State: Suspended, Reason: "Suspended", Message: "spec.suspend is true"},
		},
	})
}

func TestJudgeJob(t *testing.T) {
	job := `{apiVersion: batch/v1, kind: Job, metadata: {namespace: apps, name: migrate}, spec: {completions: 2}, status: `
	checkJudged(t, []judged{
		{"new", job + `{}}`, Observation{State: Progressing, Reason: "Running", Message: "0 of 2 succeeded"}},
		{
			"running is not ready", job + `{startTime: "2026-01-01T00:00:00Z", active: 1, succeeded: 1}}`,
			Observation{State: Progressing, Reason: "Running", Message: "1 of 2 succeeded"},
		},
		{
			"complete", job + `{succeeded: 2, conditions: [{type: SuccessCriteriaMet, status: "True"}, {type: Complete, status: "True"}]}}`,
			Observation{State: Ready, Reason: "Complete", Message: "2 of 2 succeeded"},
		},
		{
			"failed", job + `{failed: 7, conditions: [{type: Failed, status: "True", reason: BackoffLimitExceeded, message: Job has reached the specified backoff limit}]}}`,
			Observation{
				State: Stalled, Reason: "JobFailed", Message: "0 of 2 succeeded: BackoffLimitExceeded: Job has reached the specified backoff limit",
				Cause: Cause{Kind: HealthCheckFailed, Class: Terminal, Subject: "Job/apps/migrate"},
			},
		},
		{
			"suspended", job + `{conditions: [{type: Complete, status: "False"}, {type: Suspended, status: "True"}]}}`,
			Observation{State: Suspended, Reason: "Suspended", Message: "spec.suspend is true"},
		},
		{
			"going", `{apiVersion: batch/v1, kind: Job, metadata: {namespace: apps, name: m, deletionTimestamp: "2026-01-01T00:00:00Z"}}`,
			Observation{State: Progressing, Reason: "Deleting", Message: "being deleted"},
		},
	})
}
