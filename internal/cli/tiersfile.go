package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/tiers"
)

func tiersGenerateCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:        "generate",
		Usage:       "write a TIER_ORDER file from the cluster's dependency graph",
		Description: "Prints a valid file to stdout: each level of the graph is a tier. Changes nothing.",
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputText)
		if err != nil {
			return err
		}
		return tiersGenerate(c.Context, streams, o)
	})
}

// tiersGenerate ignores a TIER_ORDER file that exists: it makes a new one.
func tiersGenerate(ctx context.Context, streams Streams, o common) error {
	log := newLogger(streams.Err, o.LogFormat, o.Verbose)
	client, err := connect(ctx, o, nil, log)
	if err != nil {
		return err
	}
	view, err := client.Watch(ctx)
	if err != nil {
		return notInstalled(err)
	}
	return writeString(streams.Out, string(tiers.Generate(bootstrap.Snapshot(view), client.ContextName())))
}

func tiersImportCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:        "import",
		Usage:       "write a TIER_ORDER file from the TIER_ORDER array of a bash script",
		ArgsUsage:   "SCRIPT",
		Description: "Reads TIER_ORDER=( … ) from the script, which is not run, and prints a valid file to\nstdout. Compare it with the cluster afterwards: standup tiers check -f FILE.",
	}, func(c *cli.Context) error {
		if _, err := parseCommon(c, outputText); err != nil {
			return err
		}
		if c.Args().Len() != 1 {
			return usagef("tiers import needs exactly one script")
		}
		return tiersImport(streams, c.Args().First())
	})
}

func tiersImport(streams Streams, path string) error {
	script, err := os.ReadFile(path)
	if err != nil {
		return &tiers.FileError{File: path, Message: reason(err), Hint: "name the script that has the array"}
	}
	names, err := tiers.ImportBash(script)
	if err != nil {
		return inFile(path, err)
	}
	return writeString(streams.Out, string(tiers.Draft(names, filepath.Base(path))))
}

// inFile gives a fault of a file the file's name.
func inFile(path string, err error) error {
	var fault *tiers.FileError
	if errors.As(err, &fault) {
		named := *fault
		named.File = path
		return &named
	}
	return err
}
