package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/standup-sh/standup/lab"
)

// sample is one run of one contender.
type sample struct {
	// Failure says why the run does not count; empty when it does.
	Failure string
	// Capped is a run that was cut off, with Ready of Total.
	Capped       bool
	Ready, Total int
	// Wall is from the first action to the later of all Ready and the
	// program's end, AllReady to all Ready.
	Wall, AllReady time.Duration
	// Limit is the controllers' own work along the dependencies, Barrier that
	// along the tiers.
	Limit, Barrier time.Duration
	Hops           []time.Duration
	Spent          spent
	// The rest is of standup only.
	CPU        time.Duration
	Peak       int64
	MostWrites int
	Requests   map[lab.Request]int
}

// bench is one run of the benchmark.
type bench struct {
	opts   options
	logf   func(format string, args ...any)
	report report
	broken []error
}

// run measures what was asked for. The page is written after every
// measurement: an interrupt costs only what has not been measured yet.
func (b *bench) run(ctx context.Context) error {
	all, leftOut := contenders(b.opts.standup)
	b.report.Contenders, b.report.LeftOut = all, leftOut
	if err := b.version(ctx); err != nil {
		return err
	}
	for _, name := range b.opts.only {
		b.logf("load average %s", loadAverage())
		var err error
		switch name {
		case "scale":
			err = b.scale(ctx)
		case "rehearse":
			err = b.rehearse(ctx)
		default:
			var s scenario
			if s, err = scenarioOf(name); err == nil {
				err = b.scenario(ctx, s, all)
			}
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(b.broken...)
}

// write writes the page.
func (b *bench) write() error {
	if err := os.WriteFile(b.opts.out, []byte(b.report.markdown()), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// version measures the start of the program, which every command pays.
func (b *bench) version(ctx context.Context) error {
	for range 10 {
		p, err := start(ctx, os.DevNull, b.opts.standup, "version")
		if err != nil {
			return err
		}
		if p.code != 0 {
			return fmt.Errorf("standup version ended with exit code %d: %s", p.code, p.stderr)
		}
		b.report.Version = append(b.report.Version, p.ended.Sub(p.began))
	}
	return nil
}

// scenario lets the contenders take turns, so that what else the machine does
// meets them all.
func (b *bench) scenario(ctx context.Context, s scenario, all []contender) error {
	b.report.Scenarios = append(b.report.Scenarios, measured{Scenario: s, Samples: map[string][]sample{}})
	m := &b.report.Scenarios[len(b.report.Scenarios)-1]
	for run := range b.opts.runs {
		// Flux alone, the first, takes minutes: the quick ones are measured close
		// to each other before it.
		for _, c := range slices.Backward(all) {
			if c.Name == fluxAlone && run >= b.opts.alone {
				continue
			}
			if earlier := m.Samples[c.Name]; len(earlier) > 0 && earlier[len(earlier)-1].Capped {
				continue // it would only cost the same wait again
			}
			got, err := b.once(ctx, s, c)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				// The rest of an hour's work is not thrown away for one broken run;
				// the page shows it, and the exit code does.
				b.broken = append(b.broken, fmt.Errorf("%s, %s, run %d: %w", s.Name, c.Name, run+1, err))
				b.logf("%v", b.broken[len(b.broken)-1])
				got = sample{Failure: "the benchmark broke down"}
			}
			b.logf("%s, %s, run %d: %s (limit %s) %d of %d Ready %s",
				s.Name, c.Name, run+1, got.Wall.Round(time.Millisecond), got.Limit, got.Ready, got.Total, got.Failure)
			m.Samples[c.Name] = append(m.Samples[c.Name], got)
			if err := b.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

var errCap = errors.New("the cap of the benchmark")

// once measures one run on a cluster of its own: nothing is warm that would be
// cold for another contender.
func (b *bench) once(ctx context.Context, s scenario, who contender) (sample, error) {
	c, err := lab.Start(ctx, lab.Options{})
	if err != nil {
		return sample{}, err
	}
	defer c.Stop()
	tree, err := s.tree(c)
	if err != nil {
		return sample{}, err
	}
	revision, err := c.Push(ctx, repo, tree)
	if err != nil {
		return sample{}, err
	}
	if err := c.Bootstrap(ctx, lab.BootstrapOptions{Repo: repo, Path: s.Path, Suspended: true}); err != nil {
		return sample{}, err
	}
	kubeconfig := c.Kubeconfig()
	if who.measured {
		if kubeconfig, err = c.ProxyKubeconfig(ctx); err != nil {
			return sample{}, err
		}
		c.Proxy().ResetRequests()
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	o, err := observe(watching, c, revision, s.names())
	if err != nil {
		return sample{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, b.opts.limit, errCap)
	defer cancel()
	p, err := who.run(limited, c, s, kubeconfig)
	if err == nil && p.code == 0 {
		err = o.wait(limited)
	}
	if err != nil && context.Cause(limited) != errCap { //nolint:errorlint // a cause is compared as it was given
		return sample{}, err
	}
	return judge(s, who, p, o.result(), limited.Err() != nil, c.Proxy().Requests())
}

// judge makes the sample of what was seen.
func judge(s scenario, who contender, p process, tracks map[string]track, expired bool, requests map[lab.Request]int) (sample, error) {
	out := sample{Ready: readyCount(tracks), Total: len(tracks)}
	end := lastReady(tracks)
	out.AllReady = end.Sub(p.began)
	if p.ended.After(end) {
		end = p.ended
	}
	out.Wall = end.Sub(p.began)
	out.Capped = expired && out.Ready < out.Total
	if out.Capped {
		out.Wall, out.AllReady = 0, 0
	} else if p.code != 0 {
		out.Failure = fmt.Sprintf("exit code %d", p.code)
		return out, nil
	}
	took := map[string]time.Duration{}
	for name, t := range tracks {
		took[name] = t.took
	}
	var err error
	if out.Limit, err = criticalPath(dependencies(tracks), took); err != nil {
		return out, err
	}
	out.Barrier = barrierChain(s.Tiers, took)
	g, err := who.gates(s, p, tracks)
	if err != nil {
		return out, err
	}
	out.Hops = hops(tracks, g)
	if !out.Capped {
		out.Spent = spentOn(tracks, g, p.began, end)
	}
	if who.measured {
		lines, err := readEvents(p.stdout)
		if err != nil {
			return out, err
		}
		out.CPU, out.Peak, out.MostWrites = p.cpu, p.peak, mostWrites(lines)
		out.Requests = ours(requests)
	}
	return out, nil
}

// ours are the requests with the user agent of standup.
func ours(requests map[lab.Request]int) map[lab.Request]int {
	out := map[lab.Request]int{}
	for r, n := range requests {
		if r.Agent == standupName {
			out[r] = n
		}
	}
	return out
}
