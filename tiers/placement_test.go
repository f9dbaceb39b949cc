package tiers

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// tiersOf makes an order from "root | a b | c".
func tiersOf(text string) *TierOrder {
	order := &TierOrder{Barriers: true}
	for part := range strings.SplitSeq(text, "|") {
		members := strings.Fields(part)
		order.Tiers = append(order.Tiers, Tier{Name: members[0], Kustomizations: members})
	}
	return order.fill()
}

// TestPlace says where each unlisted Kustomization is driven.
func TestPlace(t *testing.T) {
	tests := []struct{ name, order, cluster, want string }{
		{"behind its dependency", "a | b | c", "a\nb\nc\nx needs:b\n", "x in b"},
		{"behind the last of them", "a | b | c", "a\nb\nc\nx needs:c,a\n", "x in c"},
		{"through another one", "a | b | c", "a\nb\nc\nx needs:b\ny needs:x\n", "x in b, y in b"},
		{"behind its parent, when something needs it", "a | b | c", "a\nb\nc needs:x\nx by:b\n", "x in b"},
		{"no further back than what needs it", "a | b needs | c", "a\nb\nc\nneeds needs:x\nx by:c\n", "x in b"},
		{"nothing needs it, it needs nothing: last", "a | b | c", "a\nb\nc\nx\n", "x in c"},
		{"its parent is no reason to hold others up", "a | b | c", "a\nb\nc\nx by:a\n", "x in c"},
		{"needed by the first tier", "a | b", "a needs:x\nb\nx\n", "x in a"},
		{"needed through a wait", "a | b | c", "a waits\nb needs:a\nc\nx by:a\n", "x in a"},
		{"two that need each other", "a | b", "a\nb\nx needs:y,a\ny needs:x\n", "x in a, y in a"},
		{"a dependency that does not exist counts as none", "a | b", "a\nb\nx needs:unheard-of\n", "x in b"},
		{"behind what a dependency waits for", "a | b | c", "a waits\nb\nc by:a\nx needs:a\n", "x in c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			order := tiersOf(tt.order)
			placed := place(order, relate(snapshot(t, tt.cluster), nil))
			var got []string
			for _, d := range placed.unlisted {
				got = append(got, d.Object.Name+" in "+order.Tiers[placed.tier[d.Object]].Name)
			}
			slices.Sort(got)
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("got %s, want %s", strings.Join(got, ", "), tt.want)
			}
		})
	}
}

func TestPlaceListed(t *testing.T) {
	order := &TierOrder{Tiers: []Tier{{Name: "a", LeaveSuspended: []string{"gpu"}}, {Name: "b", Kustomizations: []string{"media/x", "a"}}}}
	placed := place(order.fill(), relate(Snapshot{}, nil))
	want := map[Ref]int{ref("a"): 0, ref("gpu"): 0, ref("media/x"): 1} // the first listing counts
	if !maps.Equal(placed.tier, want) || placed.unlisted != nil {
		t.Errorf("got %v, %v", placed.tier, placed.unlisted)
	}
}

// TestAdviceNames: a new tier needs a name that no tier has.
func TestAdviceNames(t *testing.T) {
	tests := []struct{ name, order, cluster, want string }{
		{"its own", "a", "a\nx needs:a\n", "add `- name: x` to tiers, after tier \"a\""},
		{"another namespace", "a", "a\nmedia/x needs:a\n", "add `- {name: x, kustomizations: [media/x]}` to tiers, after tier \"a\""},
		{"taken", "x b", "x\nb\nmedia/x needs:b\n", "add `- {name: media-x, kustomizations: [media/x]}` to tiers, after tier \"x\""},
		{"taken twice", "x | media-x", "x\nmedia-x\nmedia/x needs:media-x\n", "add `- {name: media-x-2, kustomizations: [media/x]}` to tiers, after tier \"media-x\""},
		{"a tier called like it has others", "x b", "x\nb\nmedia/b needs:x\n", "add `- {name: b, kustomizations: [media/b]}` to tiers, after tier \"x\""},
		{"inside", "a b", "a\nb needs:media/x\nmedia/x needs:a\n", "write `kustomizations: [a, b, media/x]` in tier \"a\""},
		{"in front", "a b", "a\nb needs:x\nx\n", "add `- name: x` to tiers, in front of tier \"a\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			placed := place(tiersOf(tt.order), relate(snapshot(t, tt.cluster), nil))
			if len(placed.unlisted) != 1 || placed.unlisted[0].Fix != tt.want {
				t.Errorf("got %s, want %s", driftText(placed.unlisted), tt.want)
			}
		})
	}
}

// TestLevels: with no file, each Kustomization is in the first tier that is
// behind all it needs.
func TestLevels(t *testing.T) {
	tests := []struct{ name, cluster, want string }{
		{"nothing", "", ""},
		{"a chain", "a\nb needs:a\nc needs:b,a\n", "a|b|c"},
		{"children are behind their parent", "root\na by:root\nb by:root needs:a\n", "root|a|b"},
		{"what a dependency waits for is in front too", "root waits\na by:root\nb by:root needs:a\nx needs:root\n", "root|a|b|x"},
		{"two that apply each other share a level", "x by:y\ny by:x\nz needs:x\n", "x y|z"},
		{"namespaces", "media/a\na needs:media/a\n", "media/a|a"},
		{"a missing dependency counts as none", "a needs:unheard-of\n", "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			order := levelOrder(relate(snapshot(t, tt.cluster), nil), numbered)
			for i := range order.Tiers {
				got = append(got, names(order.Tiers[i].Members(DefaultNamespace)))
			}
			if strings.Join(got, "|") != tt.want {
				t.Errorf("got %s, want %s", strings.Join(got, "|"), tt.want)
			}
			if order.Barriers {
				t.Error("nobody declared barriers")
			}
		})
	}
}
