package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/tiers"
)

func tiersCommand(streams Streams) *cli.Command {
	return &cli.Command{
		Name:            "tiers",
		Usage:           "work with the TIER_ORDER file",
		HideHelpCommand: true,
		OnUsageError:    onUsageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("unknown command %q; tiers knows check, generate, import", c.Args().First())
			}
			return usagef("tiers needs a command: check, generate or import")
		},
		Subcommands: []*cli.Command{tiersCheckCommand(streams), tiersGenerateCommand(streams), tiersImportCommand(streams)},
	}
}

func tiersCheckCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "check",
		Usage: "compare the TIER_ORDER file with the cluster's Kustomizations",
		Description: "Fails with exit code 3 on a Kustomization that no tier lists, a tier that names\n" +
			"none, an order that contradicts dependsOn, and a cycle. Changes nothing.",
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputText, outputJSON)
		if err != nil {
			return err
		}
		return tiersCheck(c.Context, streams, o)
	})
}

// driftLine is the public form of one finding, schema standup.drift/v1.
type driftLine struct {
	Kind    string `json:"kind"`
	Object  string `json:"object,omitempty"`
	Tier    string `json:"tier,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

func tiersCheck(ctx context.Context, streams Streams, o common) error {
	log := newLogger(streams.Err, o.LogFormat, o.Verbose)
	s, err := open(ctx, o, log)
	if err != nil {
		return err
	}
	if s.order == nil {
		return usagef("there is no TIER_ORDER file to check; name it with -f")
	}
	found := tiers.Check(s.order, bootstrap.Snapshot(s.view))
	if o.Output == outputJSON {
		if err := writeDrift(streams, s.order.File, found); err != nil {
			return err
		}
	} else if err := printDrift(streams, s.order.File, found); err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	return told(&tiers.DriftError{Findings: found})
}

func writeDrift(streams Streams, file string, found []tiers.Drift) error {
	lines := make([]driftLine, 0, len(found))
	for _, d := range found {
		lines = append(lines, driftOf(d))
	}
	return writeJSON(streams.Out, struct {
		Schema   string      `json:"schema"`
		File     string      `json:"file"`
		Findings []driftLine `json:"findings"`
	}{"standup.drift/v1", file, lines})
}

func printDrift(streams Streams, file string, found []tiers.Drift) error {
	if len(found) == 0 {
		_, err := fmt.Fprintf(streams.Out, "%s agrees with the cluster\n", file)
		return err
	}
	for _, d := range found {
		if _, err := fmt.Fprintln(streams.Out, d.String()); err != nil {
			return err
		}
	}
	return nil
}

func driftOf(d tiers.Drift) driftLine {
	l := driftLine{Kind: string(d.Kind), Tier: d.Tier, Message: d.Message, Fix: d.Fix}
	if !d.Object.IsZero() {
		l.Object = d.Object.NamespacedName()
	}
	if d.Pos.Line > 0 {
		l.Message = fmt.Sprintf("%s:%d:%d: %s", d.File, d.Pos.Line, d.Pos.Column, d.Message)
	}
	return l
}
