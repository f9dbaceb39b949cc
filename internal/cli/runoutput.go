package cli

import (
	"fmt"
	"os"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/report"
	"github.com/standup-sh/standup/internal/ui/jsonl"
	"github.com/standup-sh/standup/internal/ui/plain"
	"github.com/standup-sh/standup/internal/ui/table"
)

// runOutput is everything that a run is told to: one renderer for people or
// programs, the record on disk, and the state that the closing words are made
// from.
type runOutput struct {
	streams  Streams
	o        common
	format   string
	file     string      // --report; empty for none
	live     *table.Live // nil unless the format is table
	renderer closer
	record   *report.Recorder
	state    event.State
	started  bool
}

// newRunOutput chooses the renderer: a table on a terminal, else plain lines.
func newRunOutput(streams Streams, o common, file string) *runOutput {
	out := &runOutput{streams: streams, o: o, format: o.Output, file: file}
	if out.format == "" {
		out.format = outputPlain
		if isTerminal(streams.Err) {
			out.format = outputTable
		}
	}
	return out
}

// Write takes log lines: they go above the table when there is one.
func (out *runOutput) Write(line []byte) (int, error) {
	if out.live != nil {
		return out.live.Write(line)
	}
	return out.streams.Err.Write(line)
}

// draw starts the live table.
func (out *runOutput) draw() *table.Live {
	opts := table.Options{Style: table.NewStyle(out.o.Color, isTerminal(out.streams.Err), out.streams.Getenv)}
	if f, ok := out.streams.Err.(*os.File); ok {
		opts.Size = table.SizeOf(f)
	}
	return table.New(out.streams.Err, opts)
}

// sink opens the renderers for a run.
func (out *runOutput) sink() event.Sink {
	out.started = true
	code := jsonl.Options{ExitCode: exitCode}
	switch out.format {
	case outputTable:
		out.live = out.draw()
		out.renderer = liveTable{out.live}
	case outputJSONL:
		out.renderer = jsonl.New(out.streams.Out, code)
	default:
		out.renderer = plain.New(out.streams.Err, plain.Options{JSON: out.o.LogFormat == "json", Verbose: out.o.Verbose})
	}
	out.record = report.NewRecorder(report.RunsDir(out.streams.Getenv), code)
	return event.Tee{fold{&out.state}, out.record, out.renderer}
}

// closer is a renderer that has to be closed.
type closer interface {
	event.Sink
	Close() error
}

// liveTable is a table as a closer: it draws what it can, and nobody waits for
// a terminal that is gone.
type liveTable struct{ *table.Live }

// Close implements closer.
func (l liveTable) Close() error {
	l.Live.Close()
	return nil
}

// fold keeps the state.
type fold struct{ state *event.State }

// Emit implements event.Sink.
func (f fold) Emit(e event.Event) { f.state.Apply(e) }

// close ends the renderers and says the closing words.
func (out *runOutput) close(err error) error {
	if !out.started {
		return err
	}
	if closing := out.renderer.Close(); closing != nil {
		_, _ = fmt.Fprintf(out.streams.Err, "standup: the run's output is incomplete: %v\n", closing) // stderr is all that is left
	}
	record := out.record.Path()
	if failed := out.record.Close(); failed != nil {
		_, _ = fmt.Fprintf(out.streams.Err, "warning: %v\n", failed) // a record is not worth a failure
		record = ""
	}
	if !out.state.Done {
		return err
	}
	if said := out.say(err, record); said != nil {
		return said
	}
	if out.file != "" {
		if failed := writeReport(out.file, &out.state, exitCode(err)); failed != nil {
			// The run is over: its own outcome must not be lost for a file.
			_, _ = fmt.Fprintf(out.streams.Err, "warning: %v\n", failed)
		}
	}
	return told(err)
}

// say writes the result: a summary for people, JSON for programs.
func (out *runOutput) say(err error, record string) error {
	if out.format == outputJSON {
		data, failed := report.JSON(&out.state, exitCode(err))
		if failed != nil {
			return failed
		}
		return writeString(out.streams.Out, string(data))
	}
	summary := report.Summary(&out.state, report.SummaryOptions{Verbose: out.o.Verbose, Record: record})
	switch out.format {
	case outputJSONL:
		return writeString(out.streams.Err, summary)
	case outputTable:
		summary = "\n" + summary // the table stays above it
	}
	return writeString(out.streams.Out, summary)
}
