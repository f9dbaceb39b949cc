package cli

import (
	"context"
	"slices"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/urfave/cli/v2"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/report"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
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
		s.view.TakeChanged() // before the look, so that nothing falls between the two
		text, err := s.statusText(ctx, o, time.Now())
		if err != nil {
			return err
		}
		if text != last {
			gap := ""
			if last != "" && o.Output != outputJSON {
				gap = "\n"
			}
			if err := writeString(streams.Out, gap+text); err != nil {
				return err
			}
			last = text
		}
		if !watch {
			return nil
		}
		if err := s.changed(ctx); err != nil {
			return err
		}
	}
}

// changed waits until an object is no longer as it was shown. A signal may be
// older than the last look, which took what it told of.
func (s *session) changed(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-s.view.Failed():
			return err
		case <-s.view.Changed():
			if len(s.view.TakeChanged()) > 0 {
				return nil
			}
		}
	}
}

func (s *session) statusText(ctx context.Context, o common, now time.Time) (string, error) {
	rows := s.rows(now)
	early, err := s.early(ctx, o, rows)
	if err != nil {
		return "", err
	}
	if o.Output == outputJSON {
		data, err := report.StatusJSON(rows, early...)
		return string(data), err
	}
	return report.StatusTable(rows, early...), nil
}

// earlyAgain is how long a look for what was applied early holds: it is a list
// of each of some fifty kinds, and a watch shows every change of a cluster that
// comes up.
const earlyAgain = 10 * time.Second

// early finds what was applied early and is not handed over. Where everything
// is Ready, everything is: nobody needs to look.
func (s *session) early(ctx context.Context, o common, rows []report.StatusRow) ([]report.StatusEarly, error) {
	switch {
	case !slices.ContainsFunc(rows, func(r report.StatusRow) bool { return r.Seen.State != waiters.Ready }):
		return nil, nil
	case time.Since(s.lookedEarly) < earlyAgain:
		return s.lastEarly, nil
	}
	known, err := loadCatalogue(o.Catalog, s.order)
	if err != nil {
		return nil, err
	}
	found, hidden, err := s.client.Early(ctx, bootstrap.EarlyKinds(known))
	if err != nil {
		return nil, err
	}
	if len(hidden) > 0 {
		s.log.debugf("what was applied early of %v is not shown: they may not be listed", hidden)
	}
	s.lastEarly, s.lookedEarly = nil, time.Now()
	for _, e := range found {
		s.lastEarly = append(s.lastEarly, report.StatusEarly(e))
	}
	return s.lastEarly, nil
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
