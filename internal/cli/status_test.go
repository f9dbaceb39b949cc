package cli

import (
	"net/http"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/internal/ui/uitest"
)

// threeTiers is a TIER_ORDER file for chain.
const threeTiers = "tiers:\n  - name: cilium\n  - name: platform\n  - name: apps\n"

// badBuild is how a Kustomization fails that no retry heals.
func badBuild(k *kustomizev1.Kustomization) {
	failed("BuildFailed", "kustomize build failed: accumulating resources: missing resource 'deployment.yaml'")(k)
}

// missingKind is how one fails whose kind an operator has yet to bring.
func missingKind(k *kustomizev1.Kustomization) {
	failed("ReconciliationFailed", `StorageProfile/longhorn-vm dry-run failed: no matches for kind "StorageProfile" in version "cdi.kubevirt.io/v1beta1"`)(k)
}

// waiting is how one looks that is behind another.
func waiting(on string) outcome {
	return failed("DependencyNotReady", "dependency 'flux-system/"+on+"' is not ready")
}

// broken is a chain that stands still: platform does not build.
func broken() []*kustomizev1.Kustomization {
	all := chain()
	badBuild(all[1])
	waiting("platform")(all[2])
	return all
}

func TestStatus(t *testing.T) {
	for name, cluster := range map[string][]*kustomizev1.Kustomization{
		"healthy":   chain(),
		"suspended": chain(suspended),
		"failing":   broken(),
		"behind":    {kustomization("cilium", applied(older)), kustomization("platform", busy)},
		"empty":     nil,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, cluster...)
			f.golden(t, "status-"+name, ExitOK, "status", "-f", f.order(t, threeTiers))
			f.golden(t, "status-"+name+".json", ExitOK, "status", "-f", f.order(t, threeTiers), "-o", "json")
			f.unchanged(t)
		})
	}
}

// Without a TIER_ORDER file the levels of the graph are the tiers; without a
// plan, because the graph goes round, there are none.
func TestStatusWithoutTiers(t *testing.T) {
	f := newFleet(t, chain()...)
	f.golden(t, "status-levels", ExitOK, "status")
	f = newFleet(t, goingRound()...)
	f.golden(t, "status-cycle", ExitOK, "status")
}

// The command prints again when something changes, and only then, until it is
// interrupted.
func TestStatusWatch(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	args := []string{"status", "--watch", "-f", f.order(t, threeTiers)}
	r := f.start(t, args...)
	r.out.await(t, "Suspended")
	label := func(k *kustomizev1.Kustomization) { k.Labels = map[string]string{"shown": "nowhere"} }
	f.change(t, "cilium", label)
	f.change(t, "cilium", resumed)
	r.out.await(t, "cilium     Ready")
	f.change(t, "apps", label)
	f.change(t, "platform", resumed)
	r.out.await(t, "platform   Ready")
	r.stop(ErrInterrupted)
	code := r.end(t)
	if code != ExitInterrupted {
		t.Errorf("exit code %d, want %d", code, ExitInterrupted)
	}
	uitest.Golden(t, "status-watch", f.said(args, r.out.String(), r.errs.String(), code))
	f.unchanged(t)
}

func TestStatusOfNothing(t *testing.T) {
	f := newFleet(t)
	if text, code := f.run(t, "status"); code != ExitOK || !strings.Contains(text, "No Kustomizations found.") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

func TestStatusWatchInJSONIsOneDocumentAChange(t *testing.T) {
	f := newFleet(t, kustomization("cilium", suspended))
	r := f.start(t, "status", "-w", "-o", "json")
	r.out.await(t, `"state": "Suspended"`)
	f.change(t, "cilium", resumed)
	r.out.await(t, `"state": "Ready"`)
	r.stop(ErrTerminated)
	if code := r.end(t); code != ExitTerminated {
		t.Errorf("exit code %d, want %d", code, ExitTerminated)
	}
	if got := strings.Count(r.out.String(), `"schema": "standup.status/v1"`); got != 2 {
		t.Errorf("%d documents, want 2\n%s", got, r.out)
	}
}

func TestStatusWatchEndsWhenTheTokenIsRevoked(t *testing.T) {
	f := newFleet(t, chain()...)
	r := f.start(t, "status", "--watch")
	r.out.await(t, "Ready")
	f.SetFault(revoked)
	f.CutWatches()
	if code := r.end(t); code != ExitUnreachable || !strings.Contains(r.errs.String(), "refuses the credentials") {
		t.Errorf("exit code %d, want %d\n%s", code, ExitUnreachable, r.errs)
	}
}

// revoked is an API server that knows our token no more.
func revoked(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path == "/readyz" {
		return false
	}
	kubetest.Fail(w, 401, "Unauthorized", "Unauthorized")
	return true
}

func TestStatusWatchEndsInTime(t *testing.T) {
	f := newFleet(t, chain()...)
	if text, code := f.run(t, "status", "--watch", "--timeout", "1s"); code != ExitOutOfTime || !strings.Contains(text, "flux-system/apps") {
		t.Errorf("exit code %d, want %d\n%s", code, ExitOutOfTime, text)
	}
}
