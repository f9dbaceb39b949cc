package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/internal/report"
	"github.com/standup-sh/standup/tiers"
)

// Outputs for those who draw.
const (
	outputDOT     = "dot"
	outputMermaid = "mermaid"
)

func graphCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "graph",
		Usage: "draw the dependency graph, of the cluster or of a checkout",
		Description: "Every Kustomization with what it depends on, what creates it, and its source, by the\n" +
			"tiers of TIER_ORDER, or by level where there is no such file. Cycles, and what is\n" +
			"named and not there, are marked; tiers check judges them. Changes nothing.\n" +
			"Output: text, dot, mermaid, json.",
		Flags: treeFlags(),
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputText, outputDOT, outputMermaid, outputJSON)
		if err != nil {
			return err
		}
		t, err := parseTree(c)
		if err != nil {
			return err
		}
		return graph(c.Context, streams, o, t)
	})
}

func graph(ctx context.Context, streams Streams, o common, t treeOptions) error {
	order, err := t.order(o)
	if err != nil {
		return err
	}
	f, err := look(ctx, "graph", o, t, order, newLogger(streams.Err, o.LogFormat, o.Verbose))
	if err != nil {
		return err
	}
	p := picture(order, f)
	switch o.Output {
	case outputJSON:
		return writeJSON(streams.Out, report.GraphOf(p))
	case outputDOT:
		return writeString(streams.Out, report.GraphDOT(p))
	case outputMermaid:
		return writeString(streams.Out, report.GraphMermaid(p))
	}
	return writeString(streams.Out, report.GraphText(p))
}

// picture adds to the snapshot's what only a tree knows: all parents, and places.
func picture(order *tiers.TierOrder, f *facts) *tiers.Picture {
	p := tiers.NewPicture(order, f.Snapshot)
	if f.tree == nil {
		return p
	}
	at := map[tiers.Ref]int{}
	for i, n := range p.Nodes {
		at[n.Ref] = i
	}
	for _, k := range f.tree.Kustomizations {
		n := &p.Nodes[at[k.Ref]]
		n.File, n.Line, n.Unseen = k.File, k.Line, k.Unseen
		for _, parent := range k.Parents {
			p.CreatedBy(k.Ref, parent)
		}
	}
	return p
}
