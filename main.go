// Command standup brings a Kubernetes cluster that is run by Flux from cold,
// or wedged, to fully converged.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/standup-sh/standup/internal/cli"
)

func main() { os.Exit(run()) }

// run cancels on the first signal, with the signal as the cause, and gives up
// on an orderly end at the second.
func run() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	code := make(chan int, 1)
	go func() { code <- cli.Run(ctx, cli.StdStreams(), os.Args) }()
	for seen := 0; ; {
		select {
		case c := <-code:
			return c
		case s := <-signals:
			cause, status := cli.ErrInterrupted, cli.ExitInterrupted
			if s == syscall.SIGTERM {
				cause, status = cli.ErrTerminated, cli.ExitTerminated
			}
			if seen++; seen > 1 {
				return status
			}
			cancel(cause)
		}
	}
}
