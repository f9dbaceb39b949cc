// Package jsonl writes one JSON object per event. The line format is public:
// docs/reference/events.md describes it field by field, and only Schema may
// announce a break.
package jsonl

import (
	"io"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/spool"
)

// Schema names the line format and its version.
const Schema = "standup.event/v1"

// Options are what a Sink needs to know beyond the events.
type Options struct {
	// ExitCode says with which code the program ends for the run's error. The
	// last line carries no exitCode where it is nil.
	ExitCode func(error) int
}

// Sink writes lines. It never blocks the run: a reader that stops reading
// costs memory up to a limit, then lines.
type Sink struct {
	enc *Encoder
	out *spool.Spool
}

// New returns a Sink on w. Close it.
func New(w io.Writer, opts Options) *Sink {
	return &Sink{enc: NewEncoder(opts), out: spool.New(w, nil)}
}

// Emit implements event.Sink.
func (s *Sink) Emit(e event.Event) {
	_, _ = s.out.Write(s.enc.Encode(e)) // a spool reports from Close
}

// Close writes what is still queued, within two seconds, and reports the first
// write that failed.
func (s *Sink) Close() error { return s.out.Close() }
