package tiers

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// names prints refs the short way.
func names(refs []Ref) string {
	words := make([]string, len(refs))
	for i, r := range refs {
		words[i] = memberName(DefaultNamespace, r)
	}
	return strings.Join(words, " ")
}

func TestBehindOf(t *testing.T) {
	s := snapshot(t, `
root from:main
infra by:root needs:root from:main
apps by:root needs:infra from:main
web by:root from:other
media/plex needs:apps
child missing by:apps
existing by:apps
waiter waits
waited by:waiter
dangling needs:unheard-of
source main
`)
	tests := []struct {
		of   Ref
		want string
	}{
		{ref("root"), "apps child infra media/plex"}, // web and existing can be driven on their own
		{ref("infra"), "apps child media/plex"},
		{ref("apps"), "child media/plex"},
		{ref("media/plex"), ""},
		{ref("waited"), ""}, // its parent starts without it
		{ref("unheard-of"), ""},
		{sourceRef("main"), "apps child infra root media/plex"},
		{sourceRef("other"), "web"},
	}
	for _, tt := range tests {
		if got := names(BehindOf(s, tt.of)); got != tt.want {
			t.Errorf("behind %s: %q, want %q", tt.of, got, tt.want)
		}
	}
}

func TestBehindOfACycleEnds(t *testing.T) {
	s := snapshot(t, "a needs:b\nb needs:a\nc needs:b\n")
	if got := names(BehindOf(s, ref("a"))); got != "b c" {
		t.Errorf("got %q, want b c", got)
	}
}

func TestCriticalPath(t *testing.T) {
	s := snapshot(t, `
root
cilium by:root needs:root
platform by:root needs:cilium
web by:root
`)
	weight := map[string]time.Duration{"root": time.Second, "cilium": 5 * time.Second, "platform": time.Minute, "web": 64 * time.Second}
	path := CriticalPath(s, func(r Ref) time.Duration { return weight[r.Name] })
	if got := names(path); got != "root cilium platform" {
		t.Errorf("got %q", got)
	}
	weight["web"] += 2 * time.Second
	path = CriticalPath(s, func(r Ref) time.Duration { return weight[r.Name] })
	if got := names(path); got != "root web" {
		t.Errorf("a heavier child of the root: got %q", got)
	}
	if got := CriticalPath(Snapshot{}, nil); got != nil {
		t.Errorf("nothing has no path: %v", got)
	}
}

// TestCycleNamesTheWait: the remedy says which member waits for health, because
// nobody finds that in dependsOn.
func TestCycleNamesTheWait(t *testing.T) {
	_, err := Build(Input{Snapshot: snapshot(t, "root waits\ncilium by:root needs:net\nnet needs:root\n")})
	var cycle *CycleError
	if !errors.As(err, &cycle) || len(cycle.Cycles) != 1 {
		t.Fatalf("got %v", err)
	}
	c := cycle.Cycles[0]
	if names(c.Path) != "cilium net root" || names(c.Waits) != "root" {
		t.Errorf("path %s, waits %s", names(c.Path), names(c.Waits))
	}
}

func TestRefText(t *testing.T) {
	r := KustomizationRef("media", "plex")
	if r.String() != "Kustomization/media/plex" || r.NamespacedName() != "media/plex" || r.IsZero() || !(Ref{}).IsZero() {
		t.Errorf("%s, %s", r, r.NamespacedName())
	}
}

// TestBehindOfAgreesWithAnOracle asks of every pair.
func TestBehindOfAgreesWithAnOracle(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		s := world(r, 1+r.IntN(10))
		for i := range s.Kustomizations {
			s.Kustomizations[i].Suspension = NotSuspended
			s.Kustomizations[i].Settled = false
		}
		o := newOracle(Input{Snapshot: s})
		o.why = nil
		causes := []Ref{sourceRef("s0"), sourceRef("s3")}
		for ref := range o.byRef {
			causes = append(causes, ref)
		}
		for _, cause := range causes {
			var want []Ref
			for ref := range o.byRef {
				if ref != cause && o.behind(ref, cause, map[Ref]bool{}) {
					want = append(want, ref)
				}
			}
			slices.SortFunc(want, Ref.Compare)
			if got := BehindOf(s, cause); !slices.Equal(got, want) {
				t.Errorf("seed %d: behind %s: got %s, want %s", seed, cause, names(got), names(want))
			}
		}
	}
}

// TestCriticalPathIsHeaviest compares with every chain that there is.
func TestCriticalPathIsHeaviest(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := world(r, 1+r.IntN(9))
		rel := relate(s, nil)
		starts := rel.starts()
		if len(starts.Cycles()) > 0 {
			continue
		}
		weights := map[Ref]time.Duration{}
		for ref := range rel.all {
			weights[ref] = time.Duration(r.IntN(20)) * time.Second
		}
		var heaviest func(ref Ref) time.Duration
		heaviest = func(ref Ref) time.Duration {
			var most time.Duration
			for _, d := range starts.DependsOn(ref) {
				most = max(most, heaviest(d))
			}
			return most + weights[ref]
		}
		var want, got time.Duration
		for ref := range rel.all {
			want = max(want, heaviest(ref))
		}
		path := CriticalPath(s, func(ref Ref) time.Duration { return weights[ref] })
		for i, ref := range path {
			got += weights[ref]
			if i > 0 && !slices.Contains(starts.DependsOn(ref), path[i-1]) {
				t.Errorf("seed %d: %s does not follow %s", seed, ref, path[i-1])
			}
		}
		if got != want {
			t.Errorf("seed %d: the path %s takes %s, another one takes %s", seed, names(path), got, want)
		}
	}
}
