package bootstrap_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// inspector answers a preflight. It may do everything and has Flux, unless told otherwise.
type inspector struct {
	controllers func() ([]bootstrap.Controller, error)
	denied      []bootstrap.Denied
	err         error
	asked       []string
	namespaces  []string
	going       []string // definitions that are being deleted
}

// Terminating implements bootstrap.Inspector.
func (i *inspector) Terminating(_ context.Context, names []string) ([]string, error) {
	var found []string
	for _, name := range names {
		if slices.Contains(i.going, name) {
			found = append(found, name)
		}
	}
	return found, i.err
}

// Can implements bootstrap.Inspector.
func (i *inspector) Can(_ context.Context, want []bootstrap.Access) ([]bootstrap.Denied, error) {
	for _, a := range want {
		i.asked = append(i.asked, a.String())
	}
	return i.denied, i.err
}

// Controllers implements bootstrap.Inspector.
func (i *inspector) Controllers(_ context.Context, namespace string) ([]bootstrap.Controller, error) {
	i.namespaces = append(i.namespaces, namespace)
	if i.controllers != nil {
		return i.controllers()
	}
	return []bootstrap.Controller{controller("source-controller", 1, 1), controller("kustomize-controller", 1, 1)}, nil
}

func controller(name string, replicas, available int32) bootstrap.Controller {
	return bootstrap.Controller{Namespace: "flux-system", Name: name, Version: "v1.9.6", Replicas: replicas, Available: available}
}

// healthy is a cluster of one Kustomization.
func healthy() *flux {
	f := newFlux()
	f.add("apps", behaviour{takes: time.Second})
	return f
}

// check makes a preflight of f, patient for budget.
func check(t *testing.T, i *inspector, f *flux, o *tiers.TierOrder, budget time.Duration) ([]event.PreflightChecked, error) {
	t.Helper()
	return bootstrap.Preflight(t.Context(), i, f, "flux-system", o, bootstrap.DefaultPace().Look, budget)
}

func TestAPreflightThatPassesSaysWhatItFound(t *testing.T) {
	got, err := check(t, &inspector{}, healthy(), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []event.PreflightChecked{
		{Name: "access", Detail: "3 permissions"},
		{Name: "controllers", Detail: "source-controller v1.9.6, kustomize-controller v1.9.6"},
		{Name: "source", Detail: "1 source"},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAPreflightAsksForExactlyWhatARunDoes(t *testing.T) {
	f := healthy()
	f.add("more", behaviour{})
	other := f.add("elsewhere", behaviour{})
	other.Namespace = "tenant"
	for _, kind := range []string{tiers.KindOCIRepository, tiers.KindBucket, tiers.KindExternalArtifact} {
		ref := tiers.Ref{Kind: kind, Namespace: "tenant", Name: "x"}
		f.sources[ref] = waiters.Source{Kind: kind, Namespace: "tenant", Name: "x"}
	}
	i := &inspector{}
	if _, err := check(t, i, f, nil, 0); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"patch buckets.source.toolkit.fluxcd.io in namespace tenant",
		"patch externalartifacts.source.toolkit.fluxcd.io in namespace tenant",
		"patch gitrepositories.source.toolkit.fluxcd.io in namespace flux-system",
		"patch kustomizations.kustomize.toolkit.fluxcd.io in namespace flux-system",
		"patch kustomizations.kustomize.toolkit.fluxcd.io in namespace tenant",
		"patch ocirepositories.source.toolkit.fluxcd.io in namespace tenant",
		"update leases.coordination.k8s.io standup in namespace flux-system",
	}
	if diff := cmp.Diff(want, i.asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAccessReadsAsKubectlWritesIt(t *testing.T) {
	for want, a := range map[string]bootstrap.Access{
		"list namespaces": {Verb: "list", Resource: "namespaces"},
		"get deployments.apps/status kustomize-controller in namespace flux-system": {
			Verb: "get", Group: "apps", Resource: "deployments", Subresource: "status", Name: "kustomize-controller", Namespace: "flux-system",
		},
	} {
		if got := a.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDeniedAccessIsNamedAndNothingElseIsChecked(t *testing.T) {
	i := &inspector{denied: []bootstrap.Denied{
		{Access: bootstrap.Access{Verb: "patch", Group: "kustomize.toolkit.fluxcd.io", Resource: "kustomizations", Namespace: "flux-system"}},
		{Access: bootstrap.Access{Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Namespace: "flux-system", Name: "standup"}, Reason: "no"},
	}}
	results, err := check(t, i, healthy(), nil, time.Minute)
	var denied *bootstrap.AccessError
	if !errors.As(err, &denied) || len(denied.Denied) != 2 {
		t.Fatalf("err = %v, want an AccessError of two", err)
	}
	const want = "the credentials may not patch kustomizations.kustomize.toolkit.fluxcd.io in namespace flux-system, " +
		"nor update leases.coordination.k8s.io standup in namespace flux-system; docs/reference/rbac.yaml has the role that is needed"
	if err.Error() != want {
		t.Errorf("message = %s", err)
	}
	if len(results) != 1 || results[0].Name != bootstrap.CheckAccess || !errors.Is(results[0].Err, err) || len(i.namespaces) != 0 {
		t.Errorf("results = %+v after %d looks at controllers, want access alone", results, len(i.namespaces))
	}
}

func TestAccessThatCannotBeAskedForIsTheError(t *testing.T) {
	down := errors.New("connection refused")
	if _, err := check(t, &inspector{err: down}, healthy(), nil, 0); !errors.Is(err, down) {
		t.Errorf("err = %v, want that of the API server", err)
	}
}

func TestControllersThatWillNotComeByWaiting(t *testing.T) {
	down := errors.New("connection refused")
	for name, c := range map[string]struct {
		found []bootstrap.Controller
		err   error
		want  string
	}{
		"absent": {
			found: []bootstrap.Controller{controller("source-controller", 1, 1)},
			want:  "kustomize-controller is not installed in namespace flux-system; install Flux first (flux install, or flux-operator), or name its namespace with --namespace",
		},
		"scaled to zero": {
			found: []bootstrap.Controller{controller("source-controller", 0, 0), controller("kustomize-controller", 1, 1)},
			want:  "flux-system/source-controller is scaled to zero; kubectl -n flux-system scale deployment source-controller --replicas=1",
		},
		"not to be listed": {err: down, want: "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				i := &inspector{controllers: func() ([]bootstrap.Controller, error) { return c.found, c.err }}
				results, err := check(t, i, healthy(), nil, time.Hour)
				if err == nil || err.Error() != c.want {
					t.Errorf("err = %v\nwant %s", err, c.want)
				}
				if _, precondition := errors.AsType[*bootstrap.PreconditionError](err); precondition != (c.err == nil) {
					t.Errorf("%v is a precondition: %v", err, precondition)
				}
				if len(results) != 2 || time.Since(start) != 0 {
					t.Errorf("%d results after %s, want the second to fail at once", len(results), time.Since(start))
				}
			})
		})
	}
}

// starting are controllers of which one is available only from a moment on.
func starting(from time.Time) func() ([]bootstrap.Controller, error) {
	return func() ([]bootstrap.Controller, error) {
		late := controller("kustomize-controller", 1, 0)
		if !time.Now().Before(from) {
			late.Available = 1
		}
		return []bootstrap.Controller{controller("source-controller", 1, 1), late}, nil
	}
}

func TestControllersMayTakeAsLongAsTheBudget(t *testing.T) {
	const unavailable = "flux-system/kustomize-controller has no available replica; see why: kubectl -n flux-system describe deployment kustomize-controller"
	for name, c := range map[string]struct {
		after, budget time.Duration
		want          string
		atLeast       time.Duration
		atMost        time.Duration
	}{
		"at once":        {0, time.Minute, "", 0, 0},
		"in time":        {40 * time.Second, time.Minute, "", 40 * time.Second, 44 * time.Second},
		"too late":       {2 * time.Minute, time.Minute, unavailable, time.Minute, time.Minute},
		"without budget": {time.Second, 0, unavailable, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := check(t, &inspector{controllers: starting(start.Add(c.after))}, healthy(), nil, c.budget)
				switch {
				case c.want == "" && err != nil:
					t.Errorf("err = %v", err)
				case c.want != "":
					if _, ok := errors.AsType[*bootstrap.PreconditionError](err); !ok || err.Error() != c.want {
						t.Errorf("err = %v, want the precondition %s", err, c.want)
					}
				}
				if took := time.Since(start); took < c.atLeast || took > c.atMost {
					t.Errorf("took %s, want %s to %s", took, c.atLeast, c.atMost)
				}
			})
		})
	}
}

func TestALookAtControllersThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, looks := time.Now(), 0
		ready := starting(start.Add(5 * time.Second))
		i := &inspector{controllers: func() ([]bootstrap.Controller, error) {
			if looks++; looks == 2 {
				return nil, errors.New("connection reset by peer")
			}
			return ready()
		}}
		if _, err := check(t, i, healthy(), nil, time.Minute); err != nil {
			t.Errorf("err = %v, want the second look's failure outlived", err)
		}
	})
}

func TestAControllerThatIsScaledDownWhileItIsWaitedForIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		i := &inspector{controllers: func() ([]bootstrap.Controller, error) {
			replicas := int32(1)
			if time.Since(start) > 10*time.Second {
				replicas = 0
			}
			return []bootstrap.Controller{controller("source-controller", 1, 1), controller("kustomize-controller", replicas, 0)}, nil
		}}
		_, err := check(t, i, healthy(), nil, time.Hour)
		if err == nil || !strings.Contains(err.Error(), "scaled to zero") || time.Since(start) > 15*time.Second {
			t.Errorf("after %s: %v, want scaled to zero", time.Since(start), err)
		}
	})
}

func TestAnInterruptWhileControllersAreWaitedForIsAnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Second, func() { cancel(errInterrupted) })
		_, err := bootstrap.Preflight(ctx, &inspector{controllers: starting(start.Add(time.Hour))}, healthy(), "flux-system", nil, bootstrap.DefaultPace().Look, time.Minute)
		if !errors.Is(err, errInterrupted) {
			t.Errorf("err = %v, want interrupted", err)
		}
	})
}

func TestCredentialsThatAreRevokedWhileControllersAreWaitedForAreTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, refused := time.Now(), errors.New("Unauthorized")
		i := &inspector{controllers: func() ([]bootstrap.Controller, error) {
			if time.Since(start) > 5*time.Second {
				return nil, waiters.TerminalError(refused)
			}
			return starting(start.Add(time.Hour))()
		}}
		if _, err := check(t, i, healthy(), nil, time.Minute); !errors.Is(err, refused) {
			t.Errorf("err = %v, want the refusal", err)
		}
	})
}

func TestWhatARunComesFromMustExist(t *testing.T) {
	named := order(t, "source: {kind: GitRepository, name: home, namespace: flux-system}\ntiers: [{name: apps}]")
	here := order(t, "source: {kind: GitRepository, name: flux-system, namespace: flux-system}\ntiers: [{name: apps}]")
	for name, c := range map[string]struct {
		f     *flux
		order *tiers.TierOrder
		want  string // detail, or what is missing
		fails bool
	}{
		"the source that TIER_ORDER names":  {healthy(), here, "GitRepository/flux-system/flux-system", false},
		"no source named":                   {healthy(), order(t, "tiers: [{name: apps}]"), "1 source", false},
		"TIER_ORDER's source does not":      {healthy(), named, "GitRepository/flux-system/home, the source that TIER_ORDER names, does not exist; create it (flux bootstrap does), or correct source in TIER_ORDER", true},
		"no Kustomization":                  {newFlux(), nil, "the cluster has no Flux Kustomization; apply the root Kustomization first (flux bootstrap does)", true},
		"the named source is there already": {newFlux(), here, "GitRepository/flux-system/flux-system", false},
	} {
		t.Run(name, func(t *testing.T) {
			results, err := check(t, &inspector{}, c.f, c.order, 0)
			last := results[len(results)-1]
			if last.Name != bootstrap.CheckSource || len(results) != 3 {
				t.Fatalf("results = %+v", results)
			}
			got := last.Detail
			if err != nil {
				got = err.Error()
			}
			if got != c.want || (err != nil) != c.fails {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// J06: Flux was deleted and its definitions wait for finalizers.
func TestJ06AClusterWhoseFluxDidNotGoIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &inspector{going: []string{"kustomizations.kustomize.toolkit.fluxcd.io"}}
		checks, err := check(t, i, healthy(), nil, 0)
		var missing *bootstrap.PreconditionError
		if !errors.As(err, &missing) || !strings.Contains(missing.What, "kustomizations.kustomize.toolkit.fluxcd.io") || !strings.Contains(missing.Remedy, "finalizers") {
			t.Errorf("got %v", err)
		}
		if len(checks) != 2 || checks[1].Name != bootstrap.CheckControllers {
			t.Errorf("checked %v", checks)
		}
	})
}
