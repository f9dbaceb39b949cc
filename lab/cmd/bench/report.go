package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/standup-sh/standup/lab"
)

// report is all that was measured.
type report struct {
	Machine    machine
	Cap        time.Duration
	Contenders []contender
	LeftOut    []string
	Scenarios  []measured
	Scale      []scaled
	Rehearsed  *rehearsed
	Version    []time.Duration
}

// measured is a scenario with the samples of each contender.
type measured struct {
	Scenario scenario
	Samples  map[string][]sample
}

// counted are the samples that count, in full.
func counted(samples []sample) []sample {
	return slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return s.Capped || s.Failure != "" })
}

// of is the median of a value over the samples that count.
func of[T time.Duration | float64 | int64](samples []sample, value func(s sample) T) T {
	var values []T
	for _, s := range counted(samples) {
		values = append(values, value(s))
	}
	return median(values)
}

func wall(s sample) time.Duration { return s.Wall }

// allHops are the hops of all samples, of those too that were cut off.
func allHops(samples []sample) []time.Duration {
	var out []time.Duration
	for _, s := range samples {
		out = append(out, s.Hops...)
	}
	return out
}

const preamble = `# Benchmarks

This page is written by the benchmark; do not edit it by hand.

    make bench                                        # everything: more than half an hour
    cd lab && go run ./cmd/bench --only chain10       # one of: %s
    cd lab && go run ./cmd/bench --runs 5 --cap 10m

Each run of each contender has a fresh lab cluster (real etcd, kube-apiserver
and Flux controllers %s with their default timers) with the tree pushed and
every Kustomization suspended and never reconciled. It ends when all are Ready at
the source's revision and the contender's program, if it has one, has ended. The
contenders take turns. A run is cut off after %s, and a contender that was cut
off does not run again. Flux alone runs once unless --alone-runs says otherwise:
it takes minutes of waiting for its timers.

The machine: %d cores, %s, load average %s at the start.
The ratios count and the absolute times do not: the machine is shared, and a busy
core makes everything slower, the controllers' own work as well.

## Contenders

%s
## What is measured

- **all Ready** and **ended** are times from the start, medians of the runs.
  ended is when the contender's program has ended as well; all comparisons use it.
- **limit**: the sum of the controllers' own durations (lastReconciledDuration
  in status.history, of the reconciliation that made it Ready) along the
  critical path of dependsOn. No tool can be faster than that. The root
  Kustomization, on which nothing depends, is not on it; standup waits for its
  pass before the ones that it applies all the same.
  **barrier limit**: the same along the tiers of TIER_ORDER, where each begins
  when the one before is Ready. A ratio is the median of the runs' ratios.
- **hop**: from "all that it waits for is Ready" to "it is reconciling", as a
  watch of the benchmark's own on the API server sees both. What it waits for
  is spec.dependsOn; for the script also the tier before; for standup all that
  its plan says, so tiers and probes too.
- **where the time went** follows the path that the run really took, back from
  the Kustomization that was Ready last. "Controllers at work" is from the first
  sight of a reconciliation to its Ready, which is more than the controllers' own
  account: they do not count their last write of the status.
- **requests** are those with standup's user agent, of its last run.
- **memory** is the peak of the resident set, **CPU** is user and system time.

`

// markdown is the page.
func (r report) markdown() string {
	var b strings.Builder
	var who strings.Builder
	for _, c := range r.Contenders {
		fmt.Fprintf(&who, "- **%s**: %s.\n", c.Name, c.What)
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(&who, "\n%s\n", l)
	}
	fmt.Fprintf(&b, preamble, strings.Join(everything(), ", "), lab.FluxVersion, r.Cap, r.Machine.Cores, r.Machine.Platform, r.Machine.Load, who.String())
	r.writeTargets(&b)
	for _, m := range r.Scenarios {
		r.writeScenario(&b, m)
	}
	r.writeScale(&b)
	r.writeRehearsed(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// writeScenario writes the tables of one scenario.
func (r report) writeScenario(b *strings.Builder, m measured) {
	tiered := m.Scenario.Order != ""
	header := []string{"contender", "runs", "all Ready", "ended", "limit", "ratio"}
	if tiered {
		header = append(header, "barrier limit", "ratio")
	}
	header = append(header, "hop p50", "p95", "max", "standup is faster by")
	var rows [][]string
	for _, c := range r.Contenders {
		if samples := m.Samples[c.Name]; len(samples) > 0 {
			rows = append(rows, contenderRow(c.Name, samples, m.Samples[standupName], r.Cap, tiered))
		}
	}
	fmt.Fprintf(b, "## %s\n\n%s\n", m.Scenario.Title, table(header, rows))
	r.writeSpent(b, m)
	ours := counted(m.Samples[standupName])
	if len(ours) == 0 {
		return
	}
	fmt.Fprintf(b, "standup: %s of CPU, %s of memory (medians); the most writes to one object: %d.\n\n",
		seconds(of(ours, func(s sample) time.Duration { return s.CPU })),
		mebibytes(of(ours, func(s sample) int64 { return s.Peak })), worstWrites(ours))
	fmt.Fprintf(b, "%s\n", requestTable(ours[len(ours)-1].Requests))
}

// writeSpent writes where the time went.
func (r report) writeSpent(b *strings.Builder, m measured) {
	part := func(samples []sample, value func(s spent) time.Duration) string {
		return seconds(of(samples, func(s sample) time.Duration { return value(s.Spent) }))
	}
	var rows [][]string
	for _, c := range r.Contenders {
		good := counted(m.Samples[c.Name])
		if len(good) == 0 {
			continue
		}
		rows = append(rows, []string{
			c.Name,
			part(good, func(s spent) time.Duration { return s.Before }),
			part(good, func(s spent) time.Duration { return s.Hops }),
			part(good, func(s spent) time.Duration { return s.Controllers }),
			part(good, func(s spent) time.Duration { return s.Own }),
			part(good, func(s spent) time.Duration { return s.After }),
		})
	}
	if len(rows) > 0 {
		header := []string{"where the time went", "before the first", "between", "controllers at work", "by their own account", "after the last"}
		fmt.Fprintf(b, "%s\n", table(header, rows))
	}
}

func contenderRow(name string, samples, ours []sample, limit time.Duration, tiered bool) []string {
	good, hop := counted(samples), allHops(samples)
	row := []string{name, fmt.Sprint(len(samples))}
	if len(good) == 0 {
		last := samples[len(samples)-1]
		end := cmp.Or(last.Failure, fmt.Sprintf(">%s: %d of %d Ready", seconds(limit), last.Ready, last.Total))
		row = append(row, end, "-", "-", "-")
		if tiered {
			row = append(row, "-", "-")
		}
	} else {
		row = append(row,
			seconds(of(good, func(s sample) time.Duration { return s.AllReady })), seconds(of(good, wall)),
			seconds(of(good, func(s sample) time.Duration { return s.Limit })),
			times(of(good, func(s sample) float64 { return ratio(s.Wall, s.Limit) })))
		if tiered {
			row = append(row, seconds(of(good, func(s sample) time.Duration { return s.Barrier })),
				times(of(good, func(s sample) float64 { return ratio(s.Wall, s.Barrier) })))
		}
	}
	row = append(row, seconds(percentile(hop, 50)), seconds(percentile(hop, 95)), seconds(percentile(hop, 100)))
	return append(row, against(name, good, counted(ours), limit))
}

// against is how many times longer than standup a contender took.
func against(name string, good, ours []sample, limit time.Duration) string {
	switch {
	case name == standupName || len(ours) == 0:
		return "-"
	case len(good) == 0:
		return "more than " + times(ratio(limit, of(ours, wall)))
	}
	return times(ratio(of(good, wall), of(ours, wall)))
}

func worstWrites(samples []sample) int {
	most := 0
	for _, s := range samples {
		most = max(most, s.MostWrites)
	}
	return most
}

// requestTable lists requests by resource and verb.
func requestTable(requests map[lab.Request]int) string {
	keys := slices.SortedFunc(maps.Keys(requests), func(a, b lab.Request) int {
		return cmp.Or(strings.Compare(a.Resource, b.Resource), strings.Compare(a.Verb, b.Verb))
	})
	var rows [][]string
	total := 0
	for _, k := range keys {
		rows = append(rows, []string{k.Resource, k.Verb, fmt.Sprint(requests[k])})
		total += requests[k]
	}
	return table([]string{"resource", "verb", "requests"}, append(rows, []string{"all", "", fmt.Sprint(total)}))
}

// table is a Markdown table.
func table(header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(header)
	fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(header)))
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// seconds writes a duration with as many digits as it deserves.
func seconds(d time.Duration) string {
	if d >= 100*time.Second {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

func times(r float64) string { return fmt.Sprintf("%.1fx", r) }

func mebibytes(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }
