package kube

import (
	"context"
	"errors"
	"strings"
	"time"
)

// How long a refusal is doubted, and how often it is asked meanwhile.
const (
	doubtWhileStarting = 20 * time.Second
	doubtWhileUnknown  = 4 * time.Second
	doubtEvery         = 500 * time.Millisecond
)

// ask sends one request with its own time limit and doubts a refusal.
func (c *Client) ask(ctx context.Context, send func(context.Context) error) error {
	return c.doubting(ctx, func(ctx context.Context) error {
		limit, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		err := send(limit)
		if ctx.Err() == nil && outOfTime(err) {
			return &noAnswerError{after: c.timeout, last: err.Error()}
		}
		return err
	})
}

// outOfTime also recognises client-go's rate limiter, which does not start an
// attempt that cannot end in time, and says so without a type.
func outOfTime(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || err != nil && strings.Contains(err.Error(), "would exceed context deadline")
}

// doubting sends a request again when it was refused by an API server that is
// not ready: one that has just been restarted answers 401 and 403 until it has
// read its own rules. A refusal is believed when the server says that it is
// ready and then refuses once more, or at the end of our patience.
func (c *Client) doubting(ctx context.Context, send func(context.Context) error) error {
	err := send(ctx)
	for began := time.Now(); refused(err) && ctx.Err() == nil; {
		state := c.readyNow(ctx)
		if err = send(ctx); !refused(err) || believe(state, time.Since(began)) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(doubtEvery):
		}
	}
	return err
}

func believe(state readiness, after time.Duration) bool {
	switch state {
	case ready:
		return true
	case starting:
		return after >= doubtWhileStarting
	case readinessUnknown:
	}
	return after >= doubtWhileUnknown
}

func (c *Client) readyNow(ctx context.Context) readiness {
	limit, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return c.ready(limit)
}

// Ping asks the API server for its version, such as v1.36.3. The error is an
// *UnreachableError or an *UnauthorisedError where it is one.
func (c *Client) Ping(ctx context.Context) (string, error) {
	var version string
	err := c.ask(ctx, func(ctx context.Context) (err error) {
		version, err = c.discovery.version(ctx)
		return err
	})
	return version, c.typed(err, request{verb: "get", resource: "version"})
}
