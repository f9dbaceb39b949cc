package waiters

import "testing"

func TestClassifyHealth(t *testing.T) {
	checkSayings(t, []saying{
		{
			"timeout", "HealthCheckFailed",
			`health check failed after 30.013s: timeout waiting for: [Deployment/apps/web status: 'InProgress']`,
			HealthCheckTimeout, Passing, "Deployment/apps/web",
		},
		{
			"timeout of many", "HealthCheckFailed",
			`health check failed after 5m0.2s: timeout waiting for: [Deployment/apps/a status: 'InProgress', Deployment/apps/b status: 'NotFound', PersistentVolumeClaim/apps/c status: 'InProgress', Job/apps/d status: 'InProgress', Job/apps/e status: 'Unknown': the moon]`,
			HealthCheckTimeout, Passing, "Deployment/apps/a, Deployment/apps/b, PersistentVolumeClaim/apps/c and 2 more",
		},
		{
			"timeout in a stage", "ReconciliationFailed",
			`timeout waiting for: [CustomResourceDefinition/widgets.example.io status: 'InProgress']`,
			HealthCheckTimeout, Passing, "CustomResourceDefinition/widgets.example.io",
		},
		{
			"expression over a missing field", "HealthCheckFailed",
			`health check failed after 3s: timeout waiting for: [ConfigMap/apps/c status: 'Unknown': failed to evaluate the CEL expression 'has(data.foo.bar)': no such attribute(s): data.foo.bar]`,
			HealthCheckTimeout, Passing, "ConfigMap/apps/c",
		},
		{
			"undetermined", "HealthCheckFailed",
			`health check failed after 30s: timeout waiting for: [can't determine status for Deployment/apps/web]`,
			HealthCheckTimeout, Passing, "Deployment/apps/web",
		},
		{
			"failed", "HealthCheckFailed",
			`health check failed after 12.1s: failed early due to stalled resources: [Job/apps/migrate status: 'Failed']`,
			HealthCheckFailed, Terminal, "Job/apps/migrate",
		},
		{
			"failed among slow ones", "HealthCheckFailed",
			`health check failed after 30s: timeout waiting for: [Deployment/apps/web status: 'InProgress', Job/apps/migrate status: 'Failed']`,
			HealthCheckFailed, Terminal, "Job/apps/migrate",
		},
		{
			"HelmRelease", "HealthCheckFailed",
			`health check failed after 1m2s: failed early due to stalled resources: [Job/apps/x status: 'Failed', HelmRelease/platform/cdi status: 'Failed']`,
			HelmRetriesExhausted, Terminal, "HelmRelease/platform/cdi",
		},
	})
}

func TestClassifyHelm(t *testing.T) {
	checkSayings(t, []saying{
		{"retries", "RetriesExceeded", "Failed to install after 1 attempt(s)", HelmRetriesExhausted, Terminal, ""},
		{
			"rollback target", "MissingRollbackTarget",
			"Failed to perform remediation: missing target release for rollback: cannot remediate failed release",
			HelmRetriesExhausted, Terminal, "",
		},
		{"reason alone", "RetriesExceeded", "something new", HelmRetriesExhausted, Terminal, ""},
		{
			"wait", "InstallFailed",
			`Helm install failed for release platform/cdi with chart cdi@1.61.0: context deadline exceeded`,
			HealthCheckTimeout, Passing, "",
		},
		{
			"wait, named", "InstallFailed",
			`Helm install failed for release apps/web with chart web@1.0.0: resource Deployment/apps/web not ready. status: InProgress, message: Available: 0/1` + "\ncontext deadline exceeded",
			HealthCheckTimeout, Passing, "Deployment/apps/web",
		},
		{
			"template", "InstallFailed",
			`Helm install failed for release apps/web with chart web@1.0.0: execution error at (web/templates/deploy.yaml:12:4): image.tag is required`,
			BuildFailed, Terminal, "web/templates/deploy.yaml:12:4",
		},
		{
			"schema", "InstallFailed",
			`Helm install failed for release apps/web with chart web@1.0.0: values don't meet the specifications of the schema(s) in the following chart(s): web: - replicas: Invalid type`,
			BuildFailed, Terminal, "",
		},
		{
			"values object", "ValuesError",
			`could not resolve Secret chart values reference 'apps/web-values' with key 'values.yaml': secrets "web-values" not found`,
			SubstituteMissing, NeedsAction, "Secret apps/web-values",
		},
		{
			"values key", "ValuesError",
			`could not resolve ConfigMap chart values reference 'apps/web-values' with key 'values.yaml': missing key 'values.yaml' in ConfigMap chart values reference 'apps/web-values'`,
			SubstituteMissing, NeedsAction, "key values.yaml of ConfigMap apps/web-values",
		},
		{
			"chart", "SourceNotReady",
			"HelmChart 'flux-system/apps-web' is not ready: latest generation of object has not been reconciled",
			SourceNoArtifact, Passing, "",
		},
	})
}
