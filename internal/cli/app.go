// Package cli is the command line: it parses into plain options, wires the
// parts together, calls one use case, and turns the result into output and an
// exit code. It is the only importer of urfave/cli.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/internal/buildinfo"
)

// Run parses args (args[0] is the program's name), runs the command, and
// returns the exit code. It never ends the process.
func Run(ctx context.Context, streams Streams, args []string) int {
	err := newApp(streams).RunContext(ctx, args)
	if err == nil {
		return ExitOK
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = errors.Join(cause, err)
	}
	var told *toldError
	if !errors.As(err, &told) {
		_, _ = fmt.Fprintln(streams.Err, message(err)) // nowhere left to report a broken stderr
	}
	return exitCode(err)
}

// toldError wraps an error that the command's own output explained already.
type toldError struct{ error }

// Unwrap returns the error itself, which decides the exit code.
func (e *toldError) Unwrap() error { return e.error }

func told(err error) error {
	if err == nil {
		return nil
	}
	return &toldError{err}
}

func newApp(streams Streams) *cli.App {
	app := &cli.App{
		Name:      "standup",
		Usage:     "bring a Kubernetes cluster that is run by Flux from cold to converged",
		UsageText: "standup [global options] command [command options]",
		Description: "standup drives every tier of a Flux cluster to Ready at the current revision, in\n" +
			"the order of a TIER_ORDER file, at the speed of the work and not of Flux's timers,\n" +
			"and names one cause when it stops.",
		Writer:          streams.Out,
		ErrWriter:       streams.Err,
		HideVersion:     true,
		HideHelpCommand: true,
		Flags:           globalFlags(),
		OnUsageError:    onUsageError,
		// An error with Errors() []error makes urfave/cli end the process
		// inside Run; and exit codes are ours to choose.
		ExitErrHandler: func(*cli.Context, error) {},
		Action:         unknownCommand,
		Commands: []*cli.Command{
			checkCommand(streams),
			crdsCommand(streams),
			resumeCommand(streams),
			planCommand(streams),
			rehearseCommand(streams),
			statusCommand(streams),
			tiersCommand(streams),
			graphCommand(streams),
			versionCommand(streams),
		},
	}
	return app
}

// newCommand builds a command that follows the house rules: the global flags
// are accepted after its name too, usage errors are ours and go to stderr, and
// a flag that comes too late is an error instead of being ignored.
func newCommand(c cli.Command, run func(*cli.Context) error) *cli.Command {
	c.Flags = append(c.Flags, globalFlags()...)
	c.OnUsageError = onUsageError
	c.HideHelpCommand = true
	c.Action = func(ctx *cli.Context) error {
		for _, a := range ctx.Args().Slice() {
			if strings.HasPrefix(a, "-") {
				return usagef("option %s comes after an argument; put options before arguments", a)
			}
		}
		if ctx.Args().Present() && c.ArgsUsage == "" {
			return usagef("%s takes no arguments, got %q", c.Name, ctx.Args().First())
		}
		return run(ctx)
	}
	return &c
}

func onUsageError(_ *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		if len(name) > 2 && !strings.HasPrefix(name, "--") {
			name = "-" + name // the flag package knows no second dash
		}
		text = "unknown option " + name
	}
	return usagef("%s; see standup --help", text)
}

func unknownCommand(c *cli.Context) error {
	if !c.Args().Present() {
		return cli.ShowAppHelp(c)
	}
	names := make([]string, 0, len(c.App.Commands))
	for _, cmd := range c.App.Commands {
		names = append(names, cmd.Name)
	}
	return usagef("unknown command %q; the commands are %s", c.Args().First(), strings.Join(names, ", "))
}

func versionCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{Name: "version", Usage: "print the version"}, func(c *cli.Context) error {
		return printVersion(streams.Out, text(c, flagOutput))
	})
}

func printVersion(w io.Writer, output string) error {
	i := buildinfo.Read()
	switch output {
	case "", "text":
		_, err := fmt.Fprintf(w, "standup %s\ncommit %s\n%s\n", i.Version, orUnknown(i.Commit), i.Go)
		return err
	case outputJSON:
		return writeJSON(w, struct {
			Schema  string `json:"schema"`
			Version string `json:"version"`
			Commit  string `json:"commit"`
			Go      string `json:"go"`
		}{"standup.version/v1", i.Version, i.Commit, i.Go})
	}
	return badOutput(output, "text", outputJSON)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
