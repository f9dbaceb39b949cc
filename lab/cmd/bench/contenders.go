package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/standup-sh/standup/lab"
)

// contender is a way to bring a suspended cluster up.
type contender struct {
	Name string
	// what it does, for the page.
	What string
	// measured says that the program itself is looked at: its requests, its CPU
	// time, its memory and its events.
	measured bool
	run      func(ctx context.Context, c *lab.Cluster, s scenario, kubeconfig string) (process, error)
	// gates are what the contender wants done before each Kustomization.
	gates func(s scenario, p process, tracks map[string]track) (gates, error)
}

// The names of the contenders that the targets and the page refer to.
const (
	fluxAlone   = "Flux alone"
	kubectlWait = "kubectl wait script"
	fluxCLI     = "flux resume --wait"
	standupName = "standup"
)

// contenders are those that this machine can run, and what is left out.
func contenders(standup string) (run []contender, leftOut []string) {
	run = append(run, contender{
		Name: fluxAlone, What: "`spec.suspend` is lifted on all Kustomizations at once, one patch each; then only watching",
		run: liftAll, gates: dependencyGates,
	})
	bash, noBash := exec.LookPath("bash")
	_, noKubectl := exec.LookPath("kubectl")
	if noBash == nil && noKubectl == nil {
		run = append(run, contender{
			Name:  kubectlWait,
			What:  "a bash script: for each tier in order `kubectl patch` lifts the suspend, then `kubectl wait --for=condition=Ready --timeout=10m`",
			run:   program(bash, func(s scenario) []string { return []string{"-c", waitScript(s.Tiers)} }),
			gates: tierGates,
		})
	} else {
		leftOut = append(leftOut, "The "+kubectlWait+" was left out: bash and kubectl were not both on the PATH.")
	}
	if flux, err := exec.LookPath("flux"); err == nil {
		run = append(run, contender{
			Name: fluxCLI, What: "`flux resume kustomization --all --wait`",
			run: program(flux, func(scenario) []string {
				return []string{"-n", lab.FluxNamespace, "resume", "kustomization", "--all", "--wait", "--timeout=10m"}
			}),
			gates: dependencyGates,
		})
	} else {
		leftOut = append(leftOut, "The Flux CLI (`flux resume kustomization --all --wait`) was left out: no flux was on the PATH.")
	}
	return append(run, contender{
		Name: standupName, What: "`standup resume`, with the example's TIER_ORDER where there is one; through the lab's proxy, which counts its requests",
		measured: true, run: program(standup, resumeArgs), gates: standupGates,
	}), leftOut
}

func resumeArgs(s scenario) []string {
	args := []string{"resume", "-o", "jsonl"}
	if s.Order != "" {
		args = append(args, "-f", s.Order)
	}
	return args
}

// program is a contender that is a program.
func program(name string, args func(s scenario) []string) func(context.Context, *lab.Cluster, scenario, string) (process, error) {
	return func(ctx context.Context, _ *lab.Cluster, s scenario, kubeconfig string) (process, error) {
		return start(ctx, kubeconfig, name, args(s)...)
	}
}

// liftAll is Flux alone.
func liftAll(ctx context.Context, c *lab.Cluster, s scenario, _ string) (process, error) {
	p := process{began: time.Now()}
	for _, name := range s.names() {
		if err := c.Suspend(ctx, lab.Kustomizations(), lab.FluxNamespace, name, false, ""); err != nil {
			return p, err
		}
	}
	p.ended = time.Now()
	return p, nil
}

// waitScript is what people write before they look for something better.
func waitScript(tiers [][]string) string {
	var b strings.Builder
	b.WriteString("set -eu\n")
	for _, tier := range tiers {
		for _, name := range tier {
			fmt.Fprintf(&b, "kubectl -n %s patch ks/%s --type=merge -p '{\"spec\":{\"suspend\":false}}'\n", lab.FluxNamespace, name)
		}
		for _, name := range tier {
			fmt.Fprintf(&b, "kubectl -n %s wait --for=condition=Ready ks/%s --timeout=10m\n", lab.FluxNamespace, name)
		}
	}
	return b.String()
}

// dependencyGates are spec.dependsOn alone.
func dependencyGates(_ scenario, _ process, tracks map[string]track) (gates, error) {
	return gatesOf(tracks, dependencies(tracks)), nil
}

func dependencies(tracks map[string]track) map[string][]string {
	before := map[string][]string{}
	for name, t := range tracks {
		before[name] = t.before
	}
	return before
}

// tierGates are spec.dependsOn and the tier before.
func tierGates(s scenario, _ process, tracks map[string]track) (gates, error) {
	before := dependencies(tracks)
	for i := 1; i < len(s.Tiers); i++ {
		for _, name := range s.Tiers[i] {
			before[name] = append(append([]string(nil), before[name]...), s.Tiers[i-1]...)
		}
	}
	return gatesOf(tracks, before), nil
}

// standupGates are those of standup's own plan.
func standupGates(_ scenario, p process, tracks map[string]track) (gates, error) {
	lines, err := readEvents(p.stdout)
	if err != nil {
		return nil, err
	}
	return planGates(lines, tracks), nil
}
