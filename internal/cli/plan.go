package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/internal/report"
)

func planCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "plan",
		Usage: "what resume would do, step by step, each with its cause",
		Description: "Reads the cluster and TIER_ORDER and prints the plan of resume. Changes nothing.\n" +
			"Output: text or json.",
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputText, outputJSON)
		if err != nil {
			return err
		}
		return showPlan(c.Context, streams, o)
	})
}

func showPlan(ctx context.Context, streams Streams, o common) error {
	ctx, cancel := withTimeout(ctx, o)
	defer cancel()
	s, err := open(ctx, o, newLogger(streams.Err, o.LogFormat, o.Verbose))
	if err != nil {
		return err
	}
	p, err := s.plan()
	if err != nil {
		return err
	}
	if o.Output == outputJSON {
		data, err := report.PlanJSON(p)
		if err != nil {
			return err
		}
		return writeString(streams.Out, string(data))
	}
	return writeString(streams.Out, report.PlanText(p))
}

// withTimeout bounds a command by --timeout.
func withTimeout(ctx context.Context, o common) (context.Context, context.CancelFunc) {
	if o.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, o.Timeout)
}
