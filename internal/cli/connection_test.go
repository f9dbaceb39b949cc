package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/internal/ui/uitest"
)

// onCluster are the commands that need a cluster.
func onCluster() [][]string {
	return [][]string{{"check"}, {"resume"}, {"plan"}, {"status"}, {"status", "--watch"}, {"tiers", "check"}, {"graph"}, {"tiers", "generate"}}
}

// refusesAll runs every command and wants the same exit code of each; what they
// say is one golden file.
func (f *fleet) refusesAll(t *testing.T, name string, want int, commands [][]string, flags ...string) {
	t.Helper()
	var all strings.Builder
	for _, command := range commands {
		text, code := f.run(t, append(command[:len(command):len(command)], flags...)...)
		if code != want {
			t.Errorf("standup %s: exit code %d, want %d", strings.Join(command, " "), code, want)
		}
		if !strings.Contains(text, "--- stdout\n--- stderr\n") {
			t.Errorf("standup %s: wrote to stdout\n%s", strings.Join(command, " "), text)
		}
		all.WriteString(text + "\n")
	}
	uitest.Golden(t, name, all.String())
	f.unchanged(t)
}

func TestAClusterThatDoesNotAnswer(t *testing.T) {
	f := newFleet(t)
	f.Close()
	f.refusesAll(t, "unreachable", ExitUnreachable, onCluster())
}

func TestATokenThatIsRefused(t *testing.T) {
	f := newFleet(t, chain()...)
	f.kubeconfig = f.Kubeconfig(t, "stolen")
	f.refusesAll(t, "refused-token", ExitUnreachable, onCluster())
}

func TestAListThatIsForbidden(t *testing.T) {
	f := newFleet(t, chain()...)
	f.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/kustomizations") {
			return false
		}
		kubetest.Fail(w, 403, "Forbidden", `User "reader" cannot list resource "kustomizations"`)
		return true
	})
	f.refusesAll(t, "forbidden", ExitUnreachable, onCluster())
}

func TestAClusterWithoutFlux(t *testing.T) {
	f := newFleet(t)
	f.Serve("kustomize.toolkit.fluxcd.io/v1")
	f.refusesAll(t, "without-flux", ExitPrecondition, onCluster())
}

// A TIER_ORDER file that is meant for another cluster is not run on this one by
// a kubeconfig that happens to point here.
func TestATierOrderForAnotherContext(t *testing.T) {
	f := newFleet(t, chain()...)
	order := f.order(t, "context: production\ntiers:\n  - name: cilium\n  - name: platform\n  - name: apps\n")
	commands := onCluster()
	f.refusesAll(t, "wrong-context", ExitUsage, commands[:len(commands)-1], "-f", order)
	if text, code := f.run(t, "plan", "-f", order, "--context", kubetest.Context); code != ExitOK {
		t.Errorf("the context that was named is not taken: exit code %d\n%s", code, text)
	}
	if text, code := f.run(t, "tiers", "generate", "-f", order); code != ExitOK {
		t.Errorf("a new file has nothing to do with the old one: exit code %d\n%s", code, text)
	}
}

func TestAContextThatThereIsNot(t *testing.T) {
	newFleet(t).golden(t, "unknown-context", ExitUnreachable, "plan", "--context", "production")
}

func TestWhoAsksIsWhoIsNamed(t *testing.T) {
	f := newFleet(t, chain()...)
	as := make(chan string, 100)
	f.SetFault(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/version" {
			as <- r.Header.Get("Impersonate-User")
		}
		return false
	})
	if text, code := f.run(t, "status", "--as", "robot"); code != ExitOK {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	if got := <-as; got != "robot" {
		t.Errorf("asked as %q", got)
	}
}

func TestVerboseSaysWhichClusterItIs(t *testing.T) {
	f := newFleet(t, chain()...)
	for format, want := range map[string]string{
		"console": "connected to https://cluster.test (context fleet), Kubernetes v1.36.3",
		"json":    `"msg":"connected to https://cluster.test (context fleet), Kubernetes v1.36.3"`,
	} {
		if text, _ := f.run(t, "status", "-v", "--log-format", format); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not there\n%s", format, want, text)
		}
	}
}

// Who may not read all namespaces is told so, and sees his own.
func TestOnlyOneNamespaceIsSeen(t *testing.T) {
	f := newFleet(t, chain()...)
	f.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "v1/kustomizations") {
			return false
		}
		kubetest.Fail(w, 403, "Forbidden", "not everywhere")
		return true
	})
	text, code := f.run(t, "status")
	for _, want := range []string{"only namespace flux-system is seen", "flux-system/platform   Ready"} {
		if code != ExitOK || !strings.Contains(text, want) {
			t.Errorf("exit code %d, and %q is not there\n%s", code, want, text)
		}
	}
}
