package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/rehearsal"
	"github.com/standup-sh/standup/tiers"
)

// Flags of rehearse. Its --path has another meaning, and default, than resume's.
const (
	flagEntry    = "entry"
	flagSource   = "source"
	flagBaseline = "baseline"
	flagSeeded   = "seeded"
	flagStrict   = "strict"
)

type rehearseOptions struct {
	common
	Path, Entry string
	Sources     map[tiers.Ref]string
	Baseline    string
	Seeded      []string
	Strict      bool
}

func rehearseCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "rehearse",
		Usage: "prove from a checkout that an empty cluster would converge",
		Description: "Builds every Kustomization of the tree and goes through the controllers' decisions on\n" +
			"a virtual clock: who becomes Ready, in what order, and what stops the others. Needs no\n" +
			"cluster and no network. Ends with 3 where the tree does not converge. Output: text, json,\n" +
			"junit, sarif.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: flagPath, Value: ".", Usage: "`DIR` of the checkout"},
			&cli.StringFlag{Name: flagEntry, Usage: "`PATH` of the root Kustomization in the checkout; default TIER_ORDER's entry", EnvVars: env(flagEntry)},
			&cli.StringSliceFlag{Name: flagSource, Usage: "`KIND/NAMESPACE/NAME=DIR[:SUBDIR]` stands for a further source; may be repeated"},
			&cli.StringFlag{Name: flagBaseline, Usage: "`FILE` that says what exists before Flux", EnvVars: env(flagBaseline)},
			&cli.StringSliceFlag{Name: flagSeeded, Usage: "`GROUP[/KIND]` that is served before Flux; may be repeated"},
			&cli.BoolFlag{Name: flagStrict, Usage: "end with 3 on RETRY, RACE, PRECONDITION and what is not known as well", EnvVars: env(flagStrict)},
		},
	}, func(c *cli.Context) error {
		o, err := parseRehearse(c)
		if err != nil {
			return err
		}
		return rehearse(c.Context, streams, o)
	})
}

func parseRehearse(c *cli.Context) (rehearseOptions, error) {
	var o rehearseOptions
	var err error
	if o.common, err = parseCommon(c, outputText, outputJSON, outputJUnit, outputSARIF); err != nil {
		return o, err
	}
	o.Path, o.Entry, o.Baseline, o.Strict = text(c, flagPath), text(c, flagEntry), text(c, flagBaseline), flag(c, flagStrict)
	o.Seeded = home(c, flagSeeded).StringSlice(flagSeeded)
	o.Sources = map[tiers.Ref]string{}
	for _, s := range home(c, flagSource).StringSlice(flagSource) {
		name, dir, ok := strings.Cut(s, "=")
		parts := strings.Split(name, "/")
		if !ok || dir == "" || len(parts) != 3 {
			return o, usagef("--source %q is not KIND/NAMESPACE/NAME=DIR[:SUBDIR]", s)
		}
		if at := strings.LastIndex(dir, ":"); at > 1 {
			dir = filepath.Join(dir[:at], dir[at+1:])
		}
		o.Sources[tiers.Ref{Kind: parts[0], Namespace: parts[1], Name: parts[2]}] = dir
	}
	return o, nil
}

func rehearse(ctx context.Context, streams Streams, o rehearseOptions) error {
	ctx, cancel := withTimeout(ctx, o.common)
	defer cancel()
	order, err := orderOf(o)
	if err != nil {
		return err
	}
	run := rehearsal.Options{Path: o.Path, Entry: o.Entry, Sources: o.Sources, Seeded: o.Seeded}
	if order != nil {
		run.Entry, run.Source = cmp.Or(o.Entry, order.Entry), order.Source
	}
	if run.Entry == "" {
		return usagef("rehearse needs --entry, the path of the root Kustomization, or a TIER_ORDER file with entry")
	}
	if o.Baseline != "" {
		data, err := os.ReadFile(o.Baseline)
		if err != nil {
			return &tiers.FileError{File: o.Baseline, Message: reason(err)}
		}
		if run.Baseline, err = rehearsal.ParseBaseline(o.Baseline, data); err != nil {
			return err
		}
	}
	for _, dir := range append([]string{o.Path}, mapped(o.Sources)...) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return usagef("%s is not a directory", dir)
		}
	}
	if run.Catalog, err = loadCatalogue(o.Catalog, order); err != nil {
		return err
	}
	result, err := rehearsal.Run(ctx, run)
	if bad, ok := errors.AsType[*rehearsal.EntryError](err); ok {
		return usagef("%s", bad)
	}
	if err != nil {
		return err
	}
	if err := printRehearsal(streams.Out, o, run.Entry, result); err != nil {
		return err
	}
	return judgement(result, o.Strict)
}

// orderOf reads TIER_ORDER where the command stands, or else in the checkout.
func orderOf(o rehearseOptions) (*tiers.TierOrder, error) {
	if o.TierOrder == "" {
		inTree := func(path string) bool { _, err := os.Stat(filepath.Join(o.Path, path)); return err == nil }
		if path, _ := tiers.Lookup("", "", inTree); path != "" {
			o.TierOrder = filepath.Join(o.Path, path)
		}
	}
	return loadOrder(o.common)
}

func mapped(sources map[tiers.Ref]string) []string {
	dirs := make([]string, 0, len(sources))
	for _, dir := range sources {
		dirs = append(dirs, dir)
	}
	return dirs
}
