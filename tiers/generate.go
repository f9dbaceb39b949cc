package tiers

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Generate writes a TIER_ORDER file for the graph: each level is a tier, named
// after its only Kustomization, or by its number where there are several. Check
// has nothing against it unless the graph itself is at fault.
func Generate(s Snapshot, cluster string) []byte {
	taken := map[string]bool{}
	for i := range s.Kustomizations {
		taken[s.Kustomizations[i].Ref.Name] = true
	}
	order := levelOrder(relate(s, nil), func(n int, members []Ref) string {
		if len(members) == 1 && members[0].Namespace == DefaultNamespace {
			return members[0].Name
		}
		name := fmt.Sprintf("tier-%d", n)
		for taken[name] {
			name += "-of-many"
		}
		return name
	})
	if len(order.Tiers) == 0 { // a file needs one
		order.Tiers = []Tier{{Name: "flux-system"}}
	}
	return write("from the dependency graph: each tier is one level of it", cluster, order.Tiers)
}

// Draft writes a TIER_ORDER file with one tier for each name, which may be
// "namespace/name"; it is for what ImportBash read.
func Draft(names []string, cluster string) []byte {
	var tiers []Tier
	for _, name := range names {
		_, short, found := strings.Cut(name, "/")
		if !found {
			short = name
		}
		tiers = append(tiers, Tier{Name: short, Kustomizations: []string{name}})
	}
	return write("from a script: one tier a name", cluster, tiers)
}

// write spells the tiers as a person would.
func write(origin, cluster string, tiers []Tier) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Written by standup %s.\n# Timeouts and probes are yours to add.\n", origin)
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\n", OrderAPIVersion, OrderKind)
	if cluster != "" {
		fmt.Fprintf(&b, "cluster: %s\n", quote(cluster))
	}
	b.WriteString("tiers:\n")
	for _, t := range tiers {
		fmt.Fprintf(&b, "  - name: %s\n", quote(t.Name))
		if t.Kustomizations == nil || slices.Equal(t.Kustomizations, []string{t.Name}) {
			continue
		}
		b.WriteString("    kustomizations:\n")
		for _, k := range t.Kustomizations {
			fmt.Fprintf(&b, "      - %s\n", quote(k))
		}
	}
	return b.Bytes()
}

// quote spells a string so that YAML reads it back as one: 1.0 and no need it.
func quote(s string) string {
	out, err := yaml.Marshal(s)
	if text := strings.TrimSuffix(string(out), "\n"); err == nil && !strings.Contains(text, "\n") {
		return text
	}
	return fmt.Sprintf("%q", s)
}
