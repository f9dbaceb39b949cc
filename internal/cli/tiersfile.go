package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/tiers"
)

func tiersGenerateCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "generate",
		Usage: "write a TIER_ORDER file from the dependency graph of the cluster or of a checkout",
		Description: "Prints a valid file to stdout: each level of the graph is a tier. With --path it looks\n" +
			"at a checkout, offline. Changes nothing.",
		Flags: treeFlags(),
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputText)
		if err != nil {
			return err
		}
		t, err := parseTree(c)
		if err != nil {
			return err
		}
		return tiersGenerate(c.Context, streams, o, t)
	})
}

// tiersGenerate makes a new file. One that exists says no more than where in a
// checkout the root is.
func tiersGenerate(ctx context.Context, streams Streams, o common, t treeOptions) error {
	var order *tiers.TierOrder
	if t.given() {
		var err error
		if order, err = t.order(o); err != nil {
			return err
		}
	}
	f, err := look(ctx, "tiers generate", o, t, order, newLogger(streams.Err, o.LogFormat, o.Verbose))
	if err != nil {
		return err
	}
	return writeString(streams.Out, string(tiers.Generate(f.Snapshot, f.name)))
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
