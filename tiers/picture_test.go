package tiers

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawn is a picture in words.
func drawn(p *Picture) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tiers %s ordered %v\n", strings.Join(p.Tiers, ","), p.Ordered)
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "%s tier %q missing %v suspended %v\n", n.Ref, n.Tier, n.Missing, n.Suspended)
	}
	for _, e := range p.Edges {
		fmt.Fprintf(&b, "%s %s %s cycle %v\n", e.From.NamespacedName(), e.Kind, e.To.NamespacedName(), e.Cycle)
	}
	for _, c := range p.Cycles {
		fmt.Fprintf(&b, "cycle %s\n", c)
	}
	return b.String()
}

func pictured() Snapshot {
	k := func(name string) Ref { return KustomizationRef("flux-system", name) }
	src := Ref{Kind: KindGitRepository, Namespace: "flux-system", Name: "flux-system"}
	other := Ref{Kind: KindBucket, Namespace: "flux-system", Name: "other"}
	return Snapshot{
		Kustomizations: []Kustomization{
			{Ref: k("root"), Source: src, Waits: true},
			{Ref: k("apps"), Source: src, Parent: k("root"), DependsOn: []Ref{k("root"), k("gone"), k("gone")}},
			{Ref: k("self"), Source: other, Parent: k("self"), DependsOn: []Ref{k("self")}, Suspension: SuspendedInGit},
		},
		Sources: []Source{{Ref: src, Suspension: SuspendedLive}, {Ref: Ref{Kind: KindBucket, Name: "unused"}}},
	}
}

func TestPictureOfLevels(t *testing.T) {
	t.Parallel()
	want := `tiers 1,2 ordered false
Bucket/flux-system/other tier "" missing true suspended false
GitRepository/flux-system/flux-system tier "" missing false suspended true
Kustomization/flux-system/apps tier "2" missing false suspended false
Kustomization/flux-system/gone tier "" missing true suspended false
Kustomization/flux-system/root tier "1" missing false suspended false
Kustomization/flux-system/self tier "1" missing false suspended true
flux-system/apps source flux-system/flux-system cycle false
flux-system/apps dependsOn flux-system/gone cycle false
flux-system/apps createdBy flux-system/root cycle false
flux-system/apps dependsOn flux-system/root cycle true
flux-system/root source flux-system/flux-system cycle false
flux-system/root waitsFor flux-system/apps cycle true
flux-system/self source flux-system/other cycle false
flux-system/self dependsOn flux-system/self cycle true
cycle flux-system/apps -> flux-system/root -> flux-system/apps
cycle flux-system/self -> flux-system/self
`
	got := drawn(NewPicture(nil, pictured()))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

func TestPictureOfAnOrder(t *testing.T) {
	t.Parallel()
	order, err := Parse("TIER_ORDER.yaml", []byte("apiVersion: standup/v1\nkind: TierOrder\ntiers:\n  - name: root\n  - name: late\n    kustomizations: [apps, never]\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPicture(order, pictured())
	tier := map[string]string{}
	for _, n := range p.Nodes {
		if n.Ref.Kind == KindKustomization {
			tier[n.Ref.Name] = fmt.Sprintf("%s missing %v", n.Tier, n.Missing)
		}
	}
	want := map[string]string{
		"root": "root missing false", "apps": "late missing false", "never": "late missing true",
		"self": " missing false", "gone": " missing true",
	}
	if diff := cmp.Diff(want, tier); diff != "" || !p.Ordered || len(p.Tiers) != 2 {
		t.Errorf("tiers %v, ordered %v, want -, got +\n%s", p.Tiers, p.Ordered, diff)
	}
}

func TestPictureOfTwoParents(t *testing.T) {
	t.Parallel()
	p := NewPicture(nil, pictured())
	before := len(p.Edges)
	apps, self := KustomizationRef("flux-system", "apps"), KustomizationRef("flux-system", "self")
	for range 2 {
		p.CreatedBy(apps, self)
		p.CreatedBy(apps, KustomizationRef("flux-system", "root")) // known
		p.CreatedBy(self, self)
	}
	if len(p.Edges) != before+1 || !strings.Contains(drawn(p), "flux-system/apps createdBy flux-system/self cycle false\n") {
		t.Errorf("%d edges more\n%s", len(p.Edges)-before, drawn(p))
	}
}

// Every end of an edge is a node, and the order of a snapshot does not show.
func TestPictureLaws(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 1 + r.IntN(8)
		some := func() Ref { return KustomizationRef("ns", fmt.Sprint(r.IntN(n+1))) }
		var s Snapshot
		for i := range n {
			k := Kustomization{Ref: KustomizationRef("ns", fmt.Sprint(i)), Parent: some(), Waits: r.IntN(2) == 0}
			for range r.IntN(3) {
				k.DependsOn = append(k.DependsOn, some())
			}
			s.Kustomizations = append(s.Kustomizations, k)
		}
		p := NewPicture(nil, s)
		known := map[Ref]bool{}
		for _, n := range p.Nodes {
			known[n.Ref] = true
		}
		for _, e := range p.Edges {
			if !known[e.From] || !known[e.To] {
				t.Errorf("seed %d: the edge %+v has an end that is no node", seed, e)
			}
		}
		r.Shuffle(n, func(i, j int) {
			s.Kustomizations[i], s.Kustomizations[j] = s.Kustomizations[j], s.Kustomizations[i]
		})
		if diff := cmp.Diff(drawn(p), drawn(NewPicture(nil, s))); diff != "" {
			t.Fatalf("seed %d: not deterministic:\n%s", seed, diff)
		}
	}
}
