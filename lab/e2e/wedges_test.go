package e2e

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/lab"
)

// operator is the set of a Kustomization that installs cdi-operator as its
// project's manifest does: the kind of CDI, and a Deployment.
const cdiOperator = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cdis.cdi.kubevirt.io}
spec:
  group: cdi.kubevirt.io
  scope: Cluster
  names: {kind: CDI, plural: cdis}
  versions:
    - name: v1beta1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: Namespace
metadata: {name: cdi}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cdi-operator, namespace: cdi}
spec:
  selector: {matchLabels: {name: cdi-operator}}
  template:
    metadata: {labels: {name: cdi-operator}}
    spec: {containers: [{name: operator, image: "registry.example.org/cdi-operator:v1"}]}`

const cdiAndProfile = `apiVersion: cdi.kubevirt.io/v1beta1
kind: CDI
metadata: {name: cdi}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: StorageProfile
metadata: {name: fast}
spec: {claimPropertySets: [{accessModes: [ReadWriteMany]}]}`

// release is a HelmRelease of a chart, with its repository.
func release(namespace, chart string) string {
	return `apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: ` + chart + `, namespace: ` + namespace + `}
spec: {type: oci, interval: 1h, url: "oci://charts.example.org/` + chart + `"}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ` + chart + `, namespace: ` + namespace + `}
spec:
  interval: 1h
  chart: {spec: {chart: ` + chart + `, sourceRef: {kind: HelmRepository, name: ` + chart + `}}}
  values: {crds: {enabled: true}, installCRDs: true}`
}

func helmReleases() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "helm.toolkit.fluxcd.io", Version: "v2", Resource: "helmreleases"}
}

func TestWedgesOfEveryShapeAtOnceAreBrokenAndHandedOver(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	units := []unit{
		// A release, its repository and its namespace, with an object of its chart.
		{name: "policy", extra: "apiVersion: v1\nkind: Namespace\nmetadata: {name: kyverno}\n---\n" + release("kyverno", "kyverno") + `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: everything}`},
		// A kind that ends in Class fails one stage earlier.
		{name: "storage", extra: release("default", "snapshot-controller") + `
---
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotClass
metadata: {name: fast}`},
		{name: "operators", extra: cdiOperator},
		// A custom resource whose operator registers the kinds.
		{name: "virtual", deps: []string{"operators"}, extra: cdiAndProfile},
		// A wedge behind a wedge.
		{name: "issuers", deps: []string{"policy"}, extra: release("default", "cert-manager") + `
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: selfsigned}`},
	}
	warm(t, c, tree(units...))
	staysWedged(t, c, "policy", `no matches for kind "ClusterPolicy"`)
	staysWedged(t, c, "storage", `no matches for kind "VolumeSnapshotClass"`)
	staysWedged(t, c, "virtual", `no matches for kind "StorageProfile"`)

	dry := standup(t, c.Kubeconfig(), "crds", "--dry-run")
	dry.exits(t, 0)
	dry.says(t, "kind: HelmRelease", "kind: HelmRepository", "kind: CDI", "name: snapshot-controller")
	if strings.Contains(dry.stdout, "kind: StorageProfile\n") || strings.Contains(dry.stdout, "kind: ClusterPolicy\n") {
		t.Errorf("what a provider brings would be applied as well:\n%s", dry.stdout)
	}
	if _, err := c.Get(t.Context(), cdis(), "", "cdi"); err == nil {
		t.Error("a dry run applied something")
	}

	r := standup(t, c.Kubeconfig(), "crds", "-o", "jsonl", "--timeout", "3m")

	r.exits(t, 0)
	finished(t, r, "pre-apply:HelmRelease/default/cert-manager") // found when its turn came
	for name, namespace := range map[string]string{"kyverno": "kyverno", "snapshot-controller": "default"} {
		owner := map[string]string{"kyverno": "policy", "snapshot-controller": "storage"}[name]
		handedOver(t, c, helmReleases(), namespace, name, owner)
	}
	handedOver(t, c, cdis(), "", "cdi", "virtual")
	for _, name := range []string{"policy", "storage", "virtual", "issuers"} {
		eventually(t, c, name+" to be Ready", func() bool { status, _ := readyMessage(t, c, name); return status == "True" })
	}

	before := settled(t, c)
	again := standup(t, c.Kubeconfig(), "crds")
	again.exits(t, 0)
	again.says(t, "nothing to do")
	unchanged(t, c, before)
}

func TestAProviderBeneathAChildOfTheFailingParentIsReached(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	archive := tree(unit{name: "secrets", extra: release("default", "external-secrets")}) +
		"-- cluster/store.yaml --\napiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: vault}\n"
	warm(t, c, archive)
	staysWedged(t, c, "flux-system", `no matches for kind "ClusterSecretStore"`)
	if _, err := c.Get(t.Context(), lab.Kustomizations(), lab.FluxNamespace, "secrets"); err == nil {
		t.Fatal("the child exists: nothing is wedged")
	}

	r := standup(t, c.Kubeconfig(), "crds", "-o", "jsonl", "--timeout", "2m")

	r.exits(t, 0)
	finished(t, r, "pre-apply:Kustomization/flux-system/secrets")
	handedOver(t, c, lab.Kustomizations(), lab.FluxNamespace, "secrets", "flux-system")
}

func TestAProviderThatWaitsForItsOwnKindIsAppliedEarly(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	warm(t, c, tree(
		unit{name: "operators", extra: cdiOperator},
		unit{name: "profiles", spec: "  retryInterval: 1h\n", deps: []string{"operators"}, extra: strings.SplitN(cdiAndProfile, "---\n", 2)[1]},
		unit{name: "machine", deps: []string{"profiles"}, extra: strings.SplitN(cdiAndProfile, "---\n", 2)[0]},
	))
	staysWedged(t, c, "profiles", `no matches for kind "StorageProfile"`)

	// CDI is in a Kustomization that waits for this one: a gate in the wrong order.
	r := standup(t, c.Kubeconfig(), "crds", "-o", "jsonl", "--timeout", "2m")

	r.exits(t, 0)
	finished(t, r, "pre-apply:CDI/cdi")
	eventually(t, c, "machine to be Ready", func() bool { status, _ := readyMessage(t, c, "machine"); return status == "True" })
	handedOver(t, c, cdis(), "", "cdi", "machine")
}
