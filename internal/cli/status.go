package cli

import (
	"context"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/urfave/cli/v2"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/report"
	"github.com/standup-sh/standup/tiers"
)

const flagWatch = "watch"

func statusCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "status",
		Usage: "where each tier stands now",
		Description: "Prints one row a Kustomization with its state and its classified cause. Changes\n" +
			"nothing. Output: text or json.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: flagWatch, Aliases: []string{"w"}, Usage: "print again whenever something changes, until interrupted", EnvVars: env(flagWatch)}},
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputText, outputJSON)
		if err != nil {
			return err
		}
		return status(c.Context, streams, o, flag(c, flagWatch))
	})
}

func status(ctx context.Context, streams Streams, o common, watch bool) error {
	ctx, cancel := withTimeout(ctx, o)
	defer cancel()
	s, err := open(ctx, o, newLogger(streams.Err, o.LogFormat, o.Verbose))
	if err != nil {
		return err
	}
	for last := ""; ; {
		text, err := s.statusText(o, time.Now())
		if err != nil {
			return err
		}
		if text != last {
			if last != "" && o.Output != outputJSON {
				text = "\n" + text
			}
			if err := writeString(streams.Out, text); err != nil {
				return err
			}
			last = text
		}
		if !watch {
			return nil
		}
		s.view.TakeChanged()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-s.view.Failed():
			return err
		case <-s.view.Changed():
		}
	}
}

func (s *session) statusText(o common, now time.Time) (string, error) {
	rows := s.rows(now)
	if o.Output == outputJSON {
		data, err := report.StatusJSON(rows)
		return string(data), err
	}
	return report.StatusTable(rows), nil
}

// rows lists the Kustomizations in the order of the plan; without a plan,
// because there is a cycle, by name.
func (s *session) rows(now time.Time) []report.StatusRow {
	tierOf := map[tiers.Ref]string{}
	var order []tiers.Ref
	if p, err := s.plan(); err == nil {
		for _, t := range p.Tiers {
			for _, m := range t.Members {
				tierOf[m] = t.Name
				order = append(order, m)
			}
		}
	} else {
		s.log.warnf("there is no plan: %v", err)
	}
	for _, k := range s.view.Kustomizations() {
		ref := tiers.KustomizationRef(k.Namespace, k.Name)
		if _, ok := tierOf[ref]; !ok {
			order = append(order, ref)
		}
	}
	rows := make([]report.StatusRow, 0, len(order))
	for _, ref := range order {
		k := s.view.Kustomization(ref)
		rows = append(rows, report.StatusRow{Tier: tierOf[ref], Object: ref, Seen: bootstrap.Look(s.view, ref), Age: ageOf(k, now)})
	}
	return rows
}

// ageOf is how long a Kustomization has been in its state: since the last
// transition of its Ready condition.
func ageOf(k *kustomizev1.Kustomization, now time.Time) time.Duration {
	if k == nil {
		return 0
	}
	if c := apimeta.FindStatusCondition(k.Status.Conditions, meta.ReadyCondition); c != nil {
		return now.Sub(c.LastTransitionTime.Time)
	}
	return now.Sub(k.CreationTimestamp.Time)
}
