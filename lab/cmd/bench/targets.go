package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// verdict is a target with what was measured.
type verdict struct {
	Target, Measured string
	Met              bool
	// Skipped is a target of which nothing was measured.
	Skipped bool
}

// The targets.
const (
	chainRatio  = 1.3
	chainExtra  = time.Second
	hopP95      = 300 * time.Millisecond
	hopMost     = 3 * time.Second
	writesMost  = 3
	scaleMemory = 150 << 20
	scaleCPU    = 10 * time.Second
	// linearSlack is how far the CPU time may be above ten times that of a
	// tenth of the objects: the machine is shared.
	linearSlack = 1.5
	versionMost = 50 * time.Millisecond

	rehearseMost   = 1500 * time.Millisecond
	rehearseRatio  = 3.0
	rehearseMemory = 500 << 20
)

// writeTargets writes the targets and whether they were met.
func (r report) writeTargets(b *strings.Builder) {
	var rows [][]string
	for _, v := range r.verdicts() {
		word := "not met"
		switch {
		case v.Skipped:
			word, v.Measured = "not measured", "-"
		case v.Met:
			word = "met"
		}
		rows = append(rows, []string{v.Target, v.Measured, word})
	}
	fmt.Fprintf(b, "## Targets\n\n%s\n", table([]string{"target", "measured", ""}, rows))
}

// verdicts judges the targets from the numbers.
func (r report) verdicts() []verdict {
	out := []verdict{
		r.chainVerdict("chain of 10: at most 1.3 times the limit, plus 1 s, in every run", func(s sample) time.Duration { return s.Limit }),
		r.chainVerdict("the same with the root's own pass, which standup waits for, in the limit", func(s sample) time.Duration { return s.Spent.Own }),
	}
	for _, m := range r.Scenarios {
		out = append(out, hopVerdict(m))
	}
	out = append(out, r.apiVerdict())
	out = append(out, r.scaleVerdicts()...)
	version := verdict{
		Target:   fmt.Sprintf("standup version under %d ms", versionMost.Milliseconds()),
		Measured: fmt.Sprintf("%d ms (median of %d)", median(r.Version).Milliseconds(), len(r.Version)),
		Met:      median(r.Version) < versionMost, Skipped: len(r.Version) == 0,
	}
	return append(append(out, version), r.rehearseVerdicts()...)
}

// chainVerdict holds every run to the bound of its own cluster, not only the
// median.
func (r report) chainVerdict(target string, limit func(s sample) time.Duration) verdict {
	v := verdict{Target: target}
	i := slices.IndexFunc(r.Scenarios, func(m measured) bool { return m.Scenario.Name == "chain10" })
	if i < 0 || len(r.Scenarios[i].Samples[standupName]) == 0 {
		v.Skipped = true
		return v
	}
	var parts []string
	v.Met = true
	for _, s := range r.Scenarios[i].Samples[standupName] {
		if s.Capped || s.Failure != "" {
			v.Met = false
			parts = append(parts, "a run that did not succeed")
			continue
		}
		bound := time.Duration(chainRatio*float64(limit(s))) + chainExtra
		v.Met = v.Met && s.Wall <= bound
		parts = append(parts, fmt.Sprintf("%s of %s", seconds(s.Wall), seconds(bound)))
	}
	v.Measured = strings.Join(parts, ", ")
	return v
}

func hopVerdict(m measured) verdict {
	hop := allHops(m.Samples[standupName])
	p95, most := percentile(hop, 95), percentile(hop, 100)
	return verdict{
		Target:   fmt.Sprintf("%s: hops under %s at p95, none over %s", m.Scenario.Name, seconds(hopP95), seconds(hopMost)),
		Measured: fmt.Sprintf("%s at p95, %s at most, of %d", seconds(p95), seconds(most), len(hop)),
		Met:      p95 < hopP95 && most <= hopMost, Skipped: len(hop) == 0,
	}
}

// apiVerdict looks at all runs of standup: a get of a Flux object would be
// polling, as the watch brings it.
func (r report) apiVerdict() verdict {
	v := verdict{Target: fmt.Sprintf("Flux objects: one list and one watch a kind, no gets, at most %d writes an object", writesMost)}
	lists, watches, gets, writes, runs := 0, 0, 0, 0, 0
	for _, m := range r.Scenarios {
		for _, s := range counted(m.Samples[standupName]) {
			runs++
			writes = max(writes, s.MostWrites)
			for q, n := range s.Requests {
				// A path, such as that of discovery, is not about objects.
				if strings.HasPrefix(q.Resource, "/") || !strings.HasSuffix(q.Resource, ".toolkit.fluxcd.io") {
					continue
				}
				switch q.Verb {
				case "list":
					lists = max(lists, n)
				case "watch":
					watches = max(watches, n)
				case "get":
					gets += n
				}
			}
		}
	}
	v.Skipped = runs == 0
	v.Met = lists <= 1 && watches <= 1 && gets == 0 && writes <= writesMost
	v.Measured = fmt.Sprintf("at most %d lists and %d watches a kind, %d gets in all, at most %d writes an object", lists, watches, gets, writes)
	return v
}

// scaleVerdicts judges the greatest size, and its growth from the smallest.
func (r report) scaleVerdicts() []verdict {
	whole := verdict{
		Target:  fmt.Sprintf("1000 Kustomizations: under %d MiB and under %s of CPU", scaleMemory>>20, seconds(scaleCPU)),
		Skipped: true,
	}
	linear := verdict{Target: fmt.Sprintf("CPU linear from 100 to 1000: at most %.1f times ten times as much", linearSlack), Skipped: true}
	i := slices.IndexFunc(r.Scale, func(s scaled) bool { return s.Count == 1000 })
	if i < 0 {
		return []verdict{whole, linear}
	}
	big := r.Scale[i]
	whole.Skipped = false
	whole.Measured = fmt.Sprintf("%s, %s", mebibytes(big.Peak), seconds(big.CPU))
	whole.Met = big.Failure == "" && big.Peak < scaleMemory && big.CPU < scaleCPU
	if j := slices.IndexFunc(r.Scale, func(s scaled) bool { return s.Count == 100 }); j >= 0 {
		small := r.Scale[j]
		linear.Skipped = false
		linear.Measured = fmt.Sprintf("%s to %s: %s", seconds(small.CPU), seconds(big.CPU), times(ratio(big.CPU, small.CPU)))
		linear.Met = small.Failure == "" && big.Failure == "" && ratio(big.CPU, small.CPU) <= 10*linearSlack
	}
	return []verdict{whole, linear}
}
