package e2e

import (
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/lab"
)

// slowChain is a chain whose run takes long enough to be disturbed: each unit
// has a Deployment that takes a while.
func slowChain(n int) (string, []string) {
	units, names := chain(n)
	for i := range units {
		units[i].extra = strings.ReplaceAll(strings.ReplaceAll(deployment, "never", "3s"), "slow", "d"+units[i].name)
	}
	return tree(units...), names
}

func TestACommitInMidRunEndsReadyAtTheNewRevision(t *testing.T) {
	t.Parallel()
	c := start(t)
	archive, names := slowChain(5)
	cold(t, c, files(archive), "cluster")
	r := launch(t, c.Kubeconfig(), "resume", "-o", "jsonl")
	eventually(t, c, "t01 Ready", func() bool { return isReady(t, c, "t01") })
	revision := push(t, c, files(archive+"-- note.txt --\nchanged\n"))
	source(t, c, revision)
	res := r.wait(t)
	res.exits(t, 0)
	readyAt(t, c, revision, append([]string{"flux-system"}, names...)...)
	if index(t, res, "source.moved", "") < 0 {
		t.Error("nothing tells of the move")
	}
}

func isReady(t *testing.T, c *lab.Cluster, name string) bool {
	t.Helper()
	k, err := c.Get(t.Context(), lab.Kustomizations(), lab.FluxNamespace, name)
	if err != nil {
		return false
	}
	status, _, _ := lab.Condition(k, "Ready")
	return status == "True"
}

func TestKilledAtAnyMomentAndRunAgainItCarriesOn(t *testing.T) {
	t.Parallel()
	c := start(t)
	archive, names := slowChain(6)
	left := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: left, namespace: default}"
	archive += tree(unit{name: "left", extra: left, spec: "  suspend: true\n"})
	revision := cold(t, c, files(archive), "cluster")
	for kills := range 20 {
		r := launch(t, c.Kubeconfig(), "resume")
		timer := time.NewTimer(time.Duration(rand.IntN(1500)) * time.Millisecond)
		<-timer.C
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
		if !suspended(kustomization(t, c, "left")) {
			t.Fatalf("kill %d: left is suspended in git and was un-suspended", kills)
		}
	}
	r := standup(t, c.Kubeconfig(), "resume")
	r.exits(t, 0)
	readyAt(t, c, revision, names...)
	if !suspended(kustomization(t, c, "left")) {
		t.Error("left is suspended in git and was un-suspended")
	}
}

func TestAnAPIServerThatRestartsInMidRunDoesNotMatter(t *testing.T) {
	t.Parallel()
	c := start(t)
	archive, names := slowChain(4)
	revision := cold(t, c, files(archive), "cluster")
	r := launch(t, c.Kubeconfig(), "resume")
	eventually(t, c, "t00 Ready", func() bool { return isReady(t, c, "t00") })
	c.KillAPIServer()
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wait(t).exits(t, 0)
	readyAt(t, c, revision, names...)
}

func TestConnectionsThatAreCutDoNotMatter(t *testing.T) {
	t.Parallel()
	c := start(t)
	archive, names := slowChain(4)
	revision := cold(t, c, files(archive), "cluster")
	kubeconfig, err := c.ProxyKubeconfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := launch(t, kubeconfig, "resume")
	for _, name := range names[:3] {
		eventually(t, c, name+" Ready", func() bool { return isReady(t, c, name) })
		c.Proxy().Cut()
	}
	r.wait(t).exits(t, 0)
	readyAt(t, c, revision, names...)
}

func TestFortyFiveSecondsWithoutAnAnswerAreOutlasted(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"429": http.StatusTooManyRequests, "503": http.StatusServiceUnavailable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			archive, names := slowChain(4)
			revision := cold(t, c, files(archive), "cluster")
			kubeconfig, err := c.ProxyKubeconfig(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r := launch(t, kubeconfig, "resume")
			eventually(t, c, "t00 Ready", func() bool { return isReady(t, c, "t00") })
			c.Proxy().SetFault(lab.ProxyFault{Status: status}, 45*time.Second)
			c.Proxy().Cut()
			r.wait(t).exits(t, 0)
			readyAt(t, c, revision, names...)
		})
	}
}

func TestATokenThatIsRefusedEndsTheRunWithinTenSeconds(t *testing.T) {
	t.Parallel()
	c := start(t)
	archive, _ := slowChain(6)
	cold(t, c, files(archive), "cluster")
	kubeconfig, err := c.ProxyKubeconfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := launch(t, kubeconfig, "resume")
	eventually(t, c, "t00 Ready", func() bool { return isReady(t, c, "t00") })
	// A refused token is no reason for the API server to call itself unready.
	answers := func(r lab.Request) bool { return r.Resource != "/readyz" }
	c.Proxy().SetFault(lab.ProxyFault{Status: http.StatusUnauthorized, Only: answers}, 0)
	refused := time.Now()
	res := r.wait(t)
	res.exits(t, 7)
	if took := time.Since(refused); took > 10*time.Second {
		t.Errorf("ended %s after the token was refused", took)
	}
}

func TestAWebhookThatAnswersAfterFortySecondsIsPassedWithinSeconds(t *testing.T) {
	t.Parallel()
	c := start(t)
	hooked := unit{name: "hooked", spec: "  interval: 10m\n"}
	revision := cold(t, c, files(tree(hooked, unit{name: "after", deps: []string{"hooked"}})), "cluster")
	hook, err := c.Webhook(t.Context(), lab.WebhookOptions{Resources: []string{"configmaps"}, Namespace: "default"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hook.Close)
	r := launch(t, c.Kubeconfig(), "resume")
	timer := time.NewTimer(40 * time.Second)
	<-timer.C
	if err := hook.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	opened := time.Now()
	res := r.wait(t)
	res.exits(t, 0)
	if took := time.Since(opened); took > 15*time.Second {
		t.Errorf("Ready %s after the webhook answered\n%s", took, res.stderr)
	}
	readyAt(t, c, revision, "hooked", "after")
}

func TestAnInterruptEndsWithinASecondAndSaysHowToCarryOn(t *testing.T) {
	t.Parallel()
	c := start(t)
	archive, names := slowChain(5)
	revision := cold(t, c, files(archive), "cluster")
	for signal, code := range map[os.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		r := launch(t, c.Kubeconfig(), "resume")
		r.underWay(t, c)
		_ = r.cmd.Process.Signal(signal)
		sent := time.Now()
		res := r.wait(t)
		res.exits(t, code)
		// The promise is one second; a busy machine may take another.
		if took := time.Since(sent); took > 2*time.Second {
			t.Errorf("ended %s after %s", took, signal)
		}
		res.says(t, "run the same command again")
	}
	standup(t, c.Kubeconfig(), "resume").exits(t, 0)
	readyAt(t, c, revision, names...)
}

func TestASecondRunIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	c := start(t)
	archive, _ := slowChain(5)
	cold(t, c, files(archive), "cluster")
	first := launch(t, c.Kubeconfig(), "resume")
	first.underWay(t, c)
	second := standup(t, c.Kubeconfig(), "resume")
	second.exits(t, 8)
	second.within(t, 3*time.Second)
	first.wait(t).exits(t, 0)
}

func TestWhatIsSuspendedByHandIsLiftedAndStaysLifted(t *testing.T) {
	t.Parallel()
	for _, manager := range []string{"kubectl-patch", "flux"} {
		t.Run(manager, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			units, names := chain(3)
			revision := push(t, c, files(tree(units...)))
			if err := c.Bootstrap(t.Context(), lab.BootstrapOptions{Path: "cluster"}); err != nil {
				t.Fatal(err)
			}
			standup(t, c.Kubeconfig(), "resume").exits(t, 0)
			for _, n := range names {
				if err := c.Suspend(t.Context(), lab.Kustomizations(), lab.FluxNamespace, n, true, manager); err != nil {
					t.Fatal(err)
				}
			}
			standup(t, c.Kubeconfig(), "resume").exits(t, 0)
			readyAt(t, c, revision, names...)
			// The parent's next apply must not bring the suspend back.
			before, _, _ := unstructured.NestedString(kustomization(t, c, "flux-system").Object, "status", "lastHandledReconcileAt")
			if err := c.Nudge(t.Context(), lab.Kustomizations(), lab.FluxNamespace, "flux-system"); err != nil {
				t.Fatal(err)
			}
			eventually(t, c, "the parent applied once more", func() bool {
				now, _, _ := unstructured.NestedString(kustomization(t, c, "flux-system").Object, "status", "lastHandledReconcileAt")
				return now != before && isReady(t, c, "flux-system")
			})
			readyAt(t, c, revision, names...)
		})
	}
}
