package waiters

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestTerminalError(t *testing.T) {
	cause := errors.New("forbidden")
	err := fmt.Errorf("get: %w", TerminalError(cause))
	if !IsTerminal(err) || !errors.Is(err, cause) || err.Error() != "get: forbidden" {
		t.Errorf("got %v", err)
	}
	if IsTerminal(cause) || IsTerminal(nil) {
		t.Error("an unmarked error is terminal")
	}
	if TerminalError(nil) != nil {
		t.Error("no error became one")
	}
}

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		start := time.Now()
		err := Retry(t.Context(), Policy{Initial: time.Second, Max: time.Minute, Factor: 2}, func() error {
			if tries++; tries < 4 {
				return errors.New("not yet")
			}
			return nil
		})
		if err != nil || tries != 4 || time.Since(start) != 7*time.Second {
			t.Errorf("%v after %d tries in %s", err, tries, time.Since(start))
		}
	})
}

func TestRetryStopsAtATerminalError(t *testing.T) {
	cause := TerminalError(errors.New("forbidden"))
	err := Retry(t.Context(), Policy{}, func() error { return fmt.Errorf("outer: %w", cause) })
	if !errors.Is(err, cause) || err.Error() != "outer: forbidden" {
		t.Errorf("got %v", err)
	}
}

func TestRetryKeepsTheLastRealError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop, refused := errors.New("out of time"), errors.New("connection refused")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, stop)
		defer cancel()
		err := Retry(ctx, Policy{}, func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return refused
		})
		if !errors.Is(err, stop) || !errors.Is(err, refused) || err.Error() != "out of time (last error: connection refused)" {
			t.Errorf("got %v", err)
		}
	})
}

func TestRetryOnAnEndedContextTriesOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tries := 0
	err := Retry(ctx, Policy{}, func() error { tries++; return ctx.Err() })
	if tries != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%v after %d tries", err, tries)
	}
}
