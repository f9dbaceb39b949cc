package bootstrap_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/tiers"
)

// lagging is a World that shows what happens to Kustomizations only a while
// later, as a watch does: an accepted write is not seen at once.
type lagging struct {
	*flux
	mu      sync.Mutex
	shown   map[tiers.Ref]*kustomizev1.Kustomization
	at      map[tiers.Ref]int // which touch is shown
	touches int
	fresh   map[tiers.Ref]bool
	wake    chan struct{}
}

// behind shows f as it was lag ago. What is there already is seen at once.
func behind(f *flux, lag time.Duration) *lagging {
	l := &lagging{flux: f, shown: map[tiers.Ref]*kustomizev1.Kustomization{}, at: map[tiers.Ref]int{}, fresh: map[tiers.Ref]bool{}, wake: make(chan struct{}, 1)}
	for _, k := range f.Kustomizations() {
		l.shown[tiers.KustomizationRef(k.Namespace, k.Name)] = k
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onTouch = func(ref tiers.Ref) {
		k := f.objects[ref]
		if k != nil {
			k = k.DeepCopy()
		}
		l.touches++ // f's lock is held
		n := l.touches
		time.AfterFunc(lag, func() { l.show(ref, k, n) })
	}
	return l
}

func (l *lagging) show(ref tiers.Ref, k *kustomizev1.Kustomization, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < l.at[ref] {
		return // a later one came first
	}
	l.shown[ref], l.at[ref], l.fresh[ref] = k, n, true
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lagging) Kustomization(ref tiers.Ref) *kustomizev1.Kustomization {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown[ref]
}

func (l *lagging) Kustomizations() []*kustomizev1.Kustomization {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*kustomizev1.Kustomization
	for _, ref := range slices.SortedFunc(maps.Keys(l.shown), tiers.Ref.Compare) {
		if k := l.shown[ref]; k != nil {
			out = append(out, k)
		}
	}
	return out
}

func (l *lagging) Suspension(ref tiers.Ref) tiers.Suspension {
	if ref.Kind != tiers.KindKustomization {
		return l.flux.Suspension(ref)
	}
	k := l.Kustomization(ref)
	switch {
	case k == nil || !k.Spec.Suspend:
		return tiers.NotSuspended
	case l.inGit[ref]:
		return tiers.SuspendedInGit
	}
	return tiers.SuspendedLive
}

func (l *lagging) Changed() <-chan struct{} { return l.wake }

func (l *lagging) TakeChanged() []tiers.Ref {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.SortedFunc(maps.Keys(l.fresh), tiers.Ref.Compare)
	clear(l.fresh)
	return out
}

func TestAWatchThatLagsCausesNoSecondWrite(t *testing.T) {
	for _, lag := range []time.Duration{time.Millisecond, 50 * time.Millisecond, 700 * time.Millisecond, 3 * time.Second} {
		t.Run(lag.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlux()
				chain(f, 10, 300*time.Millisecond, true)
				f.boot()
				e := stand(t, t.Context(), f, nil, func(s *bootstrap.Sequencer) { s.World = behind(f, lag) })
				succeeded(t, e)
				var want []string
				for i := range 10 {
					want = append(want, fmt.Sprintf("resume t%02d", i))
				}
				if !slices.Equal(f.writes, want) {
					e.explain(t)
					t.Errorf("writes = %q, want each resumed once", f.writes)
				}
			})
		})
	}
}
