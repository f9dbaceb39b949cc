package bootstrap

import (
	"errors"
	"fmt"
	"time"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// ErrOutOfTime is in the chain of every error that means "the time allowed
// for it ran out"; the cluster may still get there.
var ErrOutOfTime = errors.New("out of time")

// errEndedEarly is why independent steps were cancelled when another failed.
var errEndedEarly = errors.New("the run ended first")

// StepError ties a failure to its step and says what was last seen.
type StepError struct {
	Step   tiers.Step
	Seen   waiters.Observation
	Waited time.Duration
	// Err is why the step was given up: ErrOutOfTime, a terminal look or
	// write, or nil when Seen.Cause says it all.
	Err error
}

// Error names the object, the cause and the last thing seen.
func (e *StepError) Error() string {
	subject := e.Step.Object.String()
	if e.Step.Verb == tiers.Probe {
		subject = string(e.Step.ID)
	}
	switch {
	case e.Err == nil:
		return fmt.Sprintf("%s: %s", subject, describe(e.Seen))
	case e.Seen.State == waiters.Unknown:
		return fmt.Sprintf("%s: %v", subject, e.Err)
	}
	return fmt.Sprintf("%s: %v after %s (last seen %s)", subject, e.Err, e.Waited.Round(time.Second), describe(e.Seen))
}

// Unwrap returns why the step was given up.
func (e *StepError) Unwrap() error { return e.Err }

// RunError is how a run that did not fully succeed ends.
type RunError struct {
	Steps []*StepError // causes only, never skipped or cancelled steps
	Cause error        // why the run was stopped from outside, nil if it was not
}

// Error lists the outside cause and then each failed step, one a line.
func (e *RunError) Error() string { return errors.Join(e.Unwrap()...).Error() }

// Unwrap exposes the outside cause and every step error.
func (e *RunError) Unwrap() []error {
	var errs []error
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	for _, s := range e.Steps {
		errs = append(errs, s)
	}
	return errs
}

func describe(o waiters.Observation) string {
	s := o.State.String()
	if o.Reason != "" {
		s += "/" + o.Reason
	}
	if o.Message != "" {
		s += ": " + o.Message
	}
	return s
}
