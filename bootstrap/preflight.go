package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Inspector answers what a preflight asks beyond the Flux objects themselves.
type Inspector interface {
	// Controllers lists Flux's controllers that run in the namespace.
	Controllers(ctx context.Context, namespace string) ([]Controller, error)
	// Can returns those of the accesses that the credentials do not have.
	Can(ctx context.Context, want []Access) ([]Denied, error)
	// Terminating returns those of the CustomResourceDefinitions that are being
	// deleted. One that may not be read is not among them.
	Terminating(ctx context.Context, names []string) ([]string, error)
}

// PreconditionError means that something is missing that neither Flux nor
// standup can bring. It names the thing.
type PreconditionError struct{ What, Remedy string }

// Error names the thing and what to do.
func (e *PreconditionError) Error() string { return e.What + "; " + e.Remedy }

// AccessError means that the credentials work and are not allowed enough.
type AccessError struct{ Denied []Denied }

// Error lists what is not allowed.
func (e *AccessError) Error() string {
	var s []string
	for _, a := range e.Denied {
		s = append(s, a.String())
	}
	return "the credentials may not " + strings.Join(s, ", nor ") + "; docs/reference/rbac.yaml has the role that is needed"
}

// Check names of the preflight.
const (
	CheckAccess      = "access"
	CheckControllers = "controllers"
	CheckSource      = "source"
)

// Preflight checks, before anything is changed, that a run can succeed at all:
// permissions, controllers, the source. Budget is how long controllers that
// are wanted but not yet available may take; they have often just been
// installed. The error is that of the first check that failed; the results
// hold all that were made.
func Preflight(ctx context.Context, i Inspector, w World, namespace string, order *tiers.TierOrder, patience waiters.Policy, budget time.Duration) ([]event.PreflightChecked, error) {
	checks := []struct {
		name string
		run  func() (string, error)
	}{
		{CheckAccess, func() (string, error) { return checkAccess(ctx, i, w, namespace) }},
		{CheckControllers, func() (string, error) { return checkControllers(ctx, i, namespace, patience, budget) }},
		{CheckSource, func() (string, error) { return checkSource(w, order) }},
	}
	var results []event.PreflightChecked
	for _, c := range checks {
		detail, err := c.run()
		results = append(results, event.PreflightChecked{Name: c.name, Detail: detail, Err: err})
		if err != nil {
			return results, err
		}
	}
	return results, nil
}

// checkKinds refuses a cluster whose Flux was deleted and did not go: the
// definitions wait for finalizers that nobody is left to remove, and everything
// of their kinds is refused or deleted.
func checkKinds(ctx context.Context, i Inspector) error {
	going, err := i.Terminating(ctx, fluxDefinitions())
	if err != nil {
		return err
	}
	if len(going) > 0 {
		return &PreconditionError{
			What:   "Flux was deleted from this cluster and did not go: " + strings.Join(going, ", ") + " is being deleted",
			Remedy: "take the finalizers from its objects (kubectl get -A, then kubectl patch --type merge -p '{\"metadata\":{\"finalizers\":null}}'), wait until it is gone, and install Flux again",
		}
	}
	return nil
}

// fluxDefinitions are the kinds without which nothing can be stood up.
func fluxDefinitions() []string {
	return []string{
		"kustomizations." + kustomizeGroup, "gitrepositories." + sourceGroup, "ocirepositories." + sourceGroup,
		"buckets." + sourceGroup, "helmreleases.helm.toolkit.fluxcd.io",
	}
}

// LockName is the Lease, in Flux's namespace, that lets one run in at a time.
const LockName = "standup"

// Flux API groups.
const (
	kustomizeGroup = "kustomize.toolkit.fluxcd.io"
	sourceGroup    = "source.toolkit.fluxcd.io"
)

// checkAccess asks for exactly what this run will do: patch what exists.
func checkAccess(ctx context.Context, i Inspector, w World, namespace string) (string, error) {
	namespaces := map[Access]bool{}
	for _, k := range w.Kustomizations() {
		namespaces[Access{Verb: "patch", Group: kustomizeGroup, Resource: "kustomizations", Namespace: k.Namespace}] = true
	}
	for _, s := range w.Sources() {
		namespaces[Access{Verb: "patch", Group: sourceGroup, Resource: plural(s.Kind), Namespace: s.Namespace}] = true
	}
	want := make([]Access, 0, len(namespaces)+1)
	for a := range namespaces {
		want = append(want, a)
	}
	want = append(want, Access{Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Namespace: namespace, Name: LockName})
	slices.SortFunc(want, func(a, b Access) int { return strings.Compare(a.String(), b.String()) })
	denied, err := i.Can(ctx, want)
	if err != nil {
		return "", err
	}
	if len(denied) > 0 {
		return "", &AccessError{Denied: denied}
	}
	return fmt.Sprintf("%d permissions", len(want)), nil
}

func plural(kind string) string {
	if kind == tiers.KindGitRepository || kind == tiers.KindOCIRepository {
		return strings.ToLower(strings.TrimSuffix(kind, "y")) + "ies"
	}
	return strings.ToLower(kind) + "s"
}

// needed are the controllers without which nothing moves.
func needed() []string { return []string{"source-controller", "kustomize-controller"} }

// checkControllers wants Flux's kinds to stay, and both controllers available.
// One that is scaled to zero, or absent, will not come by waiting.
func checkControllers(ctx context.Context, i Inspector, namespace string, patience waiters.Policy, budget time.Duration) (string, error) {
	if err := checkKinds(ctx, i); err != nil {
		return "", err
	}
	var detail string
	var missing, failed error
	look := func() error {
		var found []Controller
		if found, failed = i.Controllers(ctx, namespace); failed != nil {
			return failed
		}
		if detail, missing = judgeControllers(found, namespace); errors.Is(missing, errNotAvailable) {
			return missing // worth another look
		}
		return nil
	}
	if err := look(); errors.Is(err, errNotAvailable) && budget > 0 {
		wait, cancel := context.WithTimeout(ctx, budget)
		defer cancel()
		_ = waiters.Retry(wait, patience, look) // look keeps what it saw last
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case failed != nil:
		return "", failed
	case missing != nil:
		return "", missing
	}
	return detail, nil
}

var errNotAvailable = errors.New("not available yet")

type unavailableError struct{ PreconditionError }

func (e *unavailableError) Is(target error) bool { return target == errNotAvailable }
func (e *unavailableError) Unwrap() error        { return &e.PreconditionError }

func judgeControllers(found []Controller, namespace string) (string, error) {
	var detail []string
	for _, name := range needed() {
		i := slices.IndexFunc(found, func(c Controller) bool { return c.Name == name })
		switch {
		case i < 0:
			return "", &PreconditionError{
				What:   fmt.Sprintf("%s is not installed in namespace %s", name, namespace),
				Remedy: "install Flux first (flux install, or flux-operator), or name its namespace with --namespace",
			}
		case found[i].Replicas == 0:
			return "", &PreconditionError{
				What:   fmt.Sprintf("%s/%s is scaled to zero", found[i].Namespace, name),
				Remedy: fmt.Sprintf("kubectl -n %s scale deployment %s --replicas=1", found[i].Namespace, name),
			}
		case found[i].Available == 0:
			return "", &unavailableError{PreconditionError{
				What:   fmt.Sprintf("%s/%s has no available replica", found[i].Namespace, name),
				Remedy: fmt.Sprintf("see why: kubectl -n %s describe deployment %s", found[i].Namespace, name),
			}}
		}
		detail = append(detail, strings.TrimSpace(name+" "+found[i].Version))
	}
	return strings.Join(detail, ", "), nil
}

// checkSource wants the source that TIER_ORDER names, or that any
// Kustomization refers to, to exist. Whether it has an artifact is waited for.
func checkSource(w World, order *tiers.TierOrder) (string, error) {
	if order != nil && !order.Source.IsZero() {
		if _, ok := w.Source(order.Source); !ok {
			return "", &PreconditionError{
				What:   fmt.Sprintf("%s, the source that TIER_ORDER names, does not exist", order.Source),
				Remedy: "create it (flux bootstrap does), or correct source in TIER_ORDER",
			}
		}
		return order.Source.String(), nil
	}
	if len(w.Kustomizations()) == 0 {
		return "", &PreconditionError{
			What:   "the cluster has no Flux Kustomization",
			Remedy: "apply the root Kustomization first (flux bootstrap does)",
		}
	}
	if n := len(w.Sources()); n != 1 {
		return fmt.Sprintf("%d sources", n), nil
	}
	return "1 source", nil
}
