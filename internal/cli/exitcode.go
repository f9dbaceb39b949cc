package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/kube"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Exit codes are part of the contract; docs/reference/exit-codes.md is
// generated from ExitCodes.
const (
	ExitOK           = 0
	ExitBug          = 1
	ExitUsage        = 2
	ExitVerdict      = 3
	ExitTierFailed   = 4
	ExitOutOfTime    = 5
	ExitPrecondition = 6
	ExitUnreachable  = 7
	ExitLocked       = 8
	ExitInterrupted  = 130
	ExitTerminated   = 143
)

// ExitCode is one row of the table of exit codes.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes lists every code that standup ends with, in order.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitOK, "done; or the verdict is good; or there was nothing to do"},
		{ExitBug, "a bug or an unclassified error"},
		{ExitUsage, "usage, or an invalid file; the message has file:line:column"},
		{ExitVerdict, "the verdict is bad: the tree does not converge, a wedge stands, TIER_ORDER has drifted"},
		{ExitTierFailed, "a tier failed for good"},
		{ExitOutOfTime, "out of time; the cluster may still get there"},
		{ExitPrecondition, "a precondition is missing (key, Secret, source, controller), named"},
		{ExitUnreachable, "cluster unreachable, or credentials refused"},
		{ExitLocked, "another run holds the lock"},
		{ExitInterrupted, "interrupted"},
		{ExitTerminated, "terminated"},
	}
}

// Causes of cancellation, one a signal.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrTerminated  = errors.New("terminated")
)

// UsageError is a mistake on the command line.
type UsageError struct{ Message string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

func usagef(format string, a ...any) error { return &UsageError{Message: fmt.Sprintf(format, a...)} }

// exitCode turns an error into a number; nothing else does. Signals and
// credentials outrank what they led to, and a final failure outranks a time-out.
func exitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	for _, rule := range exitRules() {
		if rule.match(err) {
			return rule.code
		}
	}
	return ExitBug
}

type exitRule struct {
	code  int
	match func(error) bool
}

func exitRules() []exitRule {
	return []exitRule{
		{ExitInterrupted, is(ErrInterrupted)},
		{ExitTerminated, is(ErrTerminated)},
		{ExitUsage, as[*UsageError]},
		{ExitUsage, as[*tiers.FileError]},
		{ExitLocked, as[*kube.LockedError]},
		{ExitUnreachable, as[*kube.UnauthorisedError]},
		{ExitUnreachable, as[*kube.ForbiddenError]},
		{ExitUnreachable, as[*kube.UnreachableError]},
		{ExitUnreachable, as[*bootstrap.AccessError]},
		{ExitUsage, as[*wedge.NotInSetError]},
		{ExitUsage, as[*catalog.FileError]},
		{ExitVerdict, as[*tiers.DriftError]},
		{ExitVerdict, as[*NotConvergingError]},
		{ExitVerdict, as[*tiers.CycleError]},
		{ExitVerdict, as[*tiers.InvalidOrderError]},
		{ExitPrecondition, as[*bootstrap.PreconditionError]},
		{ExitTierFailed, failedSteps(ExitTierFailed)},
		{ExitVerdict, failedSteps(ExitVerdict)},
		{ExitPrecondition, failedSteps(ExitPrecondition)},
		// What a diagnosis ended with, where it was not a step's.
		{ExitPrecondition, as[*bootstrap.SourceError]},
		{ExitPrecondition, as[*manifests.MissingValuesError]},
		{ExitPrecondition, as[*wedge.ElsewhereError]},
		{ExitPrecondition, stands((*wedge.Error).OnlyUnmet)},
		{ExitVerdict, as[*wedge.Error]},
		{ExitVerdict, as[*manifests.SubstituteError]},
		{ExitVerdict, as[*manifests.BuildError]},
		{ExitVerdict, as[*manifests.PathError]},
		{ExitOutOfTime, is(bootstrap.ErrOutOfTime)},
		{ExitOutOfTime, is(context.DeadlineExceeded)},
	}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[T error](err error) bool {
	var t T
	return errors.As(err, &t)
}

// stands matches a wedge of which the function is true.
func stands(is func(*wedge.Error) bool) func(error) bool {
	return func(err error) bool {
		w, ok := errors.AsType[*wedge.Error](err)
		return ok && is(w)
	}
}

// failedSteps matches a run in which a step failed with the given code.
func failedSteps(code int) func(error) bool {
	return func(err error) bool {
		var run *bootstrap.RunError
		if !errors.As(err, &run) {
			return false
		}
		for _, s := range run.Steps {
			if stepCode(s) == code {
				return true
			}
		}
		return false
	}
}

// stepCode is what the failure of one step means for the script that waits.
func stepCode(s *bootstrap.StepError) int {
	if errors.Is(s, bootstrap.ErrOutOfTime) || errors.Is(s, context.DeadlineExceeded) {
		return ExitOutOfTime
	}
	if stands((*wedge.Error).OnlyUnmet)(s) {
		return ExitPrecondition
	}
	if errors.Is(s, bootstrap.ErrOutOfDate) {
		return ExitVerdict // whatever it was seen doing at that moment
	}
	if s.Seen.Cause.Kind == waiters.DecryptionFailed && s.Seen.Cause.Class == waiters.NeedsAction {
		return ExitPrecondition // the key is not there; a wrong one is a failure
	}
	if code, ok := causeCodes()[s.Seen.Cause.Kind]; ok {
		return code
	}
	return ExitTierFailed
}

// causeCodes are the causes that mean something else than a failed tier.
func causeCodes() map[waiters.CauseKind]int {
	return map[waiters.CauseKind]int{
		// States that Flux cannot leave by itself.
		waiters.MissingKind:        ExitVerdict,
		waiters.MissingNamespace:   ExitVerdict,
		waiters.DependencyNotFound: ExitVerdict,
		waiters.DependencyCycle:    ExitVerdict,
		waiters.NotApplied:         ExitVerdict,
		// Things that have to be made outside of git.
		waiters.SourceMissing:      ExitPrecondition,
		waiters.SourceRefMissing:   ExitPrecondition,
		waiters.SourceUnauthorised: ExitPrecondition,
		waiters.SubstituteMissing:  ExitPrecondition,
	}
}

// message is what a person reads on stderr; a summary may have said it already.
func message(err error) string { return "standup: " + strings.TrimSpace(err.Error()) }
