package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// rehearsed is what a rehearsal of the fleet costs, beside kustomize alone: one
// of each a run, in turns.
type rehearsed struct {
	Wall, CPU, Bare, BareCPU []time.Duration
	Peak                     int64
}

// errNoBare says how to get the program that a rehearsal is compared with.
var errNoBare = errors.New("--bare: no such program; make bench builds it")

// rehearse measures standup on a checkout: no cluster is there.
func (b *bench) rehearse(ctx context.Context) error {
	if _, err := os.Stat(b.opts.bare); err != nil {
		return errNoBare
	}
	root, err := os.MkdirTemp("", "standup-fleet-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }()
	dirs, err := writeFleet(root)
	if err != nil {
		return err
	}
	r := &rehearsed{}
	for range b.opts.runs {
		bare, err := b.measured(ctx, b.opts.bare, append([]string{root}, dirs...)...)
		if err != nil {
			return err
		}
		ours, err := b.measured(ctx, b.opts.standup, "rehearse", "--path", root, "--entry", fleetEntry,
			"--seeded", "external-secrets.io", "--seeded", "gateway.networking.k8s.io", "-o", "json")
		if err != nil {
			return err
		}
		r.Bare, r.BareCPU = append(r.Bare, bare.ended.Sub(bare.began)), append(r.BareCPU, bare.cpu)
		r.Wall, r.CPU = append(r.Wall, ours.ended.Sub(ours.began)), append(r.CPU, ours.cpu)
		r.Peak = max(r.Peak, ours.peak)
	}
	b.report.Rehearsed = r
	b.logf("rehearse: %s, kustomize alone %s, %s", seconds(median(r.Wall)), seconds(median(r.Bare)), mebibytes(r.Peak))
	return b.write()
}

// measured runs a program that has to succeed.
func (b *bench) measured(ctx context.Context, name string, args ...string) (process, error) {
	limited, cancel := context.WithTimeoutCause(ctx, b.opts.limit, errCap)
	defer cancel()
	p, err := start(limited, "", name, args...)
	if err == nil && p.code != 0 {
		err = fmt.Errorf("%s: exit code %d: %s", name, p.code, lastLine(p.stderr))
	}
	return p, err
}

// ratio is the median of the runs' ratios of processor time, which other work on
// the machine changes less than that of the wall clock.
func (r *rehearsed) ratio() float64 {
	var all []float64
	for i := range r.CPU {
		all = append(all, ratio(r.CPU[i], r.BareCPU[i]))
	}
	return median(all)
}

// writeRehearsed writes the table of the rehearsals.
func (r report) writeRehearsed(b *strings.Builder) {
	if r.Rehearsed == nil {
		return
	}
	fmt.Fprintf(b, `## Rehearse

A generated tree of %d Kustomizations and %d HelmReleases; kustomize alone builds
the same directories in one process and does nothing with them.

%s
`, fleetKustomizations, fleetReleases, table(
		[]string{"", "runs", "time", "CPU", "memory"},
		[][]string{
			{"kustomize alone", fmt.Sprint(len(r.Rehearsed.Bare)), seconds(median(r.Rehearsed.Bare)), seconds(median(r.Rehearsed.BareCPU)), "-"},
			{"standup rehearse", fmt.Sprint(len(r.Rehearsed.Wall)), seconds(median(r.Rehearsed.Wall)), seconds(median(r.Rehearsed.CPU)), mebibytes(r.Rehearsed.Peak)},
		}))
}

// rehearseVerdicts judges them.
func (r report) rehearseVerdicts() []verdict {
	title := fmt.Sprintf("rehearse of %d Kustomizations and %d HelmReleases: ", fleetKustomizations, fleetReleases)
	fast := verdict{Target: title + "under " + seconds(rehearseMost), Skipped: true}
	times3 := verdict{Target: fmt.Sprintf("%sat most %.0f times kustomize alone, in CPU", title, rehearseRatio), Skipped: true}
	small := verdict{Target: fmt.Sprintf("%sunder %d MiB", title, rehearseMemory>>20), Skipped: true}
	if m := r.Rehearsed; m != nil {
		fast = verdict{Target: fast.Target, Measured: seconds(median(m.Wall)), Met: median(m.Wall) < rehearseMost}
		times3 = verdict{Target: times3.Target, Measured: times(m.ratio()), Met: m.ratio() <= rehearseRatio}
		small = verdict{Target: small.Target, Measured: mebibytes(m.Peak), Met: m.Peak < rehearseMemory}
	}
	return []verdict{fast, times3, small}
}
