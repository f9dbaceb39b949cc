package differential

import (
	"fmt"
	"strings"
)

// notes are annotations that change how an object is applied, and none, which is
// the most common.
var notes = []string{
	"", "", "", "", "", "", "",
	"kustomize.toolkit.fluxcd.io/ssa: Ignore", "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent",
	"kustomize.toolkit.fluxcd.io/reconcile: disabled", "kustomize.toolkit.fluxcd.io/prune: disabled",
}

func (g *generator) annotations() string {
	if n := pick(g, notes); n != "" {
		return ", annotations: {" + n + "}"
	}
	return ""
}

// kind is a kind whose definition is in some set, or seeded, or nowhere, and its
// objects in others. Kinds that end in Class go in a stage of their own.
func (g *generator) kind() {
	kind := pick(g, []string{"Widget", "Gear", "GearClass", "WidgetClass"})
	group := g.name() + ".example.org"
	scope, where := "Cluster", ""
	if g.chance(30) {
		scope, where = "Namespaced", ", namespace: default"
	}
	switch {
	case g.chance(12):
		g.head = append(g.head, "seeded: "+group)
	case g.chance(85):
		plural, note := strings.ToLower(kind)+"s", ""
		if g.chance(20) {
			note = g.annotations()
		}
		g.anyUnit().add(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.%s%s}
spec:
  group: %s
  scope: %s
  names: {kind: %s, plural: %s}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]`,
			plural, group, note, group, scope, kind, plural)
	}
	for range 1 + g.IntN(2) {
		version := "v1"
		if g.chance(6) {
			version = "v2"
		}
		g.anyUnit().add("apiVersion: %s/%s\nkind: %s\nmetadata: {name: %s%s%s}\nspec: {}", group, version, kind, g.name(), where, g.annotations())
	}
}

// home is a namespace that is in some set, or there before Flux, or nowhere, and
// what lives in it.
func (g *generator) home() {
	name := g.name()
	switch {
	case g.chance(12):
		g.exists = append(g.exists, fmt.Sprintf("{kind: Namespace, name: %s}", name))
	case g.chance(85):
		g.anyUnit().add("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}", name)
	}
	for range 1 + g.IntN(2) {
		g.anyUnit().add("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: %s%s}\ndata: {}", g.name(), name, g.annotations())
	}
}

// values are variables from an object of some set, or of none.
func (g *generator) values() {
	name, user := g.name(), pick(g, g.units)
	if g.chance(90) {
		g.anyUnit().add("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: flux-system}\ndata: {region: north}", name)
	} else {
		g.exists = append(g.exists, fmt.Sprintf("{kind: ConfigMap, namespace: flux-system, name: %s, absent: true}", name))
	}
	optional, variable := "", "${region:=south}"
	switch {
	case g.chance(20):
		optional = ", optional: true"
	case g.chance(60):
		variable = "${region}"
	case g.chance(20):
		variable = "${planet}"
	}
	user.spec = append(user.spec, fmt.Sprintf("postBuild: {substituteFrom: [{kind: ConfigMap, name: %s%s}]}", name, optional))
	user.add("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\ndata: {region: \"%s\"}", g.name(), variable)
}

// chart is one of the catalogue, with a kind that it brings.
type chart struct{ name, values, version, kind, plural string }

var charts = []chart{
	{"cert-manager", "{crds: {enabled: true}}", "cert-manager.io/v1", "ClusterIssuer", "clusterissuers.cert-manager.io"},
	{"cert-manager", "{}", "cert-manager.io/v1", "ClusterIssuer", "clusterissuers.cert-manager.io"},
	{"kyverno", "{crds: {install: true}}", "kyverno.io/v1", "ClusterPolicy", "clusterpolicies.kyverno.io"},
	{"node-feature-discovery", "{}", "nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule", "nodefeaturerules.nfd.k8s-sigs.io"},
	// Its kinds come from its operator, a while after the release is Ready.
	{"cilium", "{}", "cilium.io/v2", "CiliumLoadBalancerIPPool", "ciliumloadbalancerippools.cilium.io"},
}

// release is a HelmRelease in some set, and an object of its chart in another.
func (g *generator) release() {
	c, name := pick(g, charts), g.name()
	home := pick(g, g.units)
	depends := ""
	if g.chance(8) {
		depends = "\n  dependsOn: [{name: gone}]"
	}
	home.add(`apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: %s, namespace: flux-system}
spec: {interval: 1h, url: https://charts.example.org}`, name)
	home.add(`apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: %s, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: %s, sourceRef: {kind: HelmRepository, name: %s, namespace: flux-system}}}
  values: %s%s`, name, c.name, name, c.values, depends)
	if g.chance(25) && c.values != "{crds: {enabled: true}}" {
		home.spec = append(home.spec, fmt.Sprintf("healthChecks: [{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, name: %s}]", c.plural))
	}
	g.anyUnit().add("apiVersion: %s\nkind: %s\nmetadata: {name: %s}\nspec: {}", c.version, c.kind, g.name())
}

// storage is the incident: an operator, the object that it reacts to, and an
// object of a kind that comes of that.
func (g *generator) storage() {
	home := pick(g, g.units)
	home.add(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cdis.cdi.kubevirt.io}
spec:
  group: cdi.kubevirt.io
  scope: Cluster
  names: {kind: CDI, plural: cdis}
  versions: [{name: v1beta1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]`)
	home.add("apiVersion: v1\nkind: Namespace\nmetadata: {name: cdi}")
	home.add(deployment, "cdi-operator", "cdi")
	pick(g, g.units).add("apiVersion: cdi.kubevirt.io/v1beta1\nkind: CDI\nmetadata: {name: cdi}\nspec: {}")
	pick(g, g.units).add("apiVersion: cdi.kubevirt.io/v1beta1\nkind: StorageProfile\nmetadata: {name: fast}\nspec: {}")
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: %s, namespace: %s}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: registry.example.org/c}]}}}`

// workload is a Deployment, and a Kustomization that looks at its health.
func (g *generator) workload() {
	name := g.name()
	g.anyUnit().add(deployment, name, "default")
	looks := pick(g, g.units)
	looks.spec = append(looks.spec, fmt.Sprintf("healthChecks: [{apiVersion: apps/v1, kind: Deployment, name: %s, namespace: default}]", name))
}

// check looks at the health of another Kustomization.
func (g *generator) check() {
	of, looks := pick(g, g.units), pick(g, g.units)
	looks.spec = append(looks.spec, fmt.Sprintf("healthChecks: [{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, name: %s, namespace: flux-system}]", of.name))
}

// gone is a path that does not exist.
func (g *generator) gone() { pick(g, g.units).path = "./sets/gone" }

// sleeper is suspended in git.
func (g *generator) sleeper() {
	u := pick(g, g.units)
	u.spec = append(u.spec, "suspend: true")
}
