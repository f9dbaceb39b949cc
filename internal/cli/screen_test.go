package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a stream of a command's. It may be written to and read at the same
// time, and tells when there is something new to read.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func newScreen() *screen { return &screen{news: make(chan struct{}, 1)} }

// Write implements io.Writer.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the text is on the screen. Only one test may wait.
func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	inVain := time.After(20 * time.Second)
	for !strings.Contains(s.String(), text) {
		select {
		case <-s.news:
		case <-inVain:
			t.Fatalf("%q never came; there is\n%s", text, s)
		}
	}
}

// running is a command that runs while the test goes on.
type running struct {
	out, errs *screen
	stop      context.CancelCauseFunc
	code      chan int
}

// start runs a command in the background.
func (f *fleet) start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	r := &running{out: newScreen(), errs: newScreen(), stop: stop, code: make(chan int, 1)}
	streams := Streams{Out: r.out, Err: r.errs, Getenv: f.getenv}
	go func() { r.code <- Run(ctx, streams, f.argv(args)) }()
	return r
}

// end waits for the command's exit code.
func (r *running) end(t *testing.T) int {
	t.Helper()
	select {
	case code := <-r.code:
		return code
	case <-time.After(20 * time.Second):
		t.Fatalf("it does not end; stdout\n%sstderr\n%s", r.out, r.errs)
		return -1
	}
}

// same replaces what differs from run to run.
type same []struct {
	pattern *regexp.Regexp
	by      string
}

// normal is what no golden file can know: moments, durations, run IDs. A
// length of time that a fixture makes, such as an age of 1h30m, stays.
func normal() same {
	return same{
		{regexp.MustCompile(`\d{8}t\d{6}-\d+`), "RUN"},
		{regexp.MustCompile(`\d{8}T\d{6}\.\d{3}Z-RUN`), "STAMP-RUN"},
		{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)`), "TIME"},
		{regexp.MustCompile(`"((?:age)?[sS]econds|elapsed)":( ?)[0-9.]+`), `"$1":${2}0`},
		{regexp.MustCompile(`\b(in|after) \d+(\.\d+)?s\b`), "$1 DURATION"},
	}
}

func (s same) apply(text string) string {
	for _, r := range s {
		text = r.pattern.ReplaceAllString(text, r.by)
	}
	return text
}

// transcript is the whole of what a user sees of one run.
func transcript(args []string, out, errs string, code int) string {
	return fmt.Sprintf("$ standup %s\n--- stdout\n%s--- stderr\n%s--- exit code %d\n", strings.Join(args, " "), out, errs, code)
}
