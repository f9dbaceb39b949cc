package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/lab"
)

func TestWhatGitSuspendsStaysSuspendedAndWhatIsBehindItIsReported(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := cold(t, c, files(tree(
		unit{name: "first"},
		unit{name: "db", deps: []string{"first"}, spec: "  suspend: true\n"},
		unit{name: "app", deps: []string{"db"}},
		unit{name: "web", deps: []string{"app"}},
		unit{name: "free", deps: []string{"first"}},
	)), "cluster")
	r := standup(t, c.Kubeconfig(), "resume")
	r.exits(t, 0)
	readyAt(t, c, revision, "first", "free")
	r.says(t, "db", "suspended", "app", "web")
	for _, name := range []string{"db", "app", "web"} {
		if !suspended(kustomization(t, c, name)) {
			t.Errorf("%s was un-suspended", name)
		}
	}
}

func TestWhatTierOrderLeavesSuspendedStaysSuspended(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := cold(t, c, files(tree(unit{name: "apps"}, unit{name: "apps-gpu"})), "cluster")
	file := order(t, "tiers:\n  - name: flux-system\n  - name: apps\n    leaveSuspended: [apps-gpu]\n")
	r := standup(t, c.Kubeconfig(), "resume", "-f", file)
	r.exits(t, 0)
	readyAt(t, c, revision, "flux-system", "apps")
	if !suspended(kustomization(t, c, "apps-gpu")) {
		t.Error("apps-gpu was un-suspended")
	}
	r.says(t, "apps-gpu")
}

func TestAKustomizationThatNoTierLists(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := cold(t, c, files(tree(unit{name: "listed"}, unit{name: "stray", deps: []string{"listed"}})), "cluster")
	tiers := "tiers:\n  - name: flux-system\n  - name: listed\n"

	check := standup(t, c.Kubeconfig(), "tiers", "check", "-f", order(t, tiers))
	check.exits(t, 3)
	check.says(t, "stray", "- name: stray")

	before := settled(t, c)
	fail := standup(t, c.Kubeconfig(), "resume", "-f", order(t, "unlisted: fail\n"+tiers))
	fail.exits(t, 3)
	fail.says(t, "stray")
	unchanged(t, c, before)

	wait := standup(t, c.Kubeconfig(), "resume", "-f", order(t, tiers), "-o", "jsonl")
	wait.exits(t, 0)
	inOrder(t, wait, "ready", "listed", "stray")
	wait.says(t, "no tier lists", "stray")
	readyAt(t, c, revision, "listed", "stray")
}

func TestTiersReachAcrossNamespaces(t *testing.T) {
	t.Parallel()
	c := start(t)
	units := tree(unit{name: "base"})
	units += `-- cluster/media.yaml --
apiVersion: v1
kind: Namespace
metadata: {name: media}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: plex, namespace: media}
spec:
  interval: 1h
  path: ./units/plex
  prune: true
  wait: true
  sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}
  dependsOn: [{name: base, namespace: flux-system}]
-- units/plex/set.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: plex, namespace: media}
`
	cold(t, c, files(units), "cluster")
	file := order(t, "tiers:\n  - name: flux-system\n  - name: base\n  - name: apps\n    kustomizations: [media/plex]\n")
	r := standup(t, c.Kubeconfig(), "resume", "-f", file, "-o", "jsonl")
	r.exits(t, 0)
	k, err := c.Get(t.Context(), lab.Kustomizations(), "media", "plex")
	if err != nil {
		t.Fatal(err)
	}
	if status, _, message := lab.Condition(k, "Ready"); status != "True" || suspended(k) {
		t.Errorf("media/plex: Ready=%s: %s", status, message)
	}
	if finished(t, r, "ready:Kustomization/flux-system/base") > started(t, r, "resume:Kustomization/media/plex") {
		t.Error("media/plex was un-suspended before base was Ready")
	}
}

func TestAParentThatWaitsForItsChildrenIsStoodUpWithThem(t *testing.T) {
	t.Parallel()
	c := start(t)
	archive := tree(unit{name: "parent", spec: "  path: ./group\n", extra: ""}, unit{name: "after", deps: []string{"parent"}})
	archive = lastWins(archive, "  path:")
	archive += strings.ReplaceAll(tree(unit{name: "child"}, unit{name: "grandchild", deps: []string{"child"}}), "-- cluster/", "-- group/")
	revision := push(t, c, files(archive))
	if err := c.Bootstrap(t.Context(), lab.BootstrapOptions{Path: "cluster"}); err != nil {
		t.Fatal(err)
	}
	// From nothing: the children do not exist when the run starts.
	r := standup(t, c.Kubeconfig(), "resume", "--timeout", "3m")
	r.exits(t, 0)
	readyAt(t, c, revision, "parent", "child", "grandchild", "after")
	// And suspended once more, with the children there.
	if err := c.SuspendAll(t.Context(), lab.SuspendOptions{}); err != nil {
		t.Fatal(err)
	}
	revision = push(t, c, files(archive+"-- note.txt --\nx\n"))
	source(t, c, revision)
	standup(t, c.Kubeconfig(), "resume", "--timeout", "3m").exits(t, 0)
	readyAt(t, c, revision, "parent", "child", "grandchild", "after")
}

const oops = "apiVersion: v1\nkind: Service\nmetadata: {name: wrong, namespace: default}\nspec: {ports: [{port: 99999999}]}"

func TestAnOptionalTierIsReportedAndNotFatal(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := cold(t, c, files(tree(unit{name: "nice", extra: oops}, unit{name: "must"})), "cluster")
	r := standup(t, c.Kubeconfig(), "resume", "-f", order(t, "tiers:\n  - name: flux-system\n  - name: nice\n    optional: true\n  - name: must\n"))
	r.exits(t, 0)
	readyAt(t, c, revision, "must")
	r.says(t, "nice", "optional")
}

func TestKeepGoingFinishesTheOtherBranches(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := cold(t, c, files(tree(
		unit{name: "bad", extra: oops}, unit{name: "behind", deps: []string{"bad"}},
		unit{name: "good"}, unit{name: "better", deps: []string{"good"}},
	)), "cluster")
	r := standup(t, c.Kubeconfig(), "resume", "--keep-going", "-f",
		order(t, "tiers:\n  - name: flux-system\n  - name: one\n    kustomizations: [bad, good]\n  - name: two\n    kustomizations: [behind, better]\n"))
	r.exits(t, 4)
	readyAt(t, c, revision, "good", "better")
	if !suspended(kustomization(t, c, "behind")) {
		t.Error("behind was un-suspended behind a failure")
	}
}

func TestATierWithoutWaitIsPassedOnlyWhenWhatItAppliedIsCurrent(t *testing.T) {
	t.Parallel()
	c := start(t)
	slow := strings.ReplaceAll(deployment, "never", "8s")
	revision := cold(t, c, files(tree(unit{name: "plain", spec: "  wait: false\n", extra: slow}, unit{name: "next"})), "cluster")
	file := order(t, "tiers:\n  - name: flux-system\n  - name: plain\n  - name: next\n")
	r := standup(t, c.Kubeconfig(), "resume", "-f", file, "-o", "jsonl")
	r.exits(t, 0)
	readyAt(t, c, revision, "plain", "next")
	if d := readyTime(t, r, "plain").Sub(began(t, r, "plain")); d < 7*time.Second {
		t.Errorf("plain was passed after %s, before its Deployment was available", d)
	}
}

const thing = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: example.org/v1
kind: Thing
metadata: {name: it, namespace: default}`

func TestACustomResourceWithoutAStatusIsNotReady(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := cold(t, c, files(tree(unit{name: "cr", spec: "  wait: false\n", extra: thing}, unit{name: "next"})), "cluster")
	r := launch(t, c.Kubeconfig(), "resume", "-f", order(t, "tiers:\n  - name: flux-system\n  - name: cr\n  - name: next\n"), "-o", "jsonl")
	eventually(t, c, "the thing", func() bool { return isReady(t, c, "cr") })
	timer := time.NewTimer(5 * time.Second)
	<-timer.C
	if !suspended(kustomization(t, c, "next")) {
		t.Error("next was un-suspended although the thing has no status")
	}
	status := "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: it, namespace: default}\nstatus: {conditions: [{type: Ready, status: \"True\", reason: Done, message: done, lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}"
	applyStatus(t, c, status)
	r.wait(t).exits(t, 0)
	readyAt(t, c, revision, "cr", "next")
}

func TestTheDocumentedRoleIsEnough(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := cold(t, c, example(t, c, "homelab"), "clusters/prod")
	role, err := os.ReadFile(abs(t, "../../docs/reference/rbac.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := c.KubeconfigFor(t.Context(), "standup", role, lab.IdentityOptions{Proxied: true})
	if err != nil {
		t.Fatal(err)
	}
	r := standup(t, id.Kubeconfig, "resume", "-v", "-f", abs(t, "../../examples/homelab/TIER_ORDER.yaml"))
	r.exits(t, 0)
	readyAt(t, c, revision, homelab()...)
	for _, secret := range secrets(t, c) {
		if strings.Contains(r.stdout+r.stderr, secret) {
			t.Errorf("the output has the Secret value %q", secret)
		}
	}
	frugal(t, c)
}

func TestALackOfPermissionIsNamedBeforeAnythingChanges(t *testing.T) {
	t.Parallel()
	c := start(t)
	cold(t, c, files(tree(unit{name: "one"})), "cluster")
	view := `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules:
  - {apiGroups: ["*"], resources: ["*"], verbs: [get, list, watch]}
  - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: flux-system}]`
	id, err := c.KubeconfigFor(t.Context(), "reader", []byte(view), lab.IdentityOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := settled(t, c)
	r := standup(t, id.Kubeconfig, "resume")
	r.exits(t, 7)
	r.says(t, "patch kustomizations.kustomize.toolkit.fluxcd.io", "rbac.yaml")
	unchanged(t, c, before)
}

func TestAControllerThatIsScaledToZeroIsNamed(t *testing.T) {
	t.Parallel()
	c := start(t)
	cold(t, c, files(tree(unit{name: "one"})), "cluster")
	patchDeployment(t, c, "kustomize-controller", map[string]any{"spec": map[string]any{"replicas": int64(0)}})
	before := settled(t, c)
	r := standup(t, c.Kubeconfig(), "resume")
	r.exits(t, 6)
	r.says(t, "kustomize-controller", "scaled to zero")
	unchanged(t, c, before)
}

func TestJ06AClusterWhoseFluxDidNotGoIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := push(t, c, files(tree(unit{name: "one"})))
	if err := c.Bootstrap(t.Context(), lab.BootstrapOptions{Path: "cluster"}); err != nil {
		t.Fatal(err)
	}
	// The condition may be written a moment before the revision.
	eventually(t, c, "one to be Ready", func() bool {
		if status, _ := readyMessage(t, c, "one"); status != "True" {
			return false
		}
		applied, _, _ := unstructured.NestedString(kustomization(t, c, "one").Object, "status", "lastAppliedRevision")
		return applied == revision
	})
	readyAt(t, c, revision, "one")
	if err := c.StopController("kustomize-controller"); err != nil {
		t.Fatal(err)
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	const name = "kustomizations.kustomize.toolkit.fluxcd.io"
	if err := c.Dynamic().Resource(definitions).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, c, "the definition to be on its way", func() bool {
		crd, err := c.Get(t.Context(), definitions, "", name)
		return err == nil && crd.GetDeletionTimestamp() != nil
	})
	for _, command := range []string{"check", "resume", "crds"} {
		r := standup(t, c.Kubeconfig(), command, "--timeout", "30s")
		r.exits(t, 6)
		r.says(t, name, "finalizers")
	}
}
