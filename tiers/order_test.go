package tiers

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMembers(t *testing.T) {
	tests := []struct {
		name string
		tier Tier
		want []Ref
	}{
		{"its own name", Tier{Name: "cilium"}, refs("cilium")},
		{"none at all", Tier{Name: "proof", Kustomizations: []string{}}, nil},
		{"listed, in order", Tier{Name: "apps", Kustomizations: []string{"b", "media/a"}}, refs("b", "media/a")},
		{"the same under two spellings", Tier{Name: "apps", Kustomizations: []string{"a", "flux-system/a"}}, refs("a")},
		{"left suspended only", Tier{Name: "apps", LeaveSuspended: []string{"gpu", "apps"}}, refs("apps", "gpu")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.tier.Members(DefaultNamespace)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := (&Tier{Name: "a"}).Members("platform"); got[0].Namespace != "platform" {
		t.Errorf("the default namespace does not count: %v", got)
	}
}

func TestLeaves(t *testing.T) {
	tier := Tier{Name: "apps", LeaveSuspended: []string{"gpu", "media/plex"}}
	for name, want := range map[string]bool{"gpu": true, "media/plex": true, "media/gpu": false, "plex": false, "apps": false} {
		if got := tier.Leaves(DefaultNamespace, ref(name)); got != want {
			t.Errorf("%s: left is %t, want %t", name, got, want)
		}
	}
}

// TestParseWhole reads a file with every field.
func TestParseWhole(t *testing.T) {
	g := readGolden(t, "testdata/parse/fine.txt")
	got, err := Parse("prod/TIER_ORDER.yaml", []byte(g.sections["file"]))
	if err != nil {
		t.Fatal(err)
	}
	slow := 90 * time.Minute
	want := &TierOrder{
		APIVersion: "standup/v1", Kind: "TierOrder", Cluster: "prod", Context: "home-prod", Entry: "clusters/prod",
		Source: sourceRef("flux-system"), Defaults: Defaults{Namespace: "flux-system", Timeout: 10 * time.Minute, Parallel: 4},
		Unlisted: UnlistedWait, Barriers: true, File: "prod/TIER_ORDER.yaml",
		Tiers: []Tier{
			{Name: "flux-system", Timeout: 10 * time.Minute, Pos: Position{11, 5}},
			{
				Name: "Layer 2", Timeout: slow, Kustomizations: []string{"apps", "media/plex"}, Optional: true,
				LeaveSuspended: []string{"apps-gpu", "media/plex"}, Pos: Position{12, 5},
				Probes: []ProbeSpec{
					{
						Name: "object", Timeout: slow, Object: &ObjectRef{APIVersion: "example.io/v1", Kind: "Widget", Name: "system:x"},
						Current: "true", InProgress: "false", Failed: "false", Pos: Position{18, 9},
					},
					{Name: "served", Timeout: slow, KindServed: &KindRef{APIVersion: "example.io/v1beta1", Kind: "Widget"}, Pos: Position{19, 9}},
					{Name: "served-in-any-version", Timeout: 30 * time.Second, KindServed: &KindRef{Group: "example.io", Kind: "Widget"}, Pos: Position{20, 9}},
					{Name: "workload", Timeout: slow, Workload: &WorkloadRef{Kind: "Deployment", Namespace: "cdi", Name: "cdi-operator"}, Pos: Position{21, 9}},
					{
						Name: "webhook", Timeout: slow, Pos: Position{22, 9},
						Webhook: &WebhookProbe{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "x"}}},
					},
					{Name: "tcp", Timeout: slow, TCP: "registry.example.org:443", Pos: Position{23, 9}},
					{Name: "http", Timeout: slow, HTTP: &HTTPProbe{URL: "https://example.org/healthz", Status: 204}, Pos: Position{24, 9}},
				},
			},
		},
		SecondOrder: []SecondOrder{{Provider: GroupKind{"example.io", "Engine"}, Provides: []string{"example.io/Widget", "other.example.io"}, Pos: Position{26, 5}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseDefaults(t *testing.T) {
	got := mustParse(t, "defaults: {namespace: platform, timeout: 3m}\nsource: {name: repo}\ntiers:\n  - name: a\n    probes: [{name: p, tcp: \"a:1\"}]\n  - {name: b, timeout: 7m}\n")
	if got.Unlisted != UnlistedWait || !got.Barriers || got.Defaults.Parallel != 4 {
		t.Errorf("defaults of the file: %+v", got)
	}
	if want := (Ref{KindGitRepository, "platform", "repo"}); got.Source != want {
		t.Errorf("source is %s, want %s", got.Source, want)
	}
	if a, b := got.Tiers[0], got.Tiers[1]; a.Timeout != 3*time.Minute || a.Probes[0].Timeout != 3*time.Minute || b.Timeout != 7*time.Minute {
		t.Errorf("timeouts: %v, %v, %v", a.Timeout, a.Probes[0].Timeout, b.Timeout)
	}
	plain := mustParse(t, "barriers: false\nunlisted: ignore\ntiers: [{name: a}]\n")
	if plain.Barriers || plain.Unlisted != UnlistedIgnore || plain.Defaults != (Defaults{"flux-system", 10 * time.Minute, 4}) || !plain.Source.IsZero() {
		t.Errorf("what the file says does not count: %+v", plain)
	}
}

// TestFillLeavesTheOriginal: Build and Check fill in what an order that was not
// parsed lacks, and do not write into it.
func TestFillLeavesTheOriginal(t *testing.T) {
	order := &TierOrder{Tiers: []Tier{{Name: "a", Probes: []ProbeSpec{{Name: "p"}}}}}
	filled := order.fill()
	if order.Tiers[0].Timeout != 0 || order.Tiers[0].Probes[0].Timeout != 0 || order.Defaults.Parallel != 0 {
		t.Errorf("the original has changed: %+v", order)
	}
	if filled.Tiers[0].Probes[0].Timeout != DefaultTimeout {
		t.Errorf("not filled: %+v", filled)
	}
}

func TestLookup(t *testing.T) {
	tests := []struct {
		name          string
		explicit, env string
		there         []string
		path          string
		named         bool
	}{
		{"named wins, there or not", "x.yaml", "y.yaml", []string{"TIER_ORDER.yaml"}, "x.yaml", true},
		{"then the environment", "", "y.yaml", []string{"TIER_ORDER.yaml"}, "y.yaml", true},
		{"then here", "", "", []string{"bootstrap/TIER_ORDER.yaml", "TIER_ORDER.yaml"}, "TIER_ORDER.yaml", false},
		{"then bootstrap", "", "", []string{"bootstrap/TIER_ORDER.yaml"}, "bootstrap/TIER_ORDER.yaml", false},
		{"none", "", "", nil, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, named := Lookup(tt.explicit, tt.env, func(p string) bool {
				for _, there := range tt.there {
					if p == there {
						return true
					}
				}
				return false
			})
			if path != tt.path || named != tt.named {
				t.Errorf("got %q, %t, want %q, %t", path, named, tt.path, tt.named)
			}
		})
	}
}
