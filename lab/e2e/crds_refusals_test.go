package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/standup-sh/standup/lab"
	"github.com/standup-sh/standup/lab/standin"
)

// cdiKind is the CRD of CDI alone: there is no operator.
func cdiKind() string { return strings.SplitN(cdiOperator, "---\n", 2)[0] }

func TestAWedgeThatCannotBeBrokenIsExplainedAndNothingIsApplied(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	warm(t, c, tree(
		unit{name: "kinds", extra: cdiKind()},
		unit{name: "lonely", deps: []string{"kinds"}, extra: cdiAndProfile},
		unit{name: "strangers", extra: `apiVersion: example.org/v1
kind: Widget
metadata: {name: w, namespace: default}
---
apiVersion: tools.example.org/v1alpha1
kind: Gadget
metadata: {name: g, namespace: default}`},
		unit{name: "behind", deps: []string{"strangers"}},
		unit{
			name: "tokens", deps: []string{"kinds"}, spec: "  postBuild: {substitute: {KNOWN: yes}}\n",
			extra: strings.Replace(cdiAndProfile, "metadata: {name: cdi}", "metadata: {name: cdi, labels: {of: \"${UNDEFINED_TOKEN}\"}}", 1),
		},
	))
	staysWedged(t, c, "lonely", `no matches for kind "StorageProfile"`)
	staysWedged(t, c, "strangers", "no matches for")
	before := settled(t, c)

	none := standup(t, c.Kubeconfig(), "crds", "--kustomization", "strangers")
	none.exits(t, 3)
	none.says(t, "Widget.example.org", "Gadget.tools.example.org", "units/strangers/set.yaml:")

	absent := standup(t, c.Kubeconfig(), "crds", "--kustomization", "flux-system/lonely")
	absent.exits(t, 6)
	absent.says(t, "cdi-operator")

	undefined := standup(t, c.Kubeconfig(), "crds", "--kustomization", "tokens")
	undefined.exits(t, 3)
	undefined.says(t, "UNDEFINED_TOKEN", "units/tokens/set.yaml")

	all := standup(t, c.Kubeconfig(), "crds")
	all.exits(t, 3)
	all.says(t, "Widget.example.org", "cdi-operator")

	if _, err := c.Get(t.Context(), cdis(), "", "cdi"); err == nil {
		t.Error("something was applied")
	}
	unchanged(t, c, before)

	// resume comes to the same end, in its own time. Where both are driven at once
	// either wedge may be the first whose patience is over.
	file := order(t, "tiers:\n  - name: flux-system\n  - name: kinds\n  - name: strangers\n  - name: rest\n    kustomizations: [behind, lonely, tokens]\n")
	r := standup(t, c.Kubeconfig(), "resume", "-f", file, "--patience", "3s", "--timeout", "1m")
	r.exits(t, 3)
	r.says(t, "Widget.example.org", "Gadget.tools.example.org")
}

func TestAnObjectThatBelongsToSomebodyElseIsNotOverwritten(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	c.StandIns().SetFault("CDI", standin.Fault{Delay: standin.Never})
	warm(t, c, tree(
		unit{name: "operators", extra: cdiOperator},
		unit{name: "virtual", deps: []string{"operators"}, extra: cdiAndProfile},
	))
	staysWedged(t, c, "virtual", `no matches for kind "StorageProfile"`)
	const byHand = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: CDI\nmetadata: {name: cdi}\nspec: {imagePullPolicy: Never}"
	if err := c.Apply(t.Context(), []byte(byHand), "kubectl-client-side-apply"); err != nil {
		t.Fatal(err)
	}
	before, err := c.Get(t.Context(), cdis(), "", "cdi")
	if err != nil {
		t.Fatal(err)
	}

	r := standup(t, c.Kubeconfig(), "crds", "--patience", "3s", "--timeout", "1m")

	r.exits(t, 3)
	r.says(t, "CDI/cdi", "kubectl-client-side-apply", "StorageProfile.cdi.kubevirt.io")
	after, err := c.Get(t.Context(), cdis(), "", "cdi")
	if err != nil {
		t.Fatal(err)
	}
	if before.GetResourceVersion() != after.GetResourceVersion() {
		t.Errorf("the object was changed: %v", after.GetManagedFields())
	}
}

func TestASourceThatCannotBeReachedAsksForACheckout(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	archive := tree(
		unit{name: "operators", extra: cdiOperator},
		unit{name: "virtual", deps: []string{"operators"}, extra: cdiAndProfile},
	)
	warm(t, c, archive)
	staysWedged(t, c, "virtual", `no matches for kind "StorageProfile"`)
	if err := c.StopController("source-controller"); err != nil {
		t.Fatal(err)
	}

	r := standup(t, c.Kubeconfig(), "crds", "--dry-run")

	r.exits(t, 6)
	r.says(t, "GitRepository/flux-system/flux-system", "--path")
	if _, err := c.Get(t.Context(), cdis(), "", "cdi"); err == nil {
		t.Error("something was applied")
	}

	checkout := checkoutOf(t, archive)
	dry := standup(t, c.Kubeconfig(), "crds", "--dry-run", "--path", checkout)
	dry.exits(t, 0)
	dry.says(t, "kind: CDI")
	if err := c.StartController(t.Context(), "source-controller"); err != nil {
		t.Fatal(err)
	}
	standup(t, c.Kubeconfig(), "crds", "--path", checkout, "--timeout", "2m").exits(t, 0)
	handedOver(t, c, cdis(), "", "cdi", "virtual")
}

func TestAnArtifactIsFetchedThroughTheAPIServerWhereItsServiceCannotBeReached(t *testing.T) {
	t.Parallel()
	c, err := lab.Start(t.Context(), lab.Options{ServiceArtifacts: true, KustomizeController: []string{"--requeue-dependency=3s"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	warm(t, c, tree(
		unit{name: "operators", extra: cdiOperator},
		unit{name: "virtual", deps: []string{"operators"}, extra: cdiAndProfile},
	))
	staysWedged(t, c, "virtual", `no matches for kind "StorageProfile"`)
	proxied, err := c.ProxyKubeconfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	direct := standup(t, c.Kubeconfig(), "crds", "--dry-run")
	direct.exits(t, 6)
	direct.says(t, "source-controller.flux-system.svc", "--path")

	standup(t, proxied, "crds", "--timeout", "2m").exits(t, 0)
	handedOver(t, c, cdis(), "", "cdi", "virtual")
}

func TestCrdsKilledAtAnyStepAndRunAgainEndsTheSame(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	// Each wedge is broken once; it is killed at another moment each time.
	kinds := map[string]string{
		"kyverno": "kyverno.io/v1 ClusterPolicy", "cert-manager": "cert-manager.io/v1 ClusterIssuer",
		"velero": "velero.io/v1 Schedule", "cloudnative-pg": "postgresql.cnpg.io/v1 Cluster",
		"longhorn": "longhorn.io/v1beta2 RecurringJob", "kube-prometheus-stack": "monitoring.coreos.com/v1 PrometheusRule",
	}
	moments := []string{
		`"type":"plan"`, `"type":"step.started","step":"pre-apply`, `"type":"step.acted","step":"pre-apply`,
		`"type":"step.finished","step":"pre-apply:HelmRelease`, `"type":"step.finished","step":"served`, `"type":"step.finished","step":"applied`,
	}
	var units []unit
	var charts []string
	for _, chart := range slices.Sorted(maps.Keys(kinds)) {
		kind := kinds[chart]
		apiVersion, name, _ := strings.Cut(kind, " ")
		units = append(units, unit{name: chart, extra: release("default", chart) + "\n---\napiVersion: " + apiVersion + "\nkind: " + name + "\nmetadata: {name: x, namespace: default}"})
		charts = append(charts, chart)
	}
	warm(t, c, tree(units...))
	for i, chart := range charts {
		staysWedged(t, c, chart, "no matches for kind")
		killedAt(t, c, moments[i], "crds", "--kustomization", chart, "-o", "jsonl", "--timeout", "1m")

		if strings.Contains(moments[i], `finished","step":"pre-apply:HelmRelease`) {
			standup(t, c.Kubeconfig(), "status").says(t, "HelmRelease default/"+chart)
		}

		r := standup(t, c.Kubeconfig(), "crds", "--kustomization", chart, "--timeout", "1m")

		if r.code != 0 {
			t.Errorf("killed at %s:", moments[i])
		}
		r.exits(t, 0)
		eventually(t, c, chart+" to be Ready", func() bool { status, _ := readyMessage(t, c, chart); return status == "True" })
		handedOver(t, c, helmReleases(), "default", chart, chart)
	}
	if leases := standup(t, c.Kubeconfig(), "crds"); leases.code != 0 {
		t.Errorf("the lock needs a human: %s", leases.stderr)
	}
}

// killedAt runs standup and kills it when a line of its output has the words,
// or lets it end when none has.
func killedAt(t *testing.T, c *lab.Cluster, words string, args ...string) {
	t.Helper()
	r := launchPiped(t, c.Kubeconfig(), args...)
	for r.lines.Scan() {
		if strings.Contains(r.lines.Text(), words) {
			_ = r.cmd.Process.Kill()
			break
		}
	}
	_ = r.cmd.Wait() // killed, or ended before
}
