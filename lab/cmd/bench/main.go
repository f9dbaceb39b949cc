// Command bench measures how long a cold, suspended cluster takes to be Ready:
// under Flux alone, under a script of kubectl patch and kubectl wait, under the
// Flux CLI where there is one, and under standup. It writes a page of Markdown.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command line.
type options struct {
	// standup is the program under test, out the page to write.
	standup, out string
	// bare is the program that a rehearsal is compared with.
	bare string
	// only are the names of what is measured, in the order of measuring.
	only []string
	// runs is how often each contender runs, alone how often Flux alone does.
	runs, alone int
	// limit is how long one contender may take in one run.
	limit time.Duration
}

// everything is what is measured without --only.
func everything() []string { return []string{"chain10", "homelab", "chain50", "scale", "rehearse"} }

// usageError is a mistake on the command line.
type usageError string

// Error is the mistake.
func (e usageError) Error() string { return string(e) }

func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.standup, "standup", filepath.Join("..", "bin", "standup"), "the standup `program` to measure")
	fs.StringVar(&o.out, "out", filepath.Join("..", "docs", "benchmarks.md"), "the `page` to write")
	fs.StringVar(&o.bare, "bare", filepath.Join("..", "bin", "barebuild"), "the `program` that builds with kustomize alone")
	only := fs.String("only", strings.Join(everything(), ","), "`what` to measure, in this order")
	fs.IntVar(&o.runs, "runs", 3, "how many `times` each contender runs")
	fs.IntVar(&o.alone, "alone-runs", 1, "how many `times` Flux alone runs: it takes minutes of waiting for its timers")
	fs.DurationVar(&o.limit, "cap", 5*time.Minute, "how `long` a contender may take in one run")
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fs.SetOutput(stdout)
		fs.Usage()
		return o, err
	}
	if err != nil {
		return o, usageError(err.Error())
	}
	o.only = strings.Split(*only, ",")
	for _, name := range o.only {
		if !slices.Contains(everything(), name) {
			return o, usageError(fmt.Sprintf("--only: there is no %q, only %s", name, strings.Join(everything(), ", ")))
		}
	}
	switch {
	case fs.NArg() > 0:
		return o, usageError("unexpected argument: " + fs.Arg(0))
	case o.runs < 1:
		return o, usageError("--runs: at least 1")
	case o.alone < 0:
		return o, usageError("--alone-runs: at least 0")
	case o.limit <= 0:
		return o, usageError("--cap: more than 0")
	}
	// Contenders run in a directory of their own.
	if o.standup, err = filepath.Abs(o.standup); err != nil {
		return o, fmt.Errorf("--standup: %w", err)
	}
	if o.bare, err = filepath.Abs(o.bare); err != nil {
		return o, fmt.Errorf("--bare: %w", err)
	}
	if _, err := os.Stat(o.standup); err != nil {
		return o, usageError(fmt.Sprintf("--standup: %v; make build makes it", err))
	}
	return o, nil
}

// run measures and returns the exit code: 0, 1 for a failure, 2 for wrong usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	began := time.Now()
	logf := func(format string, v ...any) {
		_, _ = fmt.Fprintf(stderr, "%6.1fs  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, v...))
	}
	if err == nil {
		b := &bench{opts: opts, logf: logf, report: report{Machine: thisMachine(), Cap: opts.limit}}
		err = b.run(ctx)
	}
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return 2
	default:
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
}
