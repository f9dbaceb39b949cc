package kube

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/standup-sh/standup/internal/kube/kubetest"
)

// lockClient is a client on client-go's fake, which keeps no resource
// versions: the reactor refuses what a real server would.
func lockClient(t *testing.T, existing ...runtime.Object) (*Client, *kubefake.Clientset) {
	t.Helper()
	clientset := kubefake.NewClientset(existing...)
	return &Client{
		host: "https://fake", namespace: "flux-system", timeout: 15 * time.Second,
		debugf: t.Logf, warnf: t.Logf, clientset: clientset,
		ready: func(context.Context) readiness { return ready },
	}, clientset
}

func heldBy(holder string, renewed time.Time) *coordinationv1.Lease {
	seconds := int32(15)
	at := metav1.NewMicroTime(renewed)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "flux-system", Name: "standup"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &at, RenewTime: &at},
	}
}

func TestAcquire(t *testing.T) {
	const other = "elsewhere/7/-/x"
	for _, tt := range []struct {
		name   string
		holder string
		age    time.Duration
		taken  bool
		within time.Duration
	}{
		{"released", "", time.Second, true, 0},
		{"renewed just now", other, time.Second, false, 0},
		{"long expired", other, time.Hour, true, 0},
		{"a little late: watched for one renewal", other, 20 * time.Second, true, 5 * time.Second},
		{"a clock that is far ahead: watched as well", other, -time.Hour, true, 5 * time.Second},
		{"a clock that is a little ahead", other, -2 * time.Second, false, 0},
		{"held by another program", "leader-x", time.Second, false, 0},
		{"its process on this machine is dead", deadHere(t), time.Second, true, 0},
		{"its process on this machine lives", Identity("x"), time.Second, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, clientset := lockClient(t, heldBy(tt.holder, time.Now().Add(-tt.age)))
				began := time.Now()
				lock, err := c.AcquireLock(t.Context(), LockOptions{Identity: "me/1/-/r"})
				if tt.taken != (err == nil) || time.Since(began) != tt.within {
					t.Fatalf("after %s: %v", time.Since(began), err)
				}
				if tt.taken {
					releases(t, lock, clientset)
					return
				}
				var locked *LockedError
				if !errors.As(err, &locked) || locked.Holder != tt.holder {
					t.Fatalf("locked by %+v: %v", locked, err)
				}
			})
		})
	}
}

// releases checks that the lock is ours and then nobody's.
func releases(t *testing.T, lock *Lock, clientset *kubefake.Clientset) {
	t.Helper()
	if got := holder(t, clientset); got != "me/1/-/r" {
		t.Errorf("held by %q", got)
	}
	if err := lock.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := holder(t, clientset); got != "" {
		t.Errorf("after the release held by %q", got)
	}
}

func TestAcquireWatchesTheLateHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := heldBy("elsewhere/7/-/x", time.Now().Add(-20*time.Second))
		late.ResourceVersion = "1"
		c, clientset := lockClient(t, late)
		go func() {
			time.Sleep(2 * time.Second) // virtual
			renewed := late.DeepCopy()
			renewed.ResourceVersion = "2"
			_ = clientset.Tracker().Update(leaseResource, renewed, "flux-system")
		}()
		_, err := c.AcquireLock(t.Context(), LockOptions{})
		if !asError[*LockedError](err) {
			t.Errorf("took it from a holder that renews: %v", err)
		}
	})
}

func TestAcquireLosesTheRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, clientset := lockClient(t)
		clientset.PrependReactor("create", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			_ = clientset.Tracker().Add(heldBy("elsewhere/7/-/x", time.Now()))
			return true, nil, apierrors.NewAlreadyExists(schema.GroupResource{Resource: "leases"}, "standup")
		})
		_, err := c.AcquireLock(t.Context(), LockOptions{})
		if !asError[*LockedError](err) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, clientset := lockClient(t)
		began := time.Now()
		lock, err := c.AcquireLock(t.Context(), LockOptions{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // virtual
		lease := readLease(t, clientset)
		if age := time.Since(lease.Spec.RenewTime.Time); age > 4*time.Second {
			t.Errorf("renewed %s ago", age)
		}
		if got := lease.Spec.AcquireTime.Sub(began); got > time.Second {
			t.Errorf("acquired %s after it was", got)
		}
		if err := lock.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := lock.Release(t.Context()); err != nil {
			t.Errorf("released twice: %v", err)
		}
	})
}

func TestRenewalEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, clientset := lockClient(t)
		ctx, cancel := context.WithCancel(t.Context())
		lock, err := c.AcquireLock(ctx, LockOptions{})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := lock.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := holder(t, clientset); got != "" {
			t.Errorf("held by %q", got)
		}
	})
}

func TestLost(t *testing.T) {
	leases := schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
	for _, tt := range []struct {
		name  string
		err   error
		check func(error) bool
	}{
		{"unauthorised", apierrors.NewUnauthorized("token expired"), asError[*UnauthorisedError]},
		{"forbidden", apierrors.NewForbidden(leases, "standup", errors.New("no")), asError[*ForbiddenError]},
		{"taken", apierrors.NewConflict(leases, "standup", errors.New("modified")), asError[*LockedError]},
		{"the server is away", apierrors.NewServiceUnavailable("starting"), nil},
		{"the connection is cut", errors.New("EOF"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, clientset := lockClient(t)
				clientset.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
					return true, nil, tt.err
				})
				lock, err := c.AcquireLock(t.Context(), LockOptions{})
				if err != nil {
					t.Fatal(err)
				}
				_ = clientset.Tracker().Update(leaseResource, heldBy("elsewhere/7/-/x", time.Now()), "flux-system")
				began := time.Now()
				select {
				case err := <-lock.Lost():
					if tt.check == nil || !tt.check(err) {
						t.Errorf("lost: %v", err)
					}
					if after := time.Since(began); after > 5*time.Second {
						t.Errorf("noticed after %s", after)
					}
				case <-time.After(time.Minute):
					if tt.check != nil {
						t.Error("nobody noticed")
					}
				}
				_ = lock.Release(t.Context()) // the fault is still there
			})
		})
	}
}

// An answer that was lost leaves us with an old version of a lease that is
// ours all the same; one that somebody deleted is made again.
func TestRenewalHeals(t *testing.T) {
	s := kubetest.New(t)
	lock, err := connect(t, s).AcquireLock(t.Context(), LockOptions{Renew: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	leaseNow := func() map[string]any {
		return s.Get(t, "coordination.k8s.io/v1", "Lease", "flux-system", "standup")
	}
	s.Put(t, leaseNow()) // a new version that the lock has not seen
	await(t, "a renewal after the conflict", func() bool { return s.Count("GET", "/standup") >= 2 })
	s.Forget(t, "coordination.k8s.io/v1", "Lease", "flux-system", "standup")
	await(t, "the lease again", func() bool { return len(leaseNow()) > 0 })
	select {
	case err := <-lock.Lost():
		t.Errorf("lost: %v", err)
	default:
	}
	if err := lock.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := leaseNow()["spec"].(map[string]any)["holderIdentity"]; got != "" {
		t.Errorf("held by %v", got)
	}
}

func TestAcquireIsForbidden(t *testing.T) {
	s := kubetest.New(t)
	s.SetFault(func(w http.ResponseWriter, r *http.Request) bool {
		return strings.Contains(r.URL.Path, "/leases") && answering("", 403, "Forbidden")(w, r)
	})
	_, err := connect(t, s).AcquireLock(t.Context(), LockOptions{})
	if !asError[*ForbiddenError](err) {
		t.Errorf("got %v", err)
	}
}

func TestLockedErrorReads(t *testing.T) {
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for holder, want := range map[string]string{
		"box/42/-/ab12": "another run holds the lock flux-system/standup: run ab12 on box (pid 42), since 2026-10-01T12:00:00Z, last seen never",
		"somebody":      "another run holds the lock flux-system/standup: somebody, since 2026-10-01T12:00:00Z, last seen never",
	} {
		if got := (&LockedError{Lease: "flux-system/standup", Holder: holder, Since: at}).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

var leaseResource = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}

func readLease(t *testing.T, clientset *kubefake.Clientset) *coordinationv1.Lease {
	t.Helper()
	lease, err := clientset.CoordinationV1().Leases("flux-system").Get(t.Context(), "standup", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func holder(t *testing.T, clientset *kubefake.Clientset) string {
	t.Helper()
	return deref(readLease(t, clientset).Spec.HolderIdentity)
}
