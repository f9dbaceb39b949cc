package catalog

import (
	"slices"
	"strings"
	"testing"
)

func TestThereAreManyEntries(t *testing.T) {
	providers, charts, none := 0, 0, 0
	for _, e := range load(t).Entries() {
		switch {
		case e.Provider != nil:
			providers++
		case e.bringsNothing():
			none++
		default:
			charts++
		}
	}
	if providers < 25 || charts < 140 || none < 60 {
		t.Errorf("got %d providers, %d charts that bring kinds and %d that bring none", providers, charts, none)
	}
}

// TestBuiltInEntriesAreComplete: a person's own entry may be short, a built-in
// one is also what the lab's stand-ins are driven by.
func TestBuiltInEntriesAreComplete(t *testing.T) {
	for _, e := range load(t).Entries() {
		if e.Source == "" {
			t.Errorf("%s: no source", e.Name)
		}
		if e.Provider != nil && Kind(*e.Provider).Short() {
			t.Errorf("%s: the provider has no plural, versions and scope", e.Name)
		}
		for _, k := range e.Kinds() {
			if k.Short() {
				t.Errorf("%s: %s has no plural, versions and scope", e.Name, k.GroupKind())
			}
			if e.is(k.GroupKind()) {
				t.Errorf("%s brings itself", e.Name)
			}
		}
		if e.bringsNothing() && len(e.Maybe) == 0 && e.Note == "" {
			t.Errorf("%s: brings nothing, and no note says that this is meant", e.Name)
		}
	}
}

// TestNoTwoEntriesClaimAChart does again, the long way round, what New refuses.
func TestNoTwoEntriesClaimAChart(t *testing.T) {
	claimed := map[string]string{}
	for _, e := range load(t).Entries() {
		if e.Chart == nil {
			continue
		}
		from := e.Chart.Repositories
		if len(from) == 0 {
			from = []string{"anywhere"}
		}
		for _, name := range e.Chart.Names {
			for _, repository := range from {
				claim := repository + "/" + name
				if other, taken := claimed[claim]; taken {
					t.Errorf("%s and %s both claim %s", other, e.Name, claim)
				}
				claimed[claim] = e.Name
			}
		}
	}
}

func TestProvidersOfTheSameKindAgreeOnIt(t *testing.T) {
	type fact struct{ plural, scope, entry string }
	known := map[GroupKind]fact{}
	for _, e := range load(t).Entries() {
		for _, k := range e.Kinds() {
			first, seen := known[k.GroupKind()]
			if !seen {
				known[k.GroupKind()] = fact{k.Plural, string(k.Scope), e.Name}
			} else if first.plural != k.Plural || first.scope != string(k.Scope) {
				t.Errorf("%s: %s and %s disagree on its plural or scope", k.GroupKind(), first.entry, e.Name)
			}
		}
	}
}

// TestOperatorsOfProvidersComeFromCharts: a chart that installs a provider's
// operator names it as the provider does, or nobody can connect the two.
func TestOperatorsOfProvidersComeFromCharts(t *testing.T) {
	operators := map[string]bool{}
	for _, e := range load(t).Entries() {
		if e.Chart != nil && e.Operator != nil {
			operators[e.Operator.Name] = true
		}
	}
	// These have no chart that the catalogue knows.
	without := []string{
		"cdi-operator", "virt-operator", "hyperconverged-cluster-operator", "cluster-network-addons-operator", "nmstate-operator",
		"configconnector-operator", "operator-controller-controller-manager", "kratix-platform-controller-manager",
	}
	for _, e := range load(t).Entries() {
		if e.Provider != nil && !operators[e.Operator.Name] && !slices.Contains(without, e.Operator.Name) {
			t.Errorf("%s: no chart brings its operator %s", e.Name, e.Operator.Name)
		}
	}
}

// TestGroupsOfCoreKindsAreNotClaimed: a claim on a group of the API server
// itself would make every misspelt kind there look as if it came.
func TestGroupsOfCoreKindsAreNotClaimed(t *testing.T) {
	core := []string{
		"apps", "batch", "autoscaling", "policy", "rbac.authorization.k8s.io", "networking.k8s.io", "storage.k8s.io",
		"apiextensions.k8s.io", "admissionregistration.k8s.io", "coordination.k8s.io", "scheduling.k8s.io",
	}
	for _, e := range load(t).Entries() {
		for _, group := range core {
			if anyGroup(e.AllGroups(), group) || anyGroup(e.Maybe, group) {
				t.Errorf("%s claims %s", e.Name, group)
			}
		}
	}
}

// TestWhatChartsBring holds the facts that people meet most.
func TestWhatChartsBring(t *testing.T) {
	for _, tt := range []struct {
		chart, values, kind string
		want                Answer
	}{
		{"cert-manager", "", "cert-manager.io/ClusterIssuer", No},
		{"cert-manager", "crds: {enabled: true}", "cert-manager.io/ClusterIssuer", Yes},
		{"cert-manager", "installCRDs: true", "acme.cert-manager.io/Order", Yes},
		{"external-secrets", "", "external-secrets.io/ExternalSecret", Yes},
		{"external-secrets", "installCRDs: false", "external-secrets.io/ExternalSecret", No},
		{"external-secrets", "", "generators.external-secrets.io/Password", Yes},
		{"kyverno", "", "kyverno.io/ClusterPolicy", Yes},
		{"kyverno", "crds: {install: false}", "kyverno.io/ClusterPolicy", No},
		{"kube-prometheus-stack", "", "monitoring.coreos.com/PrometheusRule", Yes},
		{"kube-prometheus-stack", "crds: {enabled: false}", "monitoring.coreos.com/PrometheusRule", No},
		{"victoria-metrics-k8s-stack", "", "operator.victoriametrics.com/VMAgent", Yes},
		{"victoria-metrics-k8s-stack", "", "monitoring.coreos.com/ServiceMonitor", No},
		{"victoria-metrics-k8s-stack", "victoria-metrics-operator: {enabled: false}", "operator.victoriametrics.com/VMAgent", No},
		{"oci://docker.io/envoyproxy/gateway-helm", "", "gateway.networking.k8s.io/GatewayClass", Yes},
		{"gateway-helm", "", "gateway.envoyproxy.io/EnvoyProxy", Yes},
		{"gateway-helm", "crds: {enabled: false}", "gateway.envoyproxy.io/EnvoyProxy", No},
		{"gateway-crds-helm", "crds: {gatewayAPI: {enabled: true}}", "gateway.networking.k8s.io/Gateway", Yes},
		{"gateway-crds-helm", "crds: {gatewayAPI: {enabled: true}}", "gateway.envoyproxy.io/EnvoyProxy", No},
		{"traefik", "", "traefik.io/IngressRoute", Yes},
		{"traefik", "", "gateway.networking.k8s.io/Gateway", Unknown},
		{"tailscale-operator", "", "tailscale.com/ProxyClass", Yes},
		{"metallb", "", "metallb.io/IPAddressPool", Yes},
		{"cilium", "", "cilium.io/CiliumLoadBalancerIPPool", Yes},
		{"cilium", "", "cilium.io/CiliumBGPPeeringPolicy", Yes}, // of older versions
		{"node-feature-discovery", "", "nfd.k8s-sigs.io/NodeFeatureRule", Yes},
		{"nvidia-device-plugin", "", "nfd.k8s-sigs.io/NodeFeatureRule", No},
		{"nvidia-device-plugin", "gfd: {enabled: true}", "nfd.k8s-sigs.io/NodeFeatureRule", Yes},
		{"intel-device-plugins-operator", "", "deviceplugin.intel.com/GpuDevicePlugin", Yes},
		{"rook-ceph", "", "ceph.rook.io/CephCluster", Yes},
		{"rook-ceph", "crds: {enabled: false}", "ceph.rook.io/CephCluster", No},
		{"rook-ceph-cluster", "", "ceph.rook.io/CephCluster", No},
		{"longhorn", "", "longhorn.io/RecurringJob", Yes},
		{"snapshot-controller", "", "snapshot.storage.k8s.io/VolumeSnapshotClass", Yes},
		{"volsync", "", "volsync.backube/ReplicationSource", Yes},
		{"velero", "", "velero.io/Schedule", Yes},
		{"cloudnative-pg", "", "postgresql.cnpg.io/Cluster", Yes},
		{"cloudnative-pg", "crds: {create: false}", "postgresql.cnpg.io/Cluster", No},
		{"plugin-barman-cloud", "", "barmancloud.cnpg.io/ObjectStore", Yes},
		{"postgres-operator", "", "acid.zalan.do/postgresql", Yes},
		{"strimzi-kafka-operator", "", "kafka.strimzi.io/Kafka", Yes},
		{"mariadb-operator", "", "k8s.mariadb.com/MariaDB", No},
		{"mariadb-operator-crds", "", "k8s.mariadb.com/MariaDB", Yes},
		{"dragonfly-operator", "", "dragonflydb.io/Dragonfly", Yes},
		{"eck-operator", "", "elasticsearch.k8s.elastic.co/Elasticsearch", Yes},
		{"opentelemetry-operator", "", "opentelemetry.io/OpenTelemetryCollector", Yes},
		{"grafana-operator", "", "grafana.integreatly.org/GrafanaDashboard", Yes},
		{"coroot-operator", "", "coroot.com/Coroot", Yes},
		{"keda", "", "keda.sh/ScaledObject", Yes},
		{"keda", "crds: {install: false}", "keda.sh/ScaledObject", No},
		{"argo-cd", "", "argoproj.io/Application", Yes},
		{"argo-cd", "", "argoproj.io/Rollout", No},
		{"argo-rollouts", "", "argoproj.io/Rollout", Yes},
		{"gatekeeper", "", "templates.gatekeeper.sh/ConstraintTemplate", Yes},
		{"gatekeeper", "", "constraints.gatekeeper.sh/K8sRequiredLabels", No},
		{"gha-runner-scale-set-controller", "", "actions.github.com/AutoscalingRunnerSet", Yes},
		{"flux-operator", "", "fluxcd.controlplane.io/FluxInstance", Yes},
		{"flux-operator", "", "kustomize.toolkit.fluxcd.io/Kustomization", No},
		{"crossplane", "", "apiextensions.crossplane.io/Composition", Yes},
		{"tofu-controller", "", "infra.contrib.fluxcd.io/Terraform", Yes},
		{"garage-operator", "", "garage.rajsingh.info/GarageCluster", Yes},
		{"system-upgrade-controller", "", "upgrade.cattle.io/Plan", Yes},
		{"sealed-secrets", "", "bitnami.com/SealedSecret", Yes},
		{"trust-manager", "", "trust.cert-manager.io/Bundle", Yes},
		{"raw", "", "example.io/Widget", Unknown},
	} {
		b, ok := load(t).Installed(Release{Chart: tt.chart, Values: values(t, tt.values)})
		if !ok {
			t.Errorf("%s is not known", tt.chart)
			continue
		}
		if got := b.Of(gk(tt.kind)); got != tt.want {
			t.Errorf("%s with %q brings %s: got %v, want %v", tt.chart, tt.values, tt.kind, got, tt.want)
		}
	}
}

func TestChartsThatBringNothing(t *testing.T) {
	for _, chart := range []string{
		"app-template", "coredns", "metrics-server", "grafana", "reloader", "reflector", "spegel", "democratic-csi", "kubelet-csr-approver",
		"k8s-gateway", "ingress-nginx", "podinfo", "headlamp", "oauth2-proxy", "authentik", "minecraft", "local-path-provisioner", "flux-instance",
	} {
		r := Release{Chart: chart}
		if chart == "grafana" {
			r.Repository = "https://grafana.github.io/helm-charts"
		}
		if b, ok := load(t).Installed(r); !ok || !b.Nothing() {
			t.Errorf("%s: known is %v, brings %+v", chart, ok, b.Shares)
		}
	}
}

// TestChartsOfOneNameAreToldApart: bitnami has its own of many.
func TestChartsOfOneNameAreToldApart(t *testing.T) {
	const bitnami = "oci://registry-1.docker.io/bitnamicharts"
	for _, tt := range []struct{ repository, chart, want string }{
		{"", "cert-manager", "cert-manager"},
		{"https://charts.jetstack.io", "cert-manager", "cert-manager"},
		{bitnami, "cert-manager", "bitnami-cert-manager"},
		{"https://charts.bitnami.com/bitnami", "cert-manager", "bitnami-cert-manager"},
		{"", bitnami + "/external-dns", "bitnami-external-dns"},
		{bitnami, "cilium", "cilium"},
		{bitnami, "postgresql", "bitnami"},
		{"", "postgresql", ""},
		{"https://istio-release.storage.googleapis.com/charts", "base", "istio-base"},
		{"", "base", ""},
		{"", "oci://gcr.io/istio-release/charts/base", "istio-base"},
		{"https://operator.min.io", "operator", "minio-operator"},
		{"https://democratic-csi.github.io/charts/", "snapshot-controller", "snapshot-controller-democratic-csi"},
		{"https://piraeus.io/helm-charts/", "snapshot-controller", "snapshot-controller"},
	} {
		e, _ := load(t).ByChartFrom(tt.repository, tt.chart)
		if e.Name != tt.want {
			t.Errorf("%s from %q: got %q, want %q", tt.chart, tt.repository, e.Name, tt.want)
		}
	}
}

// TestWhatProvidersBring holds the providers whose kinds nobody can list.
func TestWhatProvidersBring(t *testing.T) {
	for _, tt := range []struct {
		provider, object, kind string
		want                   Answer
	}{
		{"cdi.kubevirt.io/CDI", "", "cdi.kubevirt.io/StorageProfile", Yes},
		{"cdi.kubevirt.io/CDI", "", "cdi.kubevirt.io/CDI", No},
		{"kubevirt.io/KubeVirt", "", "kubevirt.io/VirtualMachine", Yes},
		{"hco.kubevirt.io/HyperConverged", "", "cdi.kubevirt.io/DataVolume", Yes},
		{"fluxcd.controlplane.io/FluxInstance", "", "kustomize.toolkit.fluxcd.io/Kustomization", Yes},
		{"fluxcd.controlplane.io/FluxInstance", "", "image.toolkit.fluxcd.io/ImagePolicy", No},
		{"fluxcd.controlplane.io/FluxInstance", "spec: {components: [source-controller, image-reflector-controller]}", "image.toolkit.fluxcd.io/ImagePolicy", Yes},
		{"fluxcd.controlplane.io/FluxInstance", "spec: {components: [source-controller]}", "kustomize.toolkit.fluxcd.io/Kustomization", No},
		{"templates.gatekeeper.sh/ConstraintTemplate", "spec: {crd: {spec: {names: {kind: K8sRequiredLabels}}}}", "constraints.gatekeeper.sh/K8sRequiredLabels", Yes},
		{"templates.gatekeeper.sh/ConstraintTemplate", "spec: {crd: {spec: {names: {kind: K8sRequiredLabels}}}}", "constraints.gatekeeper.sh/K8sOther", No},
		{"apiextensions.crossplane.io/CompositeResourceDefinition", "spec: {group: db.example.org, names: {kind: XPostgres}, claimNames: {kind: Postgres}}", "db.example.org/Postgres", Yes},
		{"pkg.crossplane.io/Provider", "", "s3.aws.upbound.io/Bucket", Unknown},
		{"operators.coreos.com/Subscription", "", "example.io/Widget", Unknown},
		{"operator.cluster.x-k8s.io/CoreProvider", "", "cluster.x-k8s.io/Cluster", Yes},
		{"operator.cluster.x-k8s.io/CoreProvider", "", "operator.cluster.x-k8s.io/InfrastructureProvider", No},
		{"operator.cluster.x-k8s.io/InfrastructureProvider", "", "infrastructure.cluster.x-k8s.io/AWSCluster", Yes},
		{"operator.tigera.io/APIServer", "", "projectcalico.org/NetworkPolicy", Yes},
		{"operator.knative.dev/KnativeServing", "", "serving.knative.dev/Service", Yes},
		{"operator.knative.dev/KnativeEventing", "", "eventing.knative.dev/Broker", Yes},
		{"operator.tekton.dev/TektonConfig", "", "tekton.dev/Pipeline", Yes},
		{"kro.run/ResourceGraphDefinition", "spec: {schema: {kind: WebApp}}", "kro.run/WebApp", Yes},
		{"platform.kratix.io/Promise", "spec: {api: {spec: {group: a.example.org, names: {kind: Jenkins}}}}", "a.example.org/Jenkins", Yes},
		{"nmstate.io/NMState", "", "nmstate.io/NodeNetworkConfigurationPolicy", Yes},
		{"core.cnrm.cloud.google.com/ConfigConnector", "", "sql.cnrm.cloud.google.com/SQLInstance", Yes},
		{"core.cnrm.cloud.google.com/ConfigConnector", "", "core.cnrm.cloud.google.com/ConfigConnector", No},
		{"networkaddonsoperator.network.kubevirt.io/NetworkAddonsConfig", "spec: {multus: {}}", "k8s.cni.cncf.io/NetworkAttachmentDefinition", Yes},
		{"networkaddonsoperator.network.kubevirt.io/NetworkAddonsConfig", "spec: {}", "k8s.cni.cncf.io/NetworkAttachmentDefinition", No},
	} {
		b, ok := load(t).Provided(gk(tt.provider), values(t, tt.object))
		if !ok {
			t.Errorf("%s is not known", tt.provider)
			continue
		}
		if got := b.Of(gk(tt.kind)); got != tt.want {
			t.Errorf("%s with %q brings %s: got %v, want %v", tt.provider, tt.object, tt.kind, got, tt.want)
		}
	}
}

// TestHelmOwnership: whoever seeds a CRD must know who will want to own it.
func TestHelmOwnership(t *testing.T) {
	for chart, want := range map[string]Answer{
		"cert-manager": Yes, "external-secrets": Yes, "keda": Yes, "kyverno": Yes,
		"kube-prometheus-stack": No, "strimzi-kafka-operator": No, "traefik": No, "velero": No,
		"victoria-metrics-operator": Unknown, "argo-workflows": Unknown, "cilium": Unknown,
	} {
		b, _ := load(t).Installed(Release{Chart: chart, Values: values(t, "crds: {enabled: true}")})
		if len(b.Shares) == 0 || b.Shares[0].HelmOwned() != want {
			t.Errorf("%s: want %v, got %+v", chart, want, b.Shares)
		}
	}
}

func TestNamesOfKindsAreWrittenAsKubectlDoes(t *testing.T) {
	if got := gk("example.io/Widget").String(); got != "Widget.example.io" {
		t.Errorf("got %q", got)
	}
	if got := (Kind{Group: "example.io", Kind: "Widget"}).CRDName(); got != "" {
		t.Errorf("the CRD of a kind without a plural is %q", got)
	}
	for _, e := range load(t).Entries() {
		for _, k := range e.Kinds() {
			if !strings.HasSuffix(k.CRDName(), "."+k.Group) {
				t.Errorf("%s: CRD of %s is %q", e.Name, k.GroupKind(), k.CRDName())
			}
		}
	}
}
