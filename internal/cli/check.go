package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
)

func checkCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "check",
		Usage: "is this cluster fit to be stood up? (changes nothing)",
		Description: "Runs the checks that resume runs before it starts: permissions, Flux's controllers,\n" +
			"the source, and whether TIER_ORDER and the graph make a plan. Output: text or json.",
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputText, outputJSON)
		if err != nil {
			return err
		}
		return check(c.Context, streams, o)
	})
}

func check(ctx context.Context, streams Streams, o common) error {
	ctx, cancel := withTimeout(ctx, o)
	defer cancel()
	s, err := open(ctx, o, newLogger(streams.Err, o.LogFormat, o.Verbose))
	if err != nil {
		return err
	}
	results, err := s.checks(ctx, o)
	if o.Output == outputJSON {
		if failed := writeChecks(streams, results); failed != nil {
			return failed
		}
		return told(err)
	}
	for _, r := range results {
		word, detail := "ok", r.Detail
		if r.Err != nil {
			word, detail = "FAILED", r.Err.Error()
		}
		if _, failed := fmt.Fprintf(streams.Out, "%-6s  %-11s  %s\n", word, r.Name, detail); failed != nil {
			return failed
		}
	}
	return told(err)
}

// checks are those of a run's preflight, and the plan. They say how things are
// now and wait for nothing.
func (s *session) checks(ctx context.Context, o common) ([]event.PreflightChecked, error) {
	results, err := bootstrap.Preflight(ctx, s.client, s.view, o.Namespace, s.order, bootstrap.DefaultPace().Look, 0)
	if err != nil {
		return results, err
	}
	plan, err := s.plan()
	result := event.PreflightChecked{Name: "plan", Err: err}
	if err == nil {
		result.Detail = view.Count(view.TierCount(plan.Tiers), "tier") + ", " + view.Count(len(plan.Steps), "step")
	}
	return append(results, result), err
}

// checkLine is the public form of one result, schema standup.check/v1.
type checkLine struct {
	Name    string `json:"name"`
	Passed  bool   `json:"passed"`
	Message string `json:"message"`
}

func writeChecks(streams Streams, results []event.PreflightChecked) error {
	lines := make([]checkLine, 0, len(results))
	for _, r := range results {
		l := checkLine{Name: r.Name, Passed: r.Err == nil, Message: r.Detail}
		if r.Err != nil {
			l.Message = r.Err.Error()
		}
		lines = append(lines, l)
	}
	return writeJSON(streams.Out, struct {
		Schema string      `json:"schema"`
		Checks []checkLine `json:"checks"`
	}{"standup.check/v1", lines})
}
