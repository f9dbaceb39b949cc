package cli

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

// One cause stops the run, what is behind it is not blamed, and the exit code
// tells a script what kind of help is needed.
func TestResumeFailsByItsCause(t *testing.T) {
	for name, tt := range failures() {
		t.Run(name, func(t *testing.T) {
			f := everyOutput(t, name, tt.code, func() *fleet {
				f := newFleet(t, chain(suspended)...)
				f.reconciles(t, map[string]outcome{"platform": tt.end})
				return f
			}, tt.flags...)
			if got := f.written(); slices.ContainsFunc(got, func(w string) bool { return strings.HasSuffix(w, "/apps") }) {
				t.Errorf("it went on behind the failure: %v", got)
			}
		})
	}
}

// What is refused before there is a plan is told in every output, and nothing
// is written but the lock.
func TestResumeIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*testing.T, *fleet)
		code  int
	}{
		{"no-controller", func(t *testing.T, f *fleet) { t.Helper(); f.Put(t, controller("source-controller", 0)) }, ExitPrecondition},
		{"denied", func(_ *testing.T, f *fleet) { f.Deny("kustomizations") }, ExitUnreachable},
		{"cycle", func(t *testing.T, f *fleet) {
			t.Helper()
			f.change(t, "cilium", behind("apps"))
		}, ExitVerdict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := everyOutput(t, tt.name, tt.code, func() *fleet {
				f := newFleet(t, chain(suspended)...)
				tt.spoil(t, f)
				return f
			})
			f.wrote(t)
		})
	}
}

func TestResumeWhileAnotherRunHoldsTheLock(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.Put(t, heldBy("elsewhere/7/-/x1", time.Now()))
	order := f.order(t, threeTiers)
	for _, output := range outputs() {
		f.golden(t, "resume-locked."+output, ExitLocked, "resume", "-f", order, "-o", output)
	}
	if got := f.holder(t); got != "elsewhere/7/-/x1" {
		t.Errorf("the lock is held by %q", got)
	}
	f.unchanged(t)
	// Who only looks needs no lock.
	for _, command := range []string{"plan", "status", "check"} {
		if text, code := f.run(t, command, "-f", order); code != ExitOK {
			t.Errorf("%s: exit code %d\n%s", command, code, text)
		}
	}
}

// A holder that has not been heard of for long does not count.
func TestResumeTakesALockThatWasLeft(t *testing.T) {
	f := newFleet(t, chain()...)
	f.Put(t, heldBy("elsewhere/7/-/x1", time.Now().Add(-time.Hour)))
	if text, code := f.run(t, "resume", "-f", f.order(t, threeTiers)); code != ExitOK {
		t.Errorf("exit code %d\n%s", code, text)
	}
	if got := f.holder(t); got != "" {
		t.Errorf("the lock is held by %q", got)
	}
}

func heldBy(holder string, renewed time.Time) *coordinationv1.Lease {
	seconds, at := int32(15), metav1.NewMicroTime(renewed)
	return &coordinationv1.Lease{
		TypeMeta:   metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "standup"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &at, RenewTime: &at},
	}
}

// stuck is a run that has un-suspended cilium, which never gets anywhere.
func stuck(t *testing.T, flags ...string) (*fleet, *running) {
	t.Helper()
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, map[string]outcome{"cilium": busy})
	r := f.start(t, append([]string{"resume", "-f", f.order(t, threeTiers)}, flags...)...)
	r.errs.await(t, "cilium: started")
	return f, r
}

// A signal ends the run at once, gives the lock back, and leaves nothing half
// done.
func TestResumeIsInterrupted(t *testing.T) {
	for cause, want := range map[error]int{ErrInterrupted: ExitInterrupted, ErrTerminated: ExitTerminated} {
		t.Run(cause.Error(), func(t *testing.T) {
			f, r := stuck(t)
			r.stop(cause)
			if code := r.end(t); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			if got := f.holder(t); got != "" {
				t.Errorf("the lock is held by %q", got)
			}
			for _, want := range []string{"Stopped after", "Why: " + cause.Error(), "In flight: cilium (Flux goes on with them by itself)"} {
				if !strings.Contains(r.out.String(), want) {
					t.Errorf("%q is not there\n%s", want, r.out)
				}
			}
			f.wrote(t, "cilium")
		})
	}
}

func TestResumeRunsOutOfTime(t *testing.T) {
	_, r := stuck(t, "--timeout", "2s")
	if code := r.end(t); code != ExitOutOfTime {
		t.Errorf("exit code %d, want %d", code, ExitOutOfTime)
	}
	for _, want := range []string{"Failed after", "Kustomization flux-system/cilium", "seen:   Progressing"} {
		if !strings.Contains(r.out.String(), want) {
			t.Errorf("%q is not there\n%s", want, r.out)
		}
	}
}

func TestResumeWhenTheTokenIsRevoked(t *testing.T) {
	f, r := stuck(t)
	f.SetFault(revoked)
	f.CutWatches()
	if code := r.end(t); code != ExitUnreachable || !strings.Contains(r.out.String(), "refuses the credentials") {
		t.Errorf("exit code %d, want %d\n%s", code, ExitUnreachable, r.out)
	}
}

func TestResumeWhenTheLockIsTaken(t *testing.T) {
	f, r := stuck(t)
	f.Put(t, heldBy("elsewhere/7/-/x1", time.Now()))
	if code := r.end(t); code != ExitLocked || !strings.Contains(r.out.String(), "run x1 on elsewhere (pid 7)") {
		t.Errorf("exit code %d, want %d\n%s", code, ExitLocked, r.out)
	}
	if got := f.holder(t); got != "elsewhere/7/-/x1" {
		t.Errorf("the lock is held by %q", got)
	}
}

// A restart of the API server is no failure of the run.
func TestResumeOutlivesARestart(t *testing.T) {
	f, r := stuck(t)
	f.SetFault(func(w http.ResponseWriter, _ *http.Request) bool {
		kubetest.Fail(w, 503, "ServiceUnavailable", "starting")
		return true
	})
	f.CutWatches()
	f.CloseClientConnections()
	f.reconciles(t, nil)
	f.change(t, "cilium", applied(revision)) // nobody watches
	f.SetFault(nil)
	if code := r.end(t); code != ExitOK {
		t.Errorf("exit code %d\n%s%s", code, r.out, r.errs)
	}
}

// The failure of one branch does not stop the others, but the run has failed.
func TestResumeKeepsGoing(t *testing.T) {
	f := newFleet(t, append(chain(suspended), kustomization("monitoring", suspended, behind("cilium")))...)
	f.reconciles(t, map[string]outcome{"platform": badBuild})
	order := f.order(t, "tiers:\n  - name: cilium\n  - name: rest\n    kustomizations: [platform, monitoring]\n  - name: apps\n")
	text, code := f.run(t, "resume", "-f", order, "--keep-going")
	if code != ExitTierFailed || !strings.Contains(text, "rest: monitoring: Ready at") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	if f.get(t, "monitoring").Spec.Suspend || !f.get(t, "apps").Spec.Suspend {
		t.Errorf("monitoring is to be driven, and apps not: %v", f.written())
	}
}

// An optional tier that fails is told of, and the run has succeeded.
func TestResumeWithoutAnOptionalTier(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, map[string]outcome{"apps": badBuild})
	order := f.order(t, "tiers:\n  - name: cilium\n  - name: platform\n  - name: apps\n    optional: true\n")
	f.golden(t, "resume-optional", ExitOK, "resume", "-f", order)
}
