package waiters

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// terminalError marks an error that no retry can cure.
type terminalError struct{ error }

func (t terminalError) Unwrap() error { return t.error }

// TerminalError marks err as one that no retry can cure, such as Forbidden. A
// nil error stays nil. (Terminal alone is the Class of a Cause.)
func TerminalError(err error) error {
	if err == nil {
		return nil
	}
	return terminalError{err}
}

// IsTerminal reports whether err, or an error that it wraps, was marked by
// TerminalError.
func IsTerminal(err error) bool {
	_, ok := errors.AsType[terminalError](err)
	return ok
}

// Retry calls do until it returns nil or a terminal error, or until ctx ends.
// The error at the end of ctx is the context's cause and keeps the last error
// that was not merely an echo of that end.
func Retry(ctx context.Context, pol Policy, do func() error) error {
	var last error
	err := repeat(ctx, pol.Pacer(), func() (bool, error) {
		err := do()
		if err == nil || IsTerminal(err) {
			return true, err
		}
		if last == nil || ctx.Err() == nil {
			last = err
		}
		return false, nil
	})
	if errors.Is(err, errEnded) {
		return fmt.Errorf("%w (last error: %w)", context.Cause(ctx), last)
	}
	return err
}

// errEnded says that the context ended before the work was done.
var errEnded = errors.New("ended")

// repeat calls step, pausing in between, until it says that it is done. It
// calls it at least once, so that there always is a last error or sight.
//
// It is a loop of ours and not backoff.Retry, which on cancellation returns
// the bare context error and drops what wraps a permanent one.
func repeat(ctx context.Context, pace *Pacer, step func() (done bool, err error)) error {
	for {
		if done, err := step(); done {
			return err
		}
		if Sleep(ctx, pace.Next()) != nil {
			return errEnded
		}
	}
}

// Sleep waits for d, and returns the context's cause when that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
