package tiers

import (
	"regexp"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

var (
	addLine  = regexp.MustCompile("^add `(- .*)` to tiers, (in front of|after) tier \"(.*)\"$")
	joinLine = regexp.MustCompile("^write `(kustomizations: .*)` in tier \"(.*)\"$")
)

// follow does to the order what a fix tells a person to do to the file.
func follow(t *testing.T, order *TierOrder, fix string) {
	t.Helper()
	find := func(name string) int {
		return slices.IndexFunc(order.Tiers, func(t Tier) bool { return t.Name == name })
	}
	if m := addLine.FindStringSubmatch(fix); m != nil {
		var added []Tier
		if err := yaml.Unmarshal([]byte(m[1]), &added); err != nil {
			t.Fatalf("%q is not YAML: %v", m[1], err)
		}
		i := find(m[3])
		if m[2] == "after" {
			i++
		}
		order.Tiers = slices.Insert(order.Tiers, i, added...)
		return
	}
	if m := joinLine.FindStringSubmatch(fix); m != nil {
		if err := yaml.Unmarshal([]byte(m[1]), &order.Tiers[find(m[2])]); err != nil {
			t.Fatalf("%q is not YAML: %v", m[1], err)
		}
		return
	}
	t.Fatalf("nobody can follow %q", fix)
}
