package waiters

import "testing"

func TestClassifyInvalidObject(t *testing.T) {
	checkSayings(t, []saying{
		{
			"field", "ReconciliationFailed",
			`Service/apps/web dry-run failed (Invalid): Service "web" is invalid: spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive`,
			InvalidObject, Terminal, "Service/apps/web",
		},
		{
			"older text", "ReconciliationFailed",
			`Service/apps/web dry-run failed, reason: Invalid, error: Service "web" is invalid: spec.ports: Required value`,
			InvalidObject, Terminal, "Service/apps/web",
		},
		{
			"typed patch", "ReconciliationFailed",
			`Deployment/apps/web dry-run failed: failed to create typed patch object (apps/web; apps/v1, Kind=Deployment): .spec.template.spec.containerz: field not declared in schema`,
			InvalidObject, Terminal, "Deployment/apps/web",
		},
		{
			"decoding", "ReconciliationFailed",
			`Secret/apps/token dry-run failed (BadRequest): Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 4`,
			InvalidObject, Terminal, "Secret/apps/token",
		},
		{
			"strict decoding", "ReconciliationFailed",
			`CDI/cdi dry-run failed (BadRequest): strict decoding error: unknown field "spec.foo"`,
			InvalidObject, Terminal, "CDI/cdi",
		},
		{
			"Helm", "InstallFailed",
			`Helm install failed for release apps/web with chart web@1.0.0: failed to create resource: Service "web" is invalid: spec.ports: Required value`,
			InvalidObject, Terminal, `Service "web"`,
		},
	})
}

func TestClassifyConflict(t *testing.T) {
	checkSayings(t, []saying{
		{
			"version", "ReconciliationFailed",
			`ConfigMap/apps/c apply failed: Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply your changes to the latest version and try again`,
			Conflict, Passing, "ConfigMap/apps/c",
		},
		{
			"field manager", "ReconciliationFailed",
			`ConfigMap/apps/c dry-run failed (FieldManagerConflict): Apply failed with 1 conflict: conflict with "standup": .data.a`,
			Conflict, Passing, "ConfigMap/apps/c",
		},
		{
			"existing", "ReconciliationFailed",
			`Namespace/apps apply failed: namespaces "apps" already exists`,
			Conflict, Passing, "Namespace/apps",
		},
		{
			"Helm ownership", "InstallFailed",
			`Helm install failed for release apps/web with chart web@1.0.0: Unable to continue with install: ConfigMap "web" in namespace "apps" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"`,
			Conflict, NeedsAction, `ConfigMap "web"`,
		},
	})
}

func TestClassifyUnauthorised(t *testing.T) {
	checkSayings(t, []saying{
		{
			"verb", "ReconciliationFailed",
			`ClusterRole/admin dry-run failed (Forbidden): clusterroles.rbac.authorization.k8s.io "admin" is forbidden: User "system:serviceaccount:apps:deployer" cannot patch resource "clusterroles" in API group "rbac.authorization.k8s.io" at the cluster scope`,
			Unauthorised, NeedsAction, "system:serviceaccount:apps:deployer",
		},
		{
			"escalation", "ReconciliationFailed",
			`ClusterRole/admin dry-run failed (Forbidden): clusterroles.rbac.authorization.k8s.io "admin" is forbidden: user "system:serviceaccount:apps:deployer" (groups=["system:serviceaccounts"]) is attempting to grant RBAC permissions not currently held:` + "\n" + `{APIGroups:["*"], Resources:["*"], Verbs:["*"]}`,
			Unauthorised, NeedsAction, "system:serviceaccount:apps:deployer",
		},
		{
			"credentials", "ReconciliationFailed",
			`ConfigMap/apps/c dry-run failed (Unauthorized): Unauthorized`,
			Unauthorised, NeedsAction, "",
		},
		{
			"kubeconfig", "ReconciliationFailed",
			`unable to read KubeConfig secret 'apps/remote' error: Secret "remote" not found`,
			Unauthorised, NeedsAction, "apps/remote",
		},
	})
}

func TestClassifyPrune(t *testing.T) {
	checkSayings(t, []saying{
		{
			"object", "PruneFailed",
			`delete failed, errors: ConfigMap/apps/old delete failed: the moon`,
			PruneFailed, Passing, "ConfigMap/apps/old",
		},
		{
			"webhook", "PruneFailed",
			`delete failed, errors: ConfigMap/apps/old delete failed: admission webhook "keep.example.io" denied the request: no`,
			AdmissionDenied, NeedsAction, "webhook keep.example.io",
		},
	})
}

func TestClassifyAPI(t *testing.T) {
	dryRun := "ConfigMap/apps/c dry-run failed"
	checkSayings(t, []saying{
		{
			"refused", "ReconciliationFailed",
			dryRun + `: Patch "https://10.96.0.1:443/api/v1/namespaces/apps/configmaps/c?dryRun=All&fieldManager=kustomize-controller&force=true": dial tcp 10.96.0.1:443: connect: connection refused`,
			APIUnavailable, Passing, "",
		},
		{
			"503", "ReconciliationFailed",
			dryRun + ` (ServiceUnavailable): the server is currently unable to handle the request (patch configmaps c)`,
			APIUnavailable, Passing, "",
		},
		{
			"429", "ReconciliationFailed",
			dryRun + ` (TooManyRequests): the server has received too many requests and has asked us to try again later (patch configmaps c)`,
			APIUnavailable, Passing, "",
		},
		{
			"etcd", "ReconciliationFailed",
			dryRun + ` (InternalError): etcdserver: leader changed`,
			APIUnavailable, Passing, "",
		},
		{
			"etcd timeout", "ReconciliationFailed",
			`failed to update status: etcdserver: request timed out`,
			APIUnavailable, Passing, "",
		},
		{
			"timeout", "ReconciliationFailed",
			dryRun + ` (Timeout): Timeout: request did not complete within requested timeout - context deadline exceeded`,
			APIUnavailable, Passing, "",
		},
		{
			"deadline", "ReconciliationFailed",
			`client rate limiter Wait returned an error: context deadline exceeded`,
			APIUnavailable, Passing, "",
		},
		{"connection lost", "ReconciliationFailed", `http2: client connection lost`, APIUnavailable, Passing, ""},
		{
			"EOF", "ReconciliationFailed",
			dryRun + `: Patch "https://10.96.0.1:443/api/v1/namespaces/apps/configmaps/c": EOF`,
			APIUnavailable, Passing, "",
		},
		{
			"aggregated API", "ReconciliationFailed",
			dryRun + `: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request`,
			APIUnavailable, Passing, "metrics.k8s.io/v1beta1",
		},
		{
			"stale discovery", "ReconciliationFailed",
			dryRun + `: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale GroupVersion discovery: metrics.k8s.io/v1beta1`,
			APIUnavailable, Passing, "metrics.k8s.io/v1beta1",
		},
	})
}
