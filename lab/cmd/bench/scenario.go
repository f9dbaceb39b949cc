package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"github.com/standup-sh/standup/lab"
)

// repo is the repository that every tree is pushed to.
const repo = "fleet"

// scenario is a tree to bring up from cold.
type scenario struct {
	Name, Title string
	// Path is that of the root Kustomization in the tree.
	Path string
	// Order is the TIER_ORDER file that standup is given; none if empty.
	Order string
	// Tiers are the Kustomizations in the order of a script that knows it.
	Tiers [][]string
	// tree makes the tree; the lab's address goes into it.
	tree func(c *lab.Cluster) (fs.FS, error)
}

// names are those of all Kustomizations.
func (s scenario) names() []string {
	var out []string
	for _, t := range s.Tiers {
		out = append(out, t...)
	}
	return out
}

// scenarioOf makes the scenario of a name.
func scenarioOf(name string) (scenario, error) {
	switch name {
	case "chain10":
		return chainScenario(10), nil
	case "chain50":
		return chainScenario(50), nil
	case "homelab":
		return homelabScenario(filepath.Join("..", "examples", "homelab"))
	}
	return scenario{}, fmt.Errorf("there is no scenario %q", name)
}

// chainScenario is n Kustomizations of one ConfigMap, each depending on the one
// before: nothing but the way from one to the next takes time.
func chainScenario(n int) scenario {
	s := scenario{
		Name: fmt.Sprintf("chain%d", n), Title: fmt.Sprintf("Chain of %d", n),
		Path: "cluster", Tiers: [][]string{{lab.FluxNamespace}},
	}
	tree := fstest.MapFS{}
	for i := range n {
		name, before := fmt.Sprintf("t%02d", i), ""
		if i > 0 {
			before = fmt.Sprintf("t%02d", i-1)
		}
		tree["cluster/"+name+".yaml"] = &fstest.MapFile{Data: []byte(kustomizationYAML(name, before)), Mode: 0o644}
		set := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\ndata: {of: %s}\n", name, name)
		tree["units/"+name+"/set.yaml"] = &fstest.MapFile{Data: []byte(set), Mode: 0o644}
		s.Tiers = append(s.Tiers, []string{name})
	}
	s.tree = func(*lab.Cluster) (fs.FS, error) { return tree, nil }
	return s
}

// kustomizationYAML is a Kustomization of units/NAME. Its interval is so long
// that no timer of its own ever fires in a run.
func kustomizationYAML(name, dependsOn string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: %s, namespace: %s}\nspec:\n", name, lab.FluxNamespace)
	fmt.Fprintf(&b, "  path: ./units/%s\n  interval: 1h\n  timeout: 2m\n  prune: true\n  wait: true\n", name)
	fmt.Fprintf(&b, "  sourceRef: {kind: GitRepository, name: %s}\n", lab.FluxNamespace)
	if dependsOn != "" {
		fmt.Fprintf(&b, "  dependsOn:\n    - {name: %s}\n", dependsOn)
	}
	return b.String()
}

// homelabScenario is the example tree, and the order that is beside it.
func homelabScenario(dir string) (scenario, error) {
	order, err := filepath.Abs(filepath.Join(dir, "TIER_ORDER.yaml"))
	if err != nil {
		return scenario{}, fmt.Errorf("homelab: %w", err)
	}
	raw, err := os.ReadFile(order)
	if err != nil {
		return scenario{}, fmt.Errorf("homelab: %w", err)
	}
	tiers, err := tiersOf(raw)
	if err != nil {
		return scenario{}, fmt.Errorf("homelab: %w", err)
	}
	return scenario{
		Name: "homelab", Title: "Homelab (examples/homelab, clusters/prod)",
		Path: "clusters/prod", Order: order, Tiers: tiers,
		tree: func(c *lab.Cluster) (fs.FS, error) { return c.Rehome(os.DirFS(dir), repo) },
	}, nil
}

// tiersOf reads the order of a TIER_ORDER file whose tiers hold the one
// Kustomization that has their name. Lists of members are refused rather than
// half understood.
func tiersOf(raw []byte) ([][]string, error) {
	var file struct {
		Tiers []struct {
			Name           string `yaml:"name"`
			Kustomizations []any  `yaml:"kustomizations"`
		} `yaml:"tiers"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("TIER_ORDER: %w", err)
	}
	var out [][]string
	for _, t := range file.Tiers {
		if len(t.Kustomizations) > 0 {
			return nil, fmt.Errorf("TIER_ORDER: tier %s lists its members, which the benchmark does not read", t.Name)
		}
		out = append(out, []string{t.Name})
	}
	return out, nil
}
