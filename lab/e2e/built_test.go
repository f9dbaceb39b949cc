package e2e

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/standup-sh/standup/lab"
)

// odd are trees that use what Kustomizations can do to a set, one each.
const odd = `-- cluster/odd.yaml --
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: renamed, namespace: flux-system}
spec:
  path: ./renamed
  interval: 1h
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  targetNamespace: default
  namePrefix: pre-
  nameSuffix: -post
  commonMetadata: {labels: {team: platform}, annotations: {example.org/owner: ops}}
  components: [../component]
  images: [{name: registry.example.org/web, newTag: v2}]
  patches:
    - target: {kind: Deployment}
      patch: |
        - {op: add, path: /spec/template/metadata/annotations, value: {patched: "yes"}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: swept, namespace: flux-system}
spec:
  path: ./swept
  interval: 1h
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild:
    substitute: {REGION: north, EMPTY: "", QUOTED: "\"7\""}
    substituteFrom: [{kind: ConfigMap, name: settings}, {kind: Secret, name: absent, optional: true}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: flux-system}
data: {ZONE: "a", REGION: south}
-- renamed/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [web.yaml, ../base]
configMapGenerator: [{name: generated, literals: [a=b]}]
-- renamed/web.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.org/web:v1
          envFrom: [{configMapRef: {name: generated}}]
-- base/kustomization.yaml --
resources: [role.yaml]
-- base/role.yaml --
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: web, namespace: default}]
-- component/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources: [extra.yaml]
-- component/extra.yaml --
apiVersion: v1
kind: ServiceAccount
metadata: {name: web}
-- swept/deep/one.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: one, namespace: default}
data:
  region: ${REGION}
  zone: ${ZONE:=none}
  fallback: ${UNSET:=nothing at all}
  number: ${QUOTED}
  literal: $${NOT}
-- swept/two.yaml --
apiVersion: v1
kind: ConfigMap
metadata:
  name: two
  namespace: default
  annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}
data: {script: "echo ${HOME}"}
---
apiVersion: v1
kind: Service
metadata: {name: two, namespace: default}
spec: {ports: [{port: 80}], selector: {app: "${REGION}"}}
`

// What standup would apply early is what the controller applies: applying it
// once more, in the controller's name, would change nothing.
func TestWhatIsBuiltIsWhatTheControllerApplied(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	push(t, c, files(odd))
	if err := c.Bootstrap(t.Context(), lab.BootstrapOptions{Path: "cluster"}); err != nil {
		t.Fatal(err)
	}
	builtAsApplied(t, c, "flux-system", "renamed", "swept")
}

// builtAsApplied compares the sets of Kustomizations with what is in the cluster.
func builtAsApplied(t *testing.T, c *lab.Cluster, names ...string) {
	t.Helper()
	compared := 0
	for _, name := range names {
		eventually(t, c, name+" to be Ready", func() bool { status, _ := readyMessage(t, c, name); return status == "True" })
		args := []string{"crds", "--dry-run", "--kustomization", name}
		for _, object := range inventory(t, c, name) {
			args = append(args, "--pre-apply", object)
		}
		r := standup(t, c.Kubeconfig(), args...)
		r.exits(t, 0)
		for _, built := range documents(t, r.stdout) {
			wouldChangeNothing(t, c, built)
			compared++
		}
	}
	if compared < 2*len(names) {
		t.Errorf("only %d objects were compared", compared)
	}
}

// inventory lists what a Kustomization applied, as --pre-apply wants it, without
// Secrets: those are never printed as they are.
func inventory(t *testing.T, c *lab.Cluster, name string) []string {
	t.Helper()
	k, err := c.Get(t.Context(), lab.Kustomizations(), lab.FluxNamespace, name)
	if err != nil {
		t.Fatal(err)
	}
	entries, _, _ := unstructured.NestedSlice(k.Object, "status", "inventory", "entries")
	var names []string
	for _, e := range entries {
		id, _ := e.(map[string]any)["id"].(string)
		part := strings.Split(id, "_") // namespace_name_group_kind
		if len(part) != 4 || part[3] == "Secret" {
			continue
		}
		ref := part[3] + "/" + strings.ReplaceAll(part[1], "__", ":")
		if part[0] != "" {
			ref = part[3] + "/" + part[0] + "/" + part[1]
		}
		names = append(names, ref)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func documents(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), 4096)
	for {
		var o unstructured.Unstructured
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(o.Object) > 0 {
			out = append(out, &o)
		}
	}
}

// content is an object with who owns what of it, and without when.
func content(o *unstructured.Unstructured) map[string]any {
	u := o.DeepCopy()
	var owned []any
	for _, f := range u.GetManagedFields() {
		if f.Manager == "kustomize-controller" {
			owned = append(owned, string(f.FieldsV1.GetRawBytes()))
		}
	}
	u.SetManagedFields(nil)
	u.SetResourceVersion("")
	return map[string]any{"object": u.Object, "owned": owned}
}

func wouldChangeNothing(t *testing.T, c *lab.Cluster, built *unstructured.Unstructured) {
	t.Helper()
	resource, err := c.Resource(built.GroupVersionKind(), built.GetNamespace())
	if err != nil {
		t.Fatal(err)
	}
	live, err := resource.Get(t.Context(), built.GetName(), metav1.GetOptions{})
	if err != nil {
		t.Errorf("built and not applied: %v", err)
		return
	}
	data, err := built.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	force := true
	after, err := resource.Patch(t.Context(), built.GetName(), types.ApplyPatchType, data, metav1.PatchOptions{
		FieldManager: "kustomize-controller", Force: &force, DryRun: []string{metav1.DryRunAll},
	})
	if err != nil {
		t.Errorf("%s %s: %v", built.GetKind(), built.GetName(), err)
		return
	}
	// What the controller owns and was not built would be taken away, what was
	// built and it does not own would be added.
	if diff := cmp.Diff(content(live), content(after)); diff != "" {
		t.Errorf("%s %s would be changed by what was built (-applied +built):\n%s", built.GetKind(), built.GetName(), diff)
	}
}
