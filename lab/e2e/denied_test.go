package e2e

import "testing"

// A Pod is refused while its ServiceAccount does not exist, by the API server's
// own admission; the dry-run of the ServiceAccount does not make it exist.
func TestAnObjectThatPermitsAnotherOfItsSetIsAppliedWhenItIsNamed(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	warm(t, c, tree(unit{name: "stack", spec: "  wait: false\n", extra: `apiVersion: v1
kind: ServiceAccount
metadata: {name: runner, namespace: default}
---
apiVersion: v1
kind: Pod
metadata: {name: check, namespace: default}
spec: {serviceAccountName: runner, containers: [{name: c, image: registry.example.org/check:v1}]}`}))
	staysWedged(t, c, "stack", "service account", "not found")
	before := settled(t, c)

	r := standup(t, c.Kubeconfig(), "crds")
	r.exits(t, 3)
	r.says(t, "Pod/default/check", "ServiceAccount/default/runner", "--pre-apply")
	unchanged(t, c, before)

	named := standup(t, c.Kubeconfig(), "crds", "--kustomization", "stack", "--pre-apply", "ServiceAccount/default/runner", "--timeout", "1m")
	named.exits(t, 0)
	eventually(t, c, "stack to be Ready", func() bool { status, _ := readyMessage(t, c, "stack"); return status == "True" })

	typo := standup(t, c.Kubeconfig(), "crds", "--kustomization", "stack", "--pre-apply", "ServiceAccount/default/runer")
	typo.exits(t, 2)
	typo.says(t, "ServiceAccount/default/runner")
}
