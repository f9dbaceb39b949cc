package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// fluxManager is the field manager with which kustomize-controller applies
// (kustomize-controller, main.go, controllerName).
const fluxManager = "kustomize-controller"

// lookPreApply applies the object of a seed, unless it is there: then somebody
// was first, be it an earlier run of standup, Flux, or a person, and nothing is
// overwritten.
func (r *run) lookPreApply(s *step) {
	if s.working {
		return
	}
	seed := r.seeds[baseOf(s.ID)]
	object := withRun(seed.Object, r.seq.ID)
	s.working = true
	r.observe(s, waiters.Observation{State: waiters.Progressing, Reason: "PreApply", Message: "is being applied early"}, time.Now())
	var others string
	applied := false
	r.work(s, func(ctx context.Context, _ func(waiters.Observation)) error {
		return waiters.Retry(ctx, r.seq.Pace.Write, func() error {
			live, err := r.seq.Looker.Get(ctx, object.GroupVersionKind(), object.GetNamespace(), object.GetName())
			switch {
			case err == nil:
				others = ownersOf(live)
				return nil
			case !apierrors.IsNotFound(err):
				return err
			}
			if err := r.seq.Repair.Seeder.Seed(ctx, object, true); err != nil {
				return err
			}
			if err := r.seq.Repair.Seeder.Seed(ctx, object, false); err != nil {
				return err
			}
			applied = true
			return nil
		})
	}, func(r *run, s *step, err error) {
		s.working = false
		if err != nil {
			r.writeFailed(s, fmt.Errorf("pre-apply %s: %w", s.Object, discreet(err, seed.RedactText)))
			return
		}
		if applied {
			r.moved = time.Now()
			r.emit(event.StepActed{Step: s.ID, Action: event.PreApplied, Cause: s.Cause})
			r.observe(s, waiters.Observation{State: waiters.Progressing, Reason: "PreApplied", Message: "applied early; Flux has not made it its own yet"}, time.Now())
		}
		if others != "" {
			r.foreign[s.Object] = others
			r.emit(event.Warned{Object: s.Object, Message: fmt.Sprintf("%s exists already and belongs to %s: it is left as it is", s.Object, others)})
		}
		r.succeed(s)
	})
}

// discreet is err without the values that came from Secrets: an API server, or a
// webhook, that refuses an object quotes it.
func discreet(err error, redact func(string) string) error {
	if redact == nil {
		return err
	}
	return &discreetError{text: redact(err.Error()), err: err}
}

type discreetError struct {
	text string
	err  error
}

func (e *discreetError) Error() string { return e.text }
func (e *discreetError) Unwrap() error { return e.err }

func withRun(o *unstructured.Unstructured, run string) *unstructured.Unstructured {
	u := o.DeepCopy()
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[PreApplied] = run
	u.SetAnnotations(annotations)
	return u
}

// ownersOf names the field managers of an object, if they do not include
// kustomize-controller: what that owns will be adopted, or has been.
func ownersOf(live *unstructured.Unstructured) string {
	var managers []string
	for _, f := range live.GetManagedFields() {
		if f.Manager == fluxManager && f.Operation == metav1.ManagedFieldsOperationApply {
			return ""
		}
		if f.Subresource == "" {
			managers = append(managers, f.Manager)
		}
	}
	slices.Sort(managers)
	return strings.Join(slices.Compact(managers), ", ")
}

// NotBroughtError means that a kind did not appear although its provider is
// there.
type NotBroughtError struct {
	// Kind is spelt Kind.group.
	Kind     string
	Provider tiers.Ref
	// Owners names who owns the provider, when that is not Flux.
	Owners string
	Err    error
}

// Error says what was waited for.
func (e *NotBroughtError) Error() string {
	text := fmt.Sprintf("%s was not served", e.Kind)
	if !e.Provider.IsZero() {
		text += fmt.Sprintf(", although %s, which brings it, exists", e.Provider)
	}
	if e.Owners != "" {
		text += fmt.Sprintf("; it belongs to %s and is not as git has it: delete it, or look at what its operator says of it", e.Owners)
	}
	return text
}

// Unwrap returns the end of the wait.
func (e *NotBroughtError) Unwrap() error { return e.Err }

// lookServed waits until the API server serves a kind: discovery lists a custom
// kind only once its CustomResourceDefinition is Established.
func (r *run) lookServed(s *step) {
	if s.working {
		return
	}
	awaited := r.awaited[baseOf(s.ID)]
	gvk, provider := awaited.gvk, awaited.provider
	probe := waiters.NewKindServed(gvk.String(), r.seq.Looker, gvk)
	s.working = true
	r.work(s, func(ctx context.Context, seen func(waiters.Observation)) error {
		return waiters.Wait(ctx, probe, r.seq.Pace.Look, seen)
	}, func(r *run, s *step, err error) {
		s.working = false
		switch {
		case err == nil:
			r.succeed(s)
		case r.ctx.Err() != nil:
		case isDeadline(err):
			lost := &NotBroughtError{Kind: s.Object.Name, Provider: provider, Owners: r.foreign[provider], Err: ErrOutOfTime}
			if lost.Owners != "" {
				lost.Err = nil // waiting longer does not help
			}
			r.fail(s, lost)
		default:
			r.fail(s, err)
		}
	})
}

var errNotAdopted = errors.New("it has yet to be applied by Flux")

// lookHandover waits until kustomize-controller has applied a pre-applied
// object itself: our annotation is gone then.
func (r *run) lookHandover(s *step) {
	if s.working {
		return
	}
	object := r.seeds[stepID(tiers.PreApply, s.Object)].Object
	if object == nil || r.foreign[s.Object] != "" {
		r.succeed(s) // there is nothing of ours to hand over
		return
	}
	s.working = true
	r.work(s, func(ctx context.Context, _ func(waiters.Observation)) error {
		return waiters.Retry(ctx, r.seq.Pace.Look, func() error {
			live, err := r.seq.Looker.Get(ctx, object.GroupVersionKind(), object.GetNamespace(), object.GetName())
			if err != nil {
				return err
			}
			if _, ours := live.GetAnnotations()[PreApplied]; ours {
				return errNotAdopted
			}
			return nil
		})
	}, func(r *run, s *step, err error) {
		s.working = false
		switch {
		case err == nil:
			r.succeed(s)
		case r.ctx.Err() != nil:
		default:
			r.fail(s, fmt.Errorf("%w: %w", ErrOutOfTime, errNotAdopted))
		}
	})
}
