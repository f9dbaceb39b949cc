package kube

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
)

func forbidden(text string) error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "x", errors.New(text))
}

func TestDoubting(t *testing.T) {
	unauthorised := apierrors.NewUnauthorized("no")
	for _, tt := range []struct {
		name   string
		state  readiness
		answer func(n int) error // to the nth request
		sent   int
		took   time.Duration
		want   bool // in the end it is refused
	}{
		{"fine at once", ready, func(int) error { return nil }, 1, 0, false},
		{"a server that is ready is believed the second time", ready, func(int) error { return unauthorised }, 2, 0, true},
		{"it had just become ready", ready, firstFew(1, unauthorised), 2, 0, false},
		{"starting, then fine", starting, firstFew(5, forbidden("no rule yet")), 6, 2 * time.Second, false},
		{"starting for ever", starting, func(int) error { return unauthorised }, 42, 20 * time.Second, true},
		{"a server that does not tell", readinessUnknown, func(int) error { return unauthorised }, 10, 4 * time.Second, true},
		{"a webhook's no is an answer", starting, func(int) error { return forbidden("admission webhook denied the request") }, 1, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &Client{ready: func(context.Context) readiness { return tt.state }}
				began, sent := time.Now(), 0
				err := c.doubting(t.Context(), func(context.Context) error {
					sent++
					return tt.answer(sent)
				})
				if refused(err) != tt.want || sent != tt.sent || time.Since(began) != tt.took {
					t.Errorf("sent %d in %s: %v", sent, time.Since(began), err)
				}
			})
		})
	}
}

func firstFew(n int, err error) func(int) error {
	return func(sent int) error {
		if sent <= n {
			return err
		}
		return nil
	}
}

func TestDoubtingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		c := &Client{ready: func(context.Context) readiness { return starting }}
		began := time.Now()
		err := c.doubting(ctx, func(context.Context) error { return forbidden("no") })
		if took := time.Since(began); took != 3*time.Second || !refused(err) {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

func TestAskHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		c := &Client{timeout: 15 * time.Second}
		if err := c.ask(t.Context(), hang); !asError[*noAnswerError](err) || isDeadline(err) {
			t.Errorf("our own limit: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.ask(ctx, hang); !isDeadline(err) {
			t.Errorf("the caller's limit: %v", err)
		}
	})
}

// However long the API server is away, it is asked about once a second.
func TestRetriesStayShort(t *testing.T) {
	next := retries().DelayWithReset(clock.RealClock{}, 2*time.Minute)
	for n := range 1000 {
		if pause := next(); pause <= 0 || pause > time.Second || n > 10 && pause < 500*time.Millisecond {
			t.Fatalf("pause %d is %s", n, pause)
		}
	}
}
