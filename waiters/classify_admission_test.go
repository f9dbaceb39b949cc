package waiters

import "testing"

func TestClassifyWebhook(t *testing.T) {
	// What stands behind "failed calling webhook" differs; the cause does not.
	post := `ExternalSecret/tailscale/creds dry-run failed (InternalError): Internal error occurred: failed calling webhook "validate.externalsecret.external-secrets.io": failed to call webhook: Post "https://external-secrets-webhook.external-secrets.svc:443/validate?timeout=5s": `
	subject := "webhook validate.externalsecret.external-secrets.io"
	checkSayings(t, []saying{
		{
			"refused", "ReconciliationFailed",
			post + "dial tcp 10.96.12.7:443: connect: connection refused",
			WebhookUnavailable, Passing, subject,
		},
		{
			"no endpoints", "ReconciliationFailed",
			post + `no endpoints available for service "external-secrets-webhook"`,
			WebhookUnavailable, Passing, subject,
		},
		{
			"no service", "ReconciliationFailed",
			post + `service "external-secrets-webhook" not found`,
			WebhookUnavailable, Passing, subject,
		},
		{
			"deadline", "ReconciliationFailed",
			post + "context deadline exceeded",
			WebhookUnavailable, Passing, subject,
		},
		{"EOF", "ReconciliationFailed", post + "EOF", WebhookUnavailable, Passing, subject},
		{
			"authority", "ReconciliationFailed",
			post + "tls: failed to verify certificate: x509: certificate signed by unknown authority",
			WebhookUnavailable, Passing, subject,
		},
		{
			"conversion", "ReconciliationFailed",
			`CDI/cdi dry-run failed: conversion webhook for cdi.kubevirt.io/v1beta1, Kind=CDI failed: Post "https://cdi-api.cdi.svc:443/convert?timeout=30s": dial tcp 10.96.1.9:443: connect: connection refused`,
			WebhookUnavailable, Passing, "webhook for cdi.kubevirt.io/v1beta1, Kind=CDI",
		},
		{
			"Helm", "InstallFailed",
			`Helm install failed for release monitoring/vmks with chart victoria-metrics-k8s-stack@0.72.5: failed to create resource: Internal error occurred: failed calling webhook "vmalerts.operator.victoriametrics.com": failed to call webhook: Post "https://vmks-operator.monitoring.svc:9443/validate?timeout=10s": context deadline exceeded`,
			WebhookUnavailable, Passing, "webhook vmalerts.operator.victoriametrics.com",
		},
	})
}

func TestClassifyDenied(t *testing.T) {
	checkSayings(t, []saying{
		{
			"webhook", "ReconciliationFailed",
			`Deployment/apps/web dry-run failed (Forbidden): admission webhook "validate.kyverno.svc-fail" denied the request: resource Deployment/apps/web was blocked due to the following policies`,
			AdmissionDenied, NeedsAction, "webhook validate.kyverno.svc-fail",
		},
		{
			"webhook that answers 400", "ReconciliationFailed",
			`Ingress/apps/web dry-run failed (BadRequest): admission webhook "validate.nginx.ingress.kubernetes.io" denied the request: host "web.example.com" and path "/" is already defined in ingress apps/old`,
			AdmissionDenied, NeedsAction, "webhook validate.nginx.ingress.kubernetes.io",
		},
		{
			"webhook without dry run", "ReconciliationFailed",
			`CouchbaseBucket/couchbase/blocker dry-run failed, reason: BadRequest, error: admission webhook "couchbase-operator.couchbase.svc" does not support dry run`,
			AdmissionDenied, NeedsAction, "webhook couchbase-operator.couchbase.svc",
		},
		{
			"policy", "ReconciliationFailed",
			`Deployment/apps/web dry-run failed (Invalid): deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'no-latest-apps' denied request: failed expression: !object.spec.template.spec.containers.exists(c, c.image.endsWith(':latest'))`,
			AdmissionDenied, NeedsAction, "ValidatingAdmissionPolicy no-latest",
		},
		{
			"pod security", "ReconciliationFailed",
			`Pod/apps/debug dry-run failed (Forbidden): pods "debug" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false`,
			AdmissionDenied, NeedsAction, "PodSecurity restricted:latest",
		},
		{
			"quota", "ReconciliationFailed",
			`PersistentVolumeClaim/apps/data dry-run failed (Forbidden): persistentvolumeclaims "data" is forbidden: exceeded quota: storage, requested: requests.storage=1Ti, used: requests.storage=0, limited: requests.storage=100Gi`,
			AdmissionDenied, NeedsAction, "ResourceQuota storage",
		},
		{ // seen on the lab
			"service account", "ReconciliationFailed",
			`Pod/default/check dry-run failed (Forbidden): pods "check" is forbidden: error looking up service account default/runner: serviceaccount "runner" not found`,
			AdmissionDenied, NeedsAction, "ServiceAccount default/runner",
		},
		{
			"priority", "ReconciliationFailed",
			`Pod/default/check dry-run failed (Forbidden): pods "check" is forbidden: no PriorityClass with name urgent was found`,
			AdmissionDenied, NeedsAction, "PriorityClass urgent",
		},
		{
			"runtime class", "ReconciliationFailed",
			`Pod/default/check dry-run failed (Forbidden): pods "check" is forbidden: pod rejected: RuntimeClass "gvisor" not found`,
			AdmissionDenied, NeedsAction, "RuntimeClass gvisor",
		},
		{
			"limit range", "ReconciliationFailed",
			`Pod/default/check dry-run failed (Forbidden): pods "check" is forbidden: maximum cpu usage per Container is 1, but limit is 2`,
			AdmissionDenied, NeedsAction, "LimitRange",
		},
	})
}

func TestClassifyImmutable(t *testing.T) {
	checkSayings(t, []saying{
		{
			"selector", "ReconciliationFailed",
			`Deployment/apps/web dry-run failed (Invalid): Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"web2"}}: field is immutable`,
			ImmutableField, Terminal, "Deployment/apps/web",
		},
		{
			"stateful set", "ReconciliationFailed",
			`StatefulSet/apps/db dry-run failed (Invalid): StatefulSet.apps "db" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
			ImmutableField, Terminal, "StatefulSet/apps/db",
		},
		{
			"claim", "ReconciliationFailed",
			`PersistentVolumeClaim/apps/data dry-run failed (Invalid): PersistentVolumeClaim "data" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims`,
			ImmutableField, Terminal, "PersistentVolumeClaim/apps/data",
		},
		{
			"storage class", "ReconciliationFailed",
			`StorageClass/longhorn dry-run failed (Invalid): StorageClass.storage.k8s.io "longhorn" is invalid: parameters: Forbidden: updates to parameters are forbidden.`,
			ImmutableField, Terminal, "StorageClass/longhorn",
		},
		{
			"service address", "ReconciliationFailed",
			`Service/apps/web dry-run failed (Invalid): Service "web" is invalid: spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set`,
			ImmutableField, Terminal, "Service/apps/web",
		},
		{
			"role reference", "ReconciliationFailed",
			`ClusterRoleBinding/admin dry-run failed (Invalid): ClusterRoleBinding.rbac.authorization.k8s.io "admin" is invalid: roleRef: Invalid value: {"kind":"ClusterRole","name":"x"}: cannot change roleRef`,
			ImmutableField, Terminal, "ClusterRoleBinding/admin",
		},
		{
			"CEL", "ReconciliationFailed",
			`Engine/apps/e dry-run failed (Invalid): Engine.example.io "e" is invalid: spec.mode: Invalid value: "string": Value is immutable`,
			ImmutableField, Terminal, "Engine/apps/e",
		},
		{
			"webhook", "ReconciliationFailed",
			`IAMPolicyMember/infra/m dry-run failed (Forbidden): admission webhook "deny-immutable-field-updates.cnrm.cloud.google.com" denied the request: the IAMPolicyMember's spec is immutable`,
			ImmutableField, Terminal, "IAMPolicyMember/infra/m",
		},
	})
}
