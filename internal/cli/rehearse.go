package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/rehearsal"
	"github.com/standup-sh/standup/tiers"
)

// Flags of rehearse.
const (
	flagBaseline = "baseline"
	flagSeeded   = "seeded"
	flagSeeds    = "seeds"
	flagCluster  = "baseline-from-cluster"
	flagStrict   = "strict"
	flagFix      = "fix"
	flagFrom     = "from"
	flagFlux     = "flux"
	flagWorkers  = "concurrent"
	flagTimeline = "timeline"
)

type rehearseOptions struct {
	common
	treeOptions
	Baseline string
	Seeded   []string
	Seeds    []string
	// Cluster asks the cluster at hand what is there.
	Cluster bool
	Strict  bool
	Fix     string
	From    string
	Flux    rehearsal.Flux
	// Workers is --concurrent of the controllers; zero: as the tree says.
	Workers int
	// Timeline is a file for the picture; its name says in which form.
	Timeline string
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
			sourceFlag(),
			&cli.StringFlag{Name: flagBaseline, Usage: "`FILE` that says what exists before Flux", EnvVars: env(flagBaseline)},
			&cli.StringSliceFlag{Name: flagSeeded, Usage: "`GROUP[/KIND]` that is served before Flux; may be repeated"},
			&cli.StringFlag{Name: flagFix, Usage: "write the durable fixes as patches into `DIR`; the tree itself is not changed", EnvVars: env(flagFix)},
			&cli.StringFlag{Name: flagFrom, Usage: "judge the step from git revision `REV` as well: what moves, is deleted, cannot change", EnvVars: env(flagFrom)},
			&cli.StringFlag{Name: flagTimeline, Usage: "draw the course of it into `FILE` (.svg, .html)", EnvVars: env(flagTimeline)},
			&cli.StringFlag{Name: flagFlux, Usage: "`VERSION` of Flux, 2.4 to 2.9; default the baseline's, else the newest", EnvVars: env(flagFlux)},
			&cli.IntFlag{Name: flagWorkers, Usage: "`N` workers of each controller; default as the tree says, else 4", EnvVars: env(flagWorkers)},
			&cli.BoolFlag{Name: flagCluster, Usage: "take the CRDs and Namespaces of the cluster at hand for what is there before Flux", EnvVars: env(flagCluster)},
			&cli.StringSliceFlag{Name: flagSeeds, Usage: "`PATH` of what is applied before Flux: manifests, a helmfile, a Talos machine configuration; may be repeated"},
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
	if o.treeOptions, err = parseTree(c); err != nil {
		return o, err
	}
	o.Baseline, o.Strict = text(c, flagBaseline), flag(c, flagStrict)
	o.Seeded = home(c, flagSeeded).StringSlice(flagSeeded)
	o.Cluster = flag(c, flagCluster)
	o.Seeds = home(c, flagSeeds).StringSlice(flagSeeds)
	if o.Timeline = text(c, flagTimeline); o.Timeline != "" && filepath.Ext(o.Timeline) != ".svg" && filepath.Ext(o.Timeline) != ".html" {
		return o, usagef("--timeline %s ends in neither .svg nor .html", o.Timeline)
	}
	o.Fix, o.From = text(c, flagFix), text(c, flagFrom)
	if o.Workers = home(c, flagWorkers).Int(flagWorkers); o.Workers < 0 {
		return o, usagef("--concurrent %d is less than 1", o.Workers)
	}
	if o.Flux, err = rehearsal.ParseFlux(text(c, flagFlux)); err != nil {
		return o, usagef("--flux: %v", err)
	}
	return o, checkFixDir(o.Fix, o.Path)
}

// collectLess lets the heap grow further between two collections, unless GOGC is
// set: a rehearsal is short, and a quarter of its processor time went into them.
// The limit keeps large trees from growing with it. It returns what undoes it.
func collectLess() func() {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	const percent, limit = 400, 300 << 20
	oldPercent, oldLimit := debug.SetGCPercent(percent), debug.SetMemoryLimit(limit)
	return func() {
		debug.SetGCPercent(oldPercent)
		debug.SetMemoryLimit(oldLimit)
	}
}

func rehearse(ctx context.Context, streams Streams, o rehearseOptions) error {
	ctx, cancel := withTimeout(ctx, o.common)
	defer cancel()
	defer collectLess()()
	order, err := o.order(o.common)
	if err != nil {
		return err
	}
	run, err := o.options("rehearse", order)
	if err != nil {
		return err
	}
	run.Seeded, run.Seeds = o.Seeded, o.Seeds
	if run.Baseline, err = readBaseline(o.Baseline); err != nil {
		return err
	}
	if o.Cluster {
		if err := addCluster(ctx, streams, o.common, order, &run.Baseline); err != nil {
			return err
		}
	}
	if run.Catalog, err = loadCatalogue(o.Catalog, order); err != nil {
		return err
	}
	if run.Flux = o.Flux; run.Flux == (rehearsal.Flux{}) {
		if run.Flux, err = rehearsal.ParseFlux(run.Baseline.Flux.Version); err != nil {
			return &tiers.FileError{File: o.Baseline, Message: err.Error()}
		}
	}
	run.Concurrent = o.Workers
	if o.From != "" {
		if run.From, err = manifests.Revision(ctx, o.Path, o.From); err != nil {
			return badRevision(err)
		}
		defer func() { _ = os.RemoveAll(run.From) }() // the system cleans up what is left
	}
	result, err := rehearsal.Run(ctx, run)
	if err != nil {
		return badEntry(err)
	}
	if err := printRehearsal(streams.Out, o, run.Entry, result); err != nil {
		return err
	}
	if err := writeTimeline(o.Timeline, result); err != nil {
		return err
	}
	if err := writeFixes(ctx, streams, o.Fix, run, result); err != nil {
		return err
	}
	return judgement(result, o.Strict)
}

func badRevision(err error) error {
	if bad, ok := errors.AsType[*manifests.RevisionError](err); ok {
		return usagef("--from: %s", bad)
	}
	return err
}

// readBaseline reads the file that says what exists before Flux, if there is one.
func readBaseline(file string) (rehearsal.Baseline, error) {
	if file == "" {
		return rehearsal.Baseline{}, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return rehearsal.Baseline{}, &tiers.FileError{File: file, Message: reason(err)}
	}
	return rehearsal.ParseBaseline(file, data)
}
