package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

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
		Usage: "compare the TIER_ORDER file with the Kustomizations of the cluster or of a checkout",
		Description: "Fails with exit code 3 on a Kustomization that no tier lists, a tier that names\n" +
			"none, an order that contradicts dependsOn, and a cycle. With --path it looks at a\n" +
			"checkout, offline, and says on stderr which sets cannot be seen there. Changes nothing.\n" +
			"Output: text, json.",
		Flags: treeFlags(),
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputText, outputJSON)
		if err != nil {
			return err
		}
		t, err := parseTree(c)
		if err != nil {
			return err
		}
		return tiersCheck(c.Context, streams, o, t)
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

func tiersCheck(ctx context.Context, streams Streams, o common, t treeOptions) error {
	log := newLogger(streams.Err, o.LogFormat, o.Verbose)
	order, err := t.order(o)
	if err != nil {
		return err
	}
	f, err := look(ctx, "tiers check", o, t, order, log)
	if err != nil {
		return err
	}
	if order == nil {
		return usagef("there is no TIER_ORDER file to check; name it with -f")
	}
	found := f.certain(tiers.Check(order, f.Snapshot), log)
	if o.Output == outputJSON {
		if err := writeDrift(streams, order.File, found, f.unseen()); err != nil {
			return err
		}
	} else if err := printDrift(streams, order.File, found, f); err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	return told(&tiers.DriftError{Findings: found})
}

// certain leaves out what is only not found, where a set that cannot be seen may
// have it. That is said, and fails nobody.
func (f *facts) certain(found []tiers.Drift, log *logger) []tiers.Drift {
	if len(f.unseen()) == 0 {
		return found
	}
	var kept []tiers.Drift
	for _, d := range found {
		if d.Kind == tiers.DriftMissingDependency || d.Kind == tiers.DriftNotFound && d.Other.IsZero() {
			log.warnf("%s, unless in a set that cannot be seen", d.Message)
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

// unseenLine is the public form of a set that cannot be seen.
type unseenLine struct {
	Object  string `json:"object"`
	Message string `json:"message"`
}

func (f *facts) unseen() []unseenLine {
	if f.tree == nil {
		return nil
	}
	var lines []unseenLine
	for _, k := range f.tree.Kustomizations {
		if k.Unseen != "" {
			lines = append(lines, unseenLine{k.Ref.NamespacedName(), k.Unseen})
		}
	}
	return lines
}

func writeDrift(streams Streams, file string, found []tiers.Drift, unseen []unseenLine) error {
	lines := make([]driftLine, 0, len(found))
	for _, d := range found {
		lines = append(lines, driftOf(d))
	}
	return writeJSON(streams.Out, struct {
		Schema   string       `json:"schema"`
		File     string       `json:"file"`
		Findings []driftLine  `json:"findings"`
		Unseen   []unseenLine `json:"unseen,omitempty"`
	}{"standup.drift/v1", file, lines, unseen})
}

func printDrift(streams Streams, file string, found []tiers.Drift, f *facts) error {
	if len(found) == 0 {
		with := "the " + f.where
		if len(f.unseen()) > 0 {
			with = "what can be seen of the " + f.where
		}
		_, err := fmt.Fprintf(streams.Out, "%s agrees with %s\n", file, with)
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
