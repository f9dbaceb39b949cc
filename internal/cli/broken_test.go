package cli

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A result that cannot be written is no success, whatever the verdict is.
func TestAResultThatCannotBeWritten(t *testing.T) {
	f := newFleet(t, chain()...)
	good := f.order(t, threeTiers)
	for _, args := range [][]string{
		{"check", "-f", good},
		{"check", "-f", good, "-o", "json"},
		{"plan", "-f", good},
		{"plan", "-f", good, "-o", "json"},
		{"status", "-f", good},
		{"status", "-f", good, "-o", "json"},
		{"status", "-f", good, "--watch"},
		{"tiers", "check", "-f", good},
		{"tiers", "check", "-f", good, "-o", "json"},
		{"tiers", "generate"},
		{"resume", "-f", good},
		{"resume", "-f", good, "-o", "json"},
		{"version"},
		{"version", "-o", "json"},
	} {
		errs := newScreen()
		code := Run(t.Context(), Streams{Out: closedPipe{}, Err: errs, Getenv: f.getenv}, f.argv(args))
		if code != ExitBug || !strings.Contains(errs.String(), "standup: write |1: broken pipe") {
			t.Errorf("standup %s: exit code %d\n%s", strings.Join(args, " "), code, errs)
		}
	}
}

type closedPipe struct{}

// Write implements io.Writer.
func (closedPipe) Write([]byte) (int, error) { return 0, errors.New("write |1: broken pipe") }

// Who reads the events may go away: the run goes on, and its outcome counts.
func TestEventsThatNobodyReads(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, nil)
	errs := newScreen()
	code := Run(t.Context(), Streams{Out: closedPipe{}, Err: errs, Getenv: f.getenv}, f.argv([]string{"resume", "-f", f.order(t, threeTiers), "-o", "jsonl"}))
	if code != ExitOK || !strings.Contains(errs.String(), "the run's output is incomplete") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	f.wrote(t, "cilium", "platform", "apps")
}

// A cluster that takes the connection and says nothing is one that cannot be
// reached, and --timeout is the longest that anybody waits for it.
func TestAClusterThatSaysNothing(t *testing.T) {
	f := newFleet(t, chain()...)
	release := make(chan struct{})
	defer close(release)
	f.SetFault(func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-r.Context().Done():
		case <-release:
		}
		return true
	})
	for _, command := range []string{"plan", "status", "check", "resume"} {
		text, code := f.run(t, command, "--timeout", "200ms")
		if code != ExitUnreachable || !strings.Contains(text, "https://cluster.test is unreachable: no answer within ") || strings.Contains(text, "15s") {
			t.Errorf("%s: exit code %d\n%s", command, code, text)
		}
	}
}

// The signal outranks what it led to, even before there is anything to watch.
func TestInterruptedWhileConnecting(t *testing.T) {
	f := newFleet(t)
	asked := make(chan struct{}, 10)
	f.SetFault(func(_ http.ResponseWriter, r *http.Request) bool {
		asked <- struct{}{}
		<-r.Context().Done()
		return true
	})
	for _, command := range onCluster() {
		r := f.start(t, command...)
		<-asked
		r.stop(ErrInterrupted)
		if code := r.end(t); code != ExitInterrupted {
			t.Errorf("%v: exit code %d\n%s", command, code, r.errs)
		}
	}
}

func TestFirstOfPassesOneOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first, second := make(chan error, 1), make(chan error, 1)
	out := firstOf(ctx, first, second)
	want := errors.New("the lock is lost")
	second <- want
	if got := <-out; !errors.Is(got, want) {
		t.Errorf("got %v", got)
	}
	select {
	case err := <-out:
		t.Errorf("and another: %v", err)
	default:
	}
}

// People sort runs by name, so the name begins with the time.
func TestRunsAreNamedByTheirStart(t *testing.T) {
	id := runID()
	stamp, process, found := strings.Cut(id, "-")
	began, err := time.Parse("20060102t150405", stamp)
	if err != nil || !found || process == "" || time.Since(began) > time.Minute {
		t.Errorf("%s: %v", id, err)
	}
}
