// Package plain writes a run as log lines, for logs and for people without a
// terminal: one line for each thing worth a line, and a sign of life when
// nothing happens.
package plain

import (
	"io"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/spool"
	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// DefaultHeartbeat is how long a log may be silent.
const DefaultHeartbeat = 30 * time.Second

// Options choose how lines look and which are written.
type Options struct {
	// JSON writes one JSON object a line instead of text. The event lines of
	// package jsonl are the format for programs; this one is for log systems.
	JSON bool
	// Verbose adds what was skipped or cancelled one by one, passed preflight
	// checks, and every changed sight.
	Verbose bool
	// Heartbeat is how long the log may be silent while something is in
	// flight. Zero means DefaultHeartbeat, less means for ever.
	Heartbeat time.Duration
}

// Sink is an event.Sink that writes lines. It never blocks the run.
type Sink struct {
	opts Options
	core zapcore.Core
	out  *spool.Spool
	beat *time.Timer   // nil without heartbeat
	stop chan struct{} // closed by Close
	idle chan struct{} // closed when the heartbeat has ended
	once sync.Once

	mu    sync.Mutex // guards all below: events and heartbeats are written by two goroutines
	state event.State
	// called are the names of the plan's objects.
	called view.Names
	said   map[saying]bool
	since  map[tiers.StepID]sight
}

// saying is a cause that has been told for a step: a flap tells it once.
type saying struct {
	step tiers.StepID
	what waiters.Cause
}

// sight is what is seen of a step, and since when.
type sight struct {
	cause waiters.Cause
	state waiters.State
	at    time.Time
}

// New returns a Sink on w. Close it.
func New(w io.Writer, opts Options) *Sink {
	s := &Sink{
		opts: opts, out: spool.New(w, nil),
		stop: make(chan struct{}), idle: make(chan struct{}),
		said: map[saying]bool{}, since: map[tiers.StepID]sight{},
	}
	level := zapcore.InfoLevel
	if opts.Verbose {
		level = zapcore.DebugLevel
	}
	s.core = zapcore.NewCore(encoder(opts.JSON), s.out, level)
	if opts.Heartbeat == 0 {
		s.opts.Heartbeat = DefaultHeartbeat
	}
	if s.opts.Heartbeat < 0 {
		close(s.idle)
		return s
	}
	s.beat = time.NewTimer(s.opts.Heartbeat)
	go s.live()
	return s
}

// encoder spells time in UTC: the lines of a run are read next to the
// controllers' logs.
func encoder(json bool) zapcore.Encoder {
	cfg := zap.NewProductionEncoderConfig()
	cfg.TimeKey, cfg.EncodeTime = "time", func(t time.Time, enc zapcore.PrimitiveArrayEncoder) {
		enc.AppendString(t.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if json {
		return zapcore.NewJSONEncoder(cfg)
	}
	cfg.EncodeTime = func(t time.Time, enc zapcore.PrimitiveArrayEncoder) {
		enc.AppendString(t.UTC().Format("2006-01-02T15:04:05Z"))
	}
	cfg.EncodeLevel = func(l zapcore.Level, enc zapcore.PrimitiveArrayEncoder) {
		enc.AppendString((l.CapitalString() + " ")[:5])
	}
	cfg.ConsoleSeparator = " "
	return zapcore.NewConsoleEncoder(cfg)
}

// Emit implements event.Sink.
func (s *Sink) Emit(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Apply(e)
	s.tell(e)
}

// Close stops the heartbeat and writes what is still queued, within two
// seconds. It reports the first write that failed. (zap's own Sync is not
// asked: on a pipe it returns "invalid argument", which means nothing.)
func (s *Sink) Close() error {
	s.once.Do(func() { close(s.stop) })
	<-s.idle
	return s.out.Close()
}

// live is the heartbeat.
func (s *Sink) live() {
	defer close(s.idle)
	defer s.beat.Stop()
	for {
		select {
		case <-s.stop:
			return
		case now := <-s.beat.C:
			s.mu.Lock()
			s.heartbeat(now)
			s.beat.Reset(s.opts.Heartbeat)
			s.mu.Unlock()
		}
	}
}

// write writes a line. Text lines say everything in their message; fields are
// for machines.
func (s *Sink) write(at time.Time, level zapcore.Level, message string, fields ...zap.Field) {
	if !s.core.Enabled(level) {
		return
	}
	if !s.opts.JSON {
		fields = nil
	}
	_ = s.core.Write(zapcore.Entry{Level: level, Time: at, Message: message}, fields) // a spool reports from Close
	if s.beat != nil {
		s.beat.Reset(s.opts.Heartbeat) // only silence needs a sign of life
	}
}
