package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/jsonl"
	"github.com/standup-sh/standup/internal/ui/spool"
)

const (
	// kept is how many runs stay on disk.
	kept         = 50
	eventsSuffix = ".jsonl"
	resultSuffix = ".result.json"
)

// RunsDir is where runs are recorded: $XDG_STATE_HOME/standup/runs, else
// ~/.local/state/standup/runs. The XDG specification wants a relative value
// ignored. It is empty when there is no home either.
func RunsDir(getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "standup", "runs")
}

// Recorder is an event.Sink that records a run on disk: its event lines as they
// come, and its result at the end. A record is output, never input, so one that
// cannot be written is a warning: Err and Close say why, and nothing else
// happens.
type Recorder struct {
	dir   string
	opts  jsonl.Options
	enc   *jsonl.Encoder
	out   *spool.Spool
	state event.State
	file  *recordFile
}

// NewRecorder returns a Recorder into dir, which is made when the first event
// comes. Close it.
func NewRecorder(dir string, opts jsonl.Options) *Recorder {
	r := &Recorder{dir: dir, opts: opts, enc: jsonl.NewEncoder(opts), file: &recordFile{dir: dir}}
	r.out = spool.New(r.file, r.file.finish)
	return r
}

// Emit implements event.Sink. All that touches the disk happens on the spool's
// goroutine: a home directory on a dead server must not stop a run.
func (r *Recorder) Emit(e event.Event) {
	r.state.Apply(e)
	if r.file.base == "" {
		// Set once, before the first write: the spool orders the two.
		r.file.base = e.Time.UTC().Format("20060102T150405.000Z") + "-" + fileName(e.Run)
	}
	_, _ = r.out.Write(r.enc.Encode(e)) // a spool reports from Close
	if b, ok := e.Body.(event.RunFinished); ok {
		code := 0
		if r.opts.ExitCode != nil {
			code = r.opts.ExitCode(b.Err)
		}
		doc, err := JSON(&r.state, code)
		r.file.mu.Lock()
		r.file.result, r.file.err = doc, err
		r.file.mu.Unlock()
	}
}

// Path is the file that the events are written to; empty before the first.
func (r *Recorder) Path() string {
	if r.file.base == "" || r.dir == "" {
		return ""
	}
	return filepath.Join(r.dir, r.file.base+eventsSuffix)
}

// Err is the first thing that went wrong, so far.
func (r *Recorder) Err() error { return wrap(r.out.Err()) }

// Close writes what is still queued and the result, within two seconds, and
// reports the first thing that went wrong.
func (r *Recorder) Close() error { return wrap(r.out.Close()) }

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record the run: %w", err)
}

// fileName keeps a run's ID from being a path.
func fileName(run string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		}
		return '_'
	}, run)
}

// prune removes the oldest runs. The name begins with the time, so the order of
// names is the order of runs.
func prune(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var bases []string
	for _, e := range entries {
		if base, ok := strings.CutSuffix(e.Name(), eventsSuffix); ok {
			bases = append(bases, base)
		}
	}
	slices.Sort(bases)
	var errs []error
	for _, base := range bases[:max(0, len(bases)-kept)] {
		for _, suffix := range []string{eventsSuffix, resultSuffix} {
			if err := os.Remove(filepath.Join(dir, base+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
