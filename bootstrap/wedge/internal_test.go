package wedge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return u
}

// What an object refers to is read by the conventions of the APIs, and not by
// kind: a new kind of provider needs no code.
func TestReferences(t *testing.T) {
	for name, c := range map[string]struct{ object, want string }{
		"its own namespace":        {"{kind: A, metadata: {name: a, namespace: ns}}", "Namespace/ns"},
		"none of a cluster object": {"{kind: A, metadata: {name: a}}", ""},
		"a source, in its namespace": {
			"{kind: HelmRelease, metadata: {name: a, namespace: ns}, spec: {chart: {spec: {sourceRef: {kind: HelmRepository, name: r}}}}}",
			"HelmRepository/ns/r Namespace/ns",
		},
		"a source elsewhere": {
			"{kind: HelmRelease, metadata: {name: a, namespace: ns}, spec: {chartRef: {kind: OCIRepository, name: r, namespace: ms}}}",
			"Namespace/ms Namespace/ns OCIRepository/ms/r",
		},
		"values": {
			"{kind: HelmRelease, metadata: {name: a, namespace: ns}, spec: {valuesFrom: [{kind: ConfigMap, name: c}, {kind: Secret, name: s}]}}",
			"ConfigMap/ns/c Namespace/ns Secret/ns/s",
		},
		"what it depends on is of its own kind": {
			"{kind: HelmRelease, metadata: {name: a, namespace: ns}, spec: {dependsOn: [{name: b}, {name: c, namespace: ms}]}}",
			"HelmRelease/ms/c HelmRelease/ns/b Namespace/ms Namespace/ns",
		},
		"fields that are named after a kind": {
			"{kind: A, metadata: {name: a, namespace: ns}, spec: {secretRef: {name: s}, certSecretRef: {name: t}, configMapName: c, serviceAccountName: sa, imagePullSecrets: [{name: p}]}}",
			"ConfigMap/ns/c Namespace/ns Secret/ns/p Secret/ns/s Secret/ns/t ServiceAccount/ns/sa",
		},
		"a pod's environment and volumes": {
			"{kind: Deployment, metadata: {name: a, namespace: ns}, spec: {template: {spec: {volumes: [{configMap: {name: c}}, {secret: {secretName: s}}], containers: [{env: [{valueFrom: {secretKeyRef: {name: k, key: x}}}], envFrom: [{configMapRef: {name: e}}]}]}}}}",
			"ConfigMap/ns/c ConfigMap/ns/e Namespace/ns Secret/ns/k Secret/ns/s",
		},
		"substitutes and keys": {
			"{kind: Kustomization, metadata: {name: a, namespace: ns}, spec: {decryption: {secretRef: {name: age}}, postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}, targetNamespace: ms}}",
			"ConfigMap/ns/vars Namespace/ms Namespace/ns Secret/ns/age",
		},
		"not its status":         {"{kind: A, metadata: {name: a}, status: {secretRef: {name: s}}}", ""},
		"nothing without a name": {"{kind: A, metadata: {name: a}, spec: {secretRef: {}, dependsOn: [{namespace: ns}]}}", "Namespace/ns"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, ref := range references(parse(t, c.object)) {
				got = append(got, ref.String())
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestABindingIsNeededWhereItIsForTheAccount(t *testing.T) {
	workload := parse(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: ns}, spec: {template: {spec: {serviceAccountName: sa}}}}")
	release := parse(t, "{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: d, namespace: ns}, spec: {serviceAccountName: sa}}")
	plain := parse(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: ns}, spec: {}}")
	binding := func(subject string) *unstructured.Unstructured {
		return parse(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, subjects: ["+subject+"]}")
	}
	ours, other := binding("{kind: ServiceAccount, name: sa, namespace: ns}"), binding("{kind: ServiceAccount, name: sa, namespace: ms}, {kind: Group, name: sa, namespace: ns}")
	for name, c := range map[string]struct {
		binding, of *unstructured.Unstructured
		want        bool
	}{
		"a workload's":       {ours, workload, true},
		"a release's":        {ours, release, true},
		"of no account":      {ours, plain, false},
		"of another account": {other, workload, false},
		"no binding":         {plain, workload, false},
	} {
		if got := bindsAccountOf(c.binding, c.of); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
