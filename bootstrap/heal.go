package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/waiters"
)

// awaitKind watches for the kind that the last attempt of s missed, and reports
// whether a nudge is worth it now: an attempt while the kind is absent only
// fails once more. The API server is asked, not the controller, whose answer
// may be a stale cache.
func (r *run) awaitKind(s *step, now time.Time) bool {
	gvk := waiters.MissingGVK(s.seen.Message)
	switch {
	case gvk.Kind == "" || s.drive.kindServed:
		return true
	case s.drive.awaitingKind:
		return false
	}
	s.drive.awaitingKind = true
	probe := waiters.NewKindServed(gvk.String(), r.seq.Looker, gvk)
	absent := false
	r.work(s, func(ctx context.Context, _ func(waiters.Observation)) error {
		return waiters.Wait(ctx, probe, r.seq.Pace.Look, func(o waiters.Observation) { absent = absent || o.State != waiters.Ready })
	}, func(_ *run, s *step, err error) {
		s.drive.awaitingKind = false
		s.drive.kindServed = err == nil
		switch {
		case err != nil:
		case absent:
			// It has just come: no reason to sit out the pace of failures.
			s.drive.nextNudge, s.drive.contradicted = now, 0
		case r.attempts(s) > s.drive.counted:
			s.drive.counted = r.attempts(s) // one attempt is looked into more than once
			s.drive.contradicted++
			r.outOfDate(s, gvk.GroupKind())
		}
	})
	return false
}

// contradictions is how many attempts may fail on a kind that is served all
// along before the controller is held to be out of date: a miss makes it look
// again (controller-runtime, pkg/client/apiutil/restmapper.go), so that the
// second should pass.
const contradictions = 2

// ErrOutOfDate ends a step whose controller has to be restarted first.
var ErrOutOfDate = errors.New("what kustomize-controller remembers of the API is out of date")

// outOfDate acts when a controller keeps missing a kind that the API server
// serves: what it remembers only goes with the process. It is restarted once,
// if that is allowed.
func (r *run) outOfDate(s *step, gk schema.GroupKind) {
	if s.drive.contradicted < contradictions || r.restarted[fluxManager] {
		return
	}
	r.restarted[fluxManager] = true
	what := fmt.Sprintf("%s keeps missing %s, which the API server serves: what it remembers of the API is out of date", fluxManager, gk)
	if r.seq.Repair == nil || r.seq.Repair.Restarter == nil {
		remedy := "kubectl rollout restart deployment " + fluxManager + ", or let standup do it with --restart-controllers"
		r.emit(event.Warned{Object: s.Object, Message: what + "; restart it: " + remedy})
		seen := s.seen
		seen.Cause.Remedy = "Restart " + fluxManager + ": " + remedy + "."
		r.observe(s, seen, time.Now())
		if r.seq.Narrow {
			r.fail(s, ErrOutOfDate) // there is nothing else to wait for
		}
		return
	}
	token := time.Now().UTC().Format(time.RFC3339)
	r.work(s, func(ctx context.Context, _ func(waiters.Observation)) error {
		return waiters.Retry(ctx, r.seq.Pace.Write, func() error { return r.seq.Repair.Restarter.Restart(ctx, fluxManager, token) })
	}, func(r *run, s *step, err error) {
		if err != nil {
			r.emit(event.Warned{Object: s.Object, Message: fmt.Sprintf("%s; it could not be restarted: %v", what, err)})
			return
		}
		r.moved = time.Now()
		r.emit(event.StepActed{Step: s.ID, Action: event.Restarted, Cause: what})
	})
}

// unstick nudges an object that says that it is being reconciled and has not
// changed for longer than any pass takes. kustomize-controller leaves one behind
// when it cannot write the end of a pass (the API server was away): the object
// says "Reconciliation in progress" and the controller sleeps a retryInterval
// (kustomization_controller.go, the RequeueAfter that follows a failed pass).
func (r *run) unstick(s *step, k *kustomizev1.Kustomization, want string, now time.Time) {
	if k.ResourceVersion != s.drive.stamp {
		s.drive.stamp, s.drive.stampedAt = k.ResourceVersion, now
	}
	limit := r.seq.Pace.Stuck
	if waiters.AppliedAt(k, want) {
		limit += k.GetTimeout() // it runs its health checks, and they may take that long
	}
	if still := now.Sub(s.drive.stampedAt); still < limit {
		s.dueAt(now.Add(limit - still))
		return
	}
	r.nudge(s, now, s.drive.failed, fmt.Sprintf("it says that it is in progress and has not changed for %s", limit))
}

// patience is how long a cause that needs action may stand once nothing else
// in the run moves. What an operator brings in its own time, such as a kind, a
// namespace or a Secret, is waited for longer than what only a person or git
// can bring.
func (p Pace) patience(kind waiters.CauseKind) time.Duration {
	switch kind { //nolint:exhaustive // the others are not an operator's to bring
	case waiters.MissingKind, waiters.MissingNamespace, waiters.SubstituteMissing, waiters.AdmissionDenied, waiters.Unauthorised:
		return p.Patience
	}
	return p.Grace
}
