package tiers

import (
	"errors"
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
