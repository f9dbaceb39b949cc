package waiters

import "testing"

func TestClassifyBuild(t *testing.T) {
	checkSayings(t, []saying{
		{
			"path", "ArtifactFailed",
			`kustomization path not found: stat /tmp/kustomization-3481728374/clusters/prd: no such file or directory`,
			PathMissing, Terminal, "clusters/prd",
		},
		{
			"path, another error", "ArtifactFailed",
			`kustomization path not found: lstat x: not a directory`,
			PathMissing, Terminal, "",
		},
		{
			"undefined variable", "BuildFailed",
			`post build failed for 'ConfigMap.v1.[noGrp]/settings': envsubst error: variable substitution failed: variable not set (strict mode): "REGION"`,
			UndefinedVariable, NeedsAction, "${REGION}",
		},
		{
			"substituteFrom, from the API server", "BuildFailed",
			`post build failed for 'Deployment.v1.apps/web': substitute from 'ConfigMap/cluster-vars' error: configmaps "cluster-vars" not found`,
			SubstituteMissing, NeedsAction, "ConfigMap cluster-vars",
		},
		{
			"substituteFrom, from the cache", "BuildFailed",
			`post build failed for 'Deployment.v1.apps/web': substitute from 'Secret/cluster-secrets' error: Secret "cluster-secrets" not found`,
			SubstituteMissing, NeedsAction, "Secret cluster-secrets",
		},
		{
			"substituteFrom, not looked up", "BuildFailed",
			`post build failed for 'Deployment.v1.apps/web': substitute from 'ConfigMap/cluster-vars' error: Get "https://10.96.0.1:443/api/v1/namespaces/flux-system/configmaps/cluster-vars": dial tcp 10.96.0.1:443: connect: connection refused`,
			APIUnavailable, Passing, "",
		},
		{
			"bad substitution", "BuildFailed",
			`post build failed for 'ConfigMap.v1.[noGrp]/script': envsubst error: variable substitution failed: unable to parse variable name`,
			BuildFailed, Terminal, "ConfigMap.v1.[noGrp]/script",
		},
		{
			"variable name", "BuildFailed",
			`post build failed for 'ConfigMap.v1.[noGrp]/script': envsubst error: 'a-b' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'`,
			BuildFailed, Terminal, "ConfigMap.v1.[noGrp]/script",
		},
		{
			"missing file", "BuildFailed",
			`kustomize build failed: accumulating resources: accumulation err='accumulating resources from 'deploy.yaml': evalsymlink failure on '/tmp/kustomization-1/apps/deploy.yaml' : lstat /tmp/kustomization-1/apps/deploy.yaml: no such file or directory': must build at directory: not a valid directory`,
			BuildFailed, Terminal, "deploy.yaml",
		},
		{
			"bad YAML", "BuildFailed",
			`failed to decode Kubernetes YAML from /tmp/kustomization-77/apps/deploy.yaml: MalformedYAMLError: yaml: line 4: did not find expected key`,
			BuildFailed, Terminal, "apps/deploy.yaml",
		},
		{
			"remote base", "BuildFailed",
			`kustomize build failed: accumulating resources: accumulation err='accumulating resources from 'https://github.com/a/b//c?ref=v1': Get "https://github.com/a/b": dial tcp: lookup github.com on 10.96.0.10:53: no such host'`,
			BuildFailed, Passing, "",
		},
		{
			"panic", "BuildFailed",
			`recovered from kustomize build panic: runtime error: invalid memory address`,
			BuildFailed, Terminal, "",
		},
		{"component", "BuildFailed", `component path '/etc' must be local and relative`, BuildFailed, Terminal, ""},
	})
}

func TestClassifyDecryption(t *testing.T) {
	checkSayings(t, []saying{
		{
			"key Secret is absent", "BuildFailed",
			`Secret "sops-age" not found`,
			DecryptionFailed, NeedsAction, "Secret sops-age",
		},
		{
			"key Secret is absent, from the API server", "BuildFailed",
			`secrets "sops-age" not found`,
			DecryptionFailed, NeedsAction, "Secret sops-age",
		},
		{
			"key Secret is absent, named in full", "BuildFailed",
			`cannot get sops decryption Secret 'flux-system/sops-age': secrets "sops-age" not found`,
			DecryptionFailed, NeedsAction, "Secret flux-system/sops-age",
		},
		{
			"key Secret is malformed", "BuildFailed",
			`failed to import 'age.agekey' data from sops decryption Secret 'flux-system/sops-age': malformed secret key`,
			DecryptionFailed, NeedsAction, "Secret flux-system/sops-age",
		},
		{
			"no decryption set", "ReconciliationFailed",
			`Secret/apps/token is SOPS encrypted, configuring decryption is required for this secret to be reconciled`,
			DecryptionFailed, Terminal, "Secret/apps/token",
		},
		{
			"wrong key", "BuildFailed",
			`decryption failed for 'Secret.v1.[noGrp]/token': cannot get sops data key: Failed to get the data key required to decrypt the SOPS file.`,
			DecryptionFailed, Terminal, "Secret.v1.[noGrp]/token",
		},
		{
			"tampered", "BuildFailed",
			`error decrypting sources: failed to verify sops data integrity: expected mac 'no MAC', got 'A1B2'`,
			DecryptionFailed, Terminal, "",
		},
		{
			"key service is away", "BuildFailed",
			`decryption failed for 'Secret.v1.[noGrp]/token': cannot get sops data key: Failed to call KMS decryption service: dial tcp: lookup kms.eu-central-1.amazonaws.com: no such host`,
			DecryptionFailed, Passing, "",
		},
	})
}
