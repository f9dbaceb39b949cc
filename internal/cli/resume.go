package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/kube"
)

// Flags of resume.
const (
	flagKeepGoing = "keep-going"
	flagPatience  = "patience"
	flagReport    = "report"
	flagCrds      = "crds"
)

// releaseTimeout bounds giving the lock back after the run has ended: an
// interrupt must end the program within a second.
const releaseTimeout = 700 * time.Millisecond

type resumeOptions struct {
	common
	repairOptions
	// Crds is whether wedges are broken.
	Crds      bool
	KeepGoing bool
	Patience  time.Duration
	Report    string
}

func resumeCommand(streams Streams) *cli.Command {
	return newCommand(cli.Command{
		Name:  "resume",
		Usage: "un-suspend Flux and bring every tier to Ready, in order",
		Description: "Un-suspends what is suspended on the cluster and not in git, nudges Flux where its\n" +
			"own timers would idle, waits until every tier is Ready at its source's current\n" +
			"revision, runs the probes of TIER_ORDER, and looks at everything once more.\n" +
			"On a healthy cluster it changes nothing. Killed at any moment and run again, it\n" +
			"carries on. Output: table (on a terminal), plain, json (the result), jsonl (events).",
		Flags: append([]cli.Flag{
			&cli.StringFlag{
				Name: flagCrds, Value: "auto", EnvVars: env(flagCrds),
				Usage: "break wedges that stand or appear, as the command crds does: auto or never",
			},
			&cli.BoolFlag{Name: flagKeepGoing, Usage: "after a failure, finish the branches that do not depend on it", EnvVars: env(flagKeepGoing)},
			&cli.DurationFlag{
				Name: flagPatience, Value: bootstrap.DefaultPatience, EnvVars: env(flagPatience),
				Usage: "give up on a missing kind, namespace or Secret after `DURATION` in which nothing else moved",
			},
			reportFlag(),
		}, repairFlags()...),
	}, func(c *cli.Context) error {
		o, err := parseCommon(c, outputTable, outputPlain, outputJSON, outputJSONL)
		if err != nil {
			return err
		}
		patience := duration(c, flagPatience)
		if patience < 0 {
			return usagef("--patience %s is negative", patience)
		}
		file := text(c, flagReport)
		if err := checkReport(file); err != nil {
			return err
		}
		breaks := text(c, flagCrds)
		if breaks != "auto" && breaks != "never" {
			return usagef("--crds %q is not known; it is auto or never", breaks)
		}
		return explained(resume(c.Context, streams, resumeOptions{
			common: o, repairOptions: parseRepair(c), Crds: breaks == "auto",
			KeepGoing: flag(c, flagKeepGoing), Patience: patience, Report: file,
		}))
	})
}

func resume(ctx context.Context, streams Streams, o resumeOptions) (err error) {
	ctx, cancel := withTimeout(ctx, o.common)
	defer cancel()
	out := newRunOutput(streams, o.common, o.Report)
	defer func() { err = out.close(err) }()
	log := newLogger(out, o.LogFormat, o.Verbose)
	s, err := open(ctx, o.common, log)
	if err != nil {
		return err
	}
	probes, err := bootstrap.ProbesOf(s.order, s.client, s.client)
	if err != nil {
		return err
	}
	var repair *bootstrap.Repair
	if o.Crds {
		var sets *bootstrap.Sets
		if repair, sets, err = s.repair(o.common, o.repairOptions); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, sets.Close()) }()
	}
	pace := bootstrap.DefaultPace()
	pace.Patience = o.Patience
	id := runID()
	lock, err := s.client.AcquireLock(ctx, kube.LockOptions{Namespace: o.Namespace, Identity: kube.Identity(id)})
	if err != nil {
		return err
	}
	defer release(ctx, lock, log)
	run := &bootstrap.Resume{
		Sequencer: bootstrap.Sequencer{
			World: s.view, Looker: s.client, Writer: s.client, Probes: probes, Sink: out.sink(),
			Order: s.order, ID: id, KeepGoing: o.KeepGoing, Pace: pace, Repair: repair,
			Fatal: firstOf(ctx, lock.Lost(), s.view.Failed()),
		},
		Inspector: s.client,
		Namespace: o.Namespace,
	}
	return run.Run(ctx)
}

// release gives the lock back even when the run's own context has ended.
func release(ctx context.Context, lock *kube.Lock, log *logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := lock.Release(ctx); err != nil {
		log.debugf("the lock was not given back and expires by itself: %v", err)
	}
}

// firstOf passes on whichever comes first.
func firstOf(ctx context.Context, sources ...<-chan error) <-chan error {
	out := make(chan error, 1)
	for _, c := range sources {
		go func() {
			select {
			case err := <-c:
				select {
				case out <- err:
				default: // one is enough
				}
			case <-ctx.Done():
			}
		}()
	}
	return out
}

// runID names a run by its start, to be sorted and read by people, and by its
// process, so that two runs of one second differ.
func runID() string {
	return fmt.Sprintf("%s-%d", time.Now().UTC().Format("20060102t150405"), os.Getpid())
}

func writeString(w io.Writer, s string) error {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	_, err := io.WriteString(w, s)
	return err
}
