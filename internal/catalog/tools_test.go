package catalog

import (
	"slices"
	"strings"
	"testing"
)

func TestTool(t *testing.T) {
	for kind, want := range map[string]string{
		"eksctl.io/ClusterConfig":                         "eksctl",
		"kind.x-k8s.io/Cluster":                           "kind",
		"k3d.io/Simple":                                   "k3d",
		"kubeadm.k8s.io/ClusterConfiguration":             "kubeadm",
		"kubelet.config.k8s.io/KubeletConfiguration":      "kubelet",
		"kubeproxy.config.k8s.io/KubeProxyConfiguration":  "kube-proxy",
		"kubescheduler.config.k8s.io/Any":                 "kube-scheduler",
		"kustomize.config.k8s.io/Component":               "kustomize",
		"audit.k8s.io/Policy":                             "kube-apiserver",
		"apiserver.config.k8s.io/EncryptionConfiguration": "kube-apiserver",
		"skaffold/Config":                                 "Skaffold",
		"kpt.dev/Kptfile":                                 "kpt",
		"argoproj.io/ConfigManagementPlugin":              "Argo CD's config management plugins",
		"/HostnameConfig":                                 "Talos",
		"/Config":                                         "kubectl",
		"/PatchTransformer":                               "kustomize",
		"mirror.openshift.io/ImageSetConfiguration":       "oc-mirror",
	} {
		if tool, ok := load(t).Tool(gk(kind)); !ok || tool.Name != want {
			t.Errorf("%s: got %q, %v, want %q", kind, tool.Name, ok, want)
		}
	}
}

func TestKindsOfAClusterAreOfNoTool(t *testing.T) {
	for _, kind := range []string{
		"/ConfigMap", "/Namespace", "/Pod", "/List", "/Secret", "/Service", "/ServiceAccount", "/Node",
		"apps/Deployment", "argoproj.io/Application", "kustomize.toolkit.fluxcd.io/Kustomization", "cluster.x-k8s.io/Cluster",
		"networking.k8s.io/Ingress", "config.openshift.io/Ingress", "mirror.openshift.io/Other", "k0s.k0sproject.io/ClusterConfig", "/",
	} {
		if tool, ok := load(t).Tool(gk(kind)); ok {
			t.Errorf("%s is said to be a file of %s", kind, tool.Name)
		}
	}
}

// TestNoToolHasAKindThatSomethingBrings: the two lists would contradict.
func TestNoToolHasAKindThatSomethingBrings(t *testing.T) {
	c := load(t)
	for _, e := range c.Entries() {
		for _, k := range e.Kinds() {
			if tool, ok := c.Tool(k.GroupKind()); ok {
				t.Errorf("%s brings %s, which is said to be a file of %s", e.Name, k.GroupKind(), tool.Name)
			}
		}
	}
}

func TestToolsAreInOrderAndSourced(t *testing.T) {
	tools := load(t).Tools()
	if len(tools) < 30 {
		t.Errorf("got %d tools", len(tools))
	}
	if !slices.IsSortedFunc(tools, func(a, b Tool) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }) {
		t.Error("the tools are not in the order of their names")
	}
	for _, tool := range tools {
		if !strings.HasPrefix(tool.Source, "https://") {
			t.Errorf("%s: source %q", tool.Name, tool.Source)
		}
	}
}
