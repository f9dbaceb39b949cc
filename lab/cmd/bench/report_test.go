package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/standup-sh/standup/lab"
)

// made is a report of numbers that are easy to check by hand.
func made() report {
	ms := time.Millisecond
	ours := func(wall time.Duration) sample {
		return sample{
			Ready: 10, Total: 10, Wall: wall, AllReady: wall - 100*ms, Limit: 2 * time.Second, CPU: 300 * ms, Peak: 60 << 20,
			MostWrites: 1, Hops: []time.Duration{20 * ms, 40 * ms},
			Spent: spent{Before: 500 * ms, Hops: 60 * ms, Controllers: 2200 * ms, Own: 2 * time.Second, After: 100 * ms},
			Requests: map[lab.Request]int{
				{Agent: "standup", Verb: "watch", Resource: "kustomizations.kustomize.toolkit.fluxcd.io"}: 1,
				{Agent: "standup", Verb: "patch", Resource: "kustomizations.kustomize.toolkit.fluxcd.io"}: 10,
				{Agent: "standup", Verb: "get", Resource: "/apis/kustomize.toolkit.fluxcd.io"}:            7,
			},
		}
	}
	return report{
		Machine: machine{Cores: 2, Platform: "linux/amd64", Load: "1 2 3"}, Cap: 5 * time.Minute,
		Contenders: []contender{{Name: fluxAlone, What: "waits"}, {Name: standupName, What: "stands up"}},
		LeftOut:    []string{"Something was left out."},
		Scenarios: []measured{{Scenario: chainScenario(10), Samples: map[string][]sample{
			fluxAlone:   {{Capped: true, Ready: 3, Total: 11, Hops: []time.Duration{30 * time.Second}}},
			standupName: {ours(2900 * ms), ours(3100 * ms)},
		}}},
		Scale:   []scaled{{Count: 100, CPU: time.Second, Peak: 50 << 20}, {Count: 1000, CPU: 9 * time.Second, Peak: 120 << 20}},
		Version: []time.Duration{40 * ms, 70 * ms, 45 * ms},
		Rehearsed: &rehearsed{
			Wall: []time.Duration{900 * ms, 1400 * ms}, CPU: []time.Duration{800 * ms, 1200 * ms},
			Bare: []time.Duration{350 * ms, 450 * ms}, BareCPU: []time.Duration{400 * ms, 400 * ms}, Peak: 120 << 20,
		},
	}
}

func TestThePageHasTheNumbers(t *testing.T) {
	got := made().markdown()
	for _, want := range []string{
		"| Flux alone | 1 | >300 s: 3 of 11 Ready | - | - | - | 30.00 s | 30.00 s | 30.00 s | more than 100.0x |",
		"| standup | 2 | 2.90 s | 3.00 s | 2.00 s | 1.5x | 0.02 s | 0.04 s | 0.04 s | - |",
		"| standup | 0.50 s | 0.06 s | 2.20 s | 2.00 s | 0.10 s |",
		"standup: 0.30 s of CPU, 60 MiB of memory (medians); the most writes to one object: 1.",
		"| kustomizations.kustomize.toolkit.fluxcd.io | patch | 10 |",
		"| all |  | 18 |",
		"Something was left out.",
		"| standup rehearse | 2 | 1.15 s | 1.00 s | 120 MiB |",
		"| 2.5x | met |",
		"2 cores, linux/amd64, load average 1 2 3 at the start",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not have\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	if again := made().markdown(); again != got {
		t.Error("the same numbers gave another page")
	}
}

func TestTheVerdictsFollowTheNumbers(t *testing.T) {
	words := func(r report) []string {
		var out []string
		for _, v := range r.verdicts() {
			word := "not met"
			switch {
			case v.Skipped:
				word = "skipped"
			case v.Met:
				word = "met"
			}
			out = append(out, word)
		}
		return out
	}
	if got, want := words(made()), []string{"met", "met", "met", "met", "met", "met", "met", "met", "met", "met"}; !slices.Equal(got, want) {
		t.Errorf("verdicts of good numbers = %q", got)
	}
	bad := made()
	s := bad.Scenarios[0].Samples[standupName]
	s[1].Wall = 3601 * time.Millisecond // the median would still be good
	s[0].Hops = append(s[0].Hops, 3001*time.Millisecond)
	s[1].Requests[lab.Request{Agent: "standup", Verb: "get", Resource: "gitrepositories.source.toolkit.fluxcd.io"}] = 1
	bad.Scale[1].CPU, bad.Scale[1].Peak = 16*time.Second, 150<<20
	bad.Version = []time.Duration{50 * time.Millisecond}
	bad.Rehearsed = &rehearsed{Wall: []time.Duration{1500 * time.Millisecond}, CPU: []time.Duration{1201 * time.Millisecond}, BareCPU: []time.Duration{400 * time.Millisecond}, Peak: 500 << 20}
	if got, want := words(bad), []string{"not met", "not met", "not met", "not met", "not met", "not met", "not met", "not met", "not met", "not met"}; !slices.Equal(got, want) {
		t.Errorf("verdicts of bad numbers = %q", got)
	}
	none := report{Scenarios: []measured{{Scenario: chainScenario(10)}}}
	if got, want := words(none), []string{"skipped", "skipped", "skipped", "skipped", "skipped", "skipped", "skipped", "skipped", "skipped", "skipped"}; !slices.Equal(got, want) {
		t.Errorf("verdicts of nothing = %q", got)
	}
}

func TestAFailedRunIsShownAndMeetsNothing(t *testing.T) {
	r := made()
	r.Scenarios[0].Samples[standupName] = []sample{{Failure: "exit code 3"}}
	if got := r.markdown(); !strings.Contains(got, "| standup | 1 | exit code 3 | - |") {
		t.Errorf("the failure is not on the page:\n%s", got)
	}
	if v := r.verdicts()[0]; v.Met || v.Skipped {
		t.Errorf("verdict = %+v", v)
	}
}

func TestChainsAndTheirOrder(t *testing.T) {
	s := chainScenario(3)
	tree, err := s.tree(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.names(), []string{"flux-system", "t00", "t01", "t02"}; !slices.Equal(got, want) {
		t.Errorf("names = %q, want %q", got, want)
	}
	raw, err := fs.ReadFile(tree, "cluster/t01.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), "dependsOn:\n    - {name: t00}\n") {
		t.Errorf("t01 does not depend on t00:\n%s", raw)
	}
	if _, err := tree.Open("units/t02/set.yaml"); err != nil {
		t.Error(err)
	}
}

func TestTheTiersOfAFile(t *testing.T) {
	got, err := tiersOf([]byte("tiers:\n  - name: a\n  - name: b\n    timeout: 1m\n"))
	if err != nil || len(got) != 2 || got[1][0] != "b" {
		t.Errorf("tiers = %q, %v", got, err)
	}
	if _, err := tiersOf([]byte("tiers:\n  - name: a\n    kustomizations: [b]\n")); err == nil {
		t.Error("a tier with members was taken for one without")
	}
}

func TestTheCommandLine(t *testing.T) {
	program := filepath.Join(t.TempDir(), "standup")
	if err := os.WriteFile(program, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := parse([]string{"--standup", program, "--only", "homelab,scale", "--runs", "2"}, nil)
	if err != nil || o.runs != 2 || !slices.Equal(o.only, []string{"homelab", "scale"}) {
		t.Errorf("options = %+v, %v", o, err)
	}
	for _, args := range [][]string{
		{"--only", "chain11"}, {"--runs", "0"}, {"--cap", "0s"}, {"extra"}, {"--nonsense"}, {"--standup", program + "-not"},
	} {
		if _, err := parse(append([]string{"--standup", program}, args...), nil); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}

func TestScaleObjectsGrowInWidthAndNotInDepth(t *testing.T) {
	for _, n := range []int{100, 1000} {
		before := map[string][]string{}
		weight := map[string]time.Duration{}
		for _, obj := range scaleObjects(n) {
			if obj.GetKind() == "Kustomization" {
				before[obj.GetName()], weight[obj.GetName()] = dependsOn(obj), 1
			}
		}
		depth, err := criticalPath(before, weight)
		if err != nil || depth != levels || len(weight) != n {
			t.Errorf("%d: %d Kustomizations, %d deep, %v; want %d deep", n, len(weight), depth, err, levels)
		}
	}
}
