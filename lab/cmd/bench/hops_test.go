package main

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// at is a moment, in milliseconds of a run.
func at(ms int) time.Time { return time.UnixMilli(1_000_000 + int64(ms)) }

// seen is a track of a Kustomization that was reconciled from a moment on, and
// Ready at another.
func seen(from, ready, tookMS int, before ...string) track {
	return track{
		reconciling: []time.Time{at(from)}, ready: at(ready),
		took: time.Duration(tookMS) * time.Millisecond, before: before,
	}
}

func TestAHopIsFromTheLastGateToTheFirstSightAfterIt(t *testing.T) {
	tracks := map[string]track{
		"a": seen(10, 100, 80),
		"b": seen(20, 300, 200),
		"c": seen(350, 500, 90, "a", "b"),
		"d": {before: []string{"c"}}, // never began
	}
	// An attempt before the gate opened does not count as the hop.
	c := tracks["c"]
	c.reconciling = []time.Time{at(50), at(350)}
	tracks["c"] = c
	g := gatesOf(tracks, dependencies(tracks))
	if got := hops(tracks, g); !slices.Equal(got, []time.Duration{50 * time.Millisecond}) {
		t.Errorf("hops = %v, want that from b to c alone", got)
	}
}

func TestWhatWasTooShortToBeSeenBeganAtItsGate(t *testing.T) {
	tracks := map[string]track{"a": seen(0, 10, 1), "b": {ready: at(30), before: []string{"a"}}}
	if got := hops(tracks, gatesOf(tracks, dependencies(tracks))); !slices.Equal(got, []time.Duration{0}) {
		t.Errorf("hops = %v, want 0", got)
	}
}

func TestAPredecessorThatIsNotReadyIsNoGate(t *testing.T) {
	tracks := map[string]track{"a": {}, "b": seen(5, 10, 1, "a")}
	if got := gatesOf(tracks, dependencies(tracks)); len(got) != 0 {
		t.Errorf("gates = %v, want none", got)
	}
}

func TestTheTimeOfARunAddsUp(t *testing.T) {
	tracks := map[string]track{
		"root": seen(100, 200, 90), "side": seen(100, 150, 40),
		"a": seen(230, 400, 150), "b": seen(480, 600, 110),
	}
	g := gates{
		"a": {{Name: "root", At: at(200)}, {Name: "side", At: at(150)}},
		"b": {{Name: "a", At: at(400)}, {At: at(450)}}, // a probe
	}
	got := spentOn(tracks, g, at(0), at(640))
	ms := time.Millisecond
	want := spent{Before: 100 * ms, Hops: (30 + 50 + 30) * ms, Controllers: (100 + 170 + 120) * ms, Own: 350 * ms, After: 40 * ms}
	if got != want {
		t.Errorf("spent = %+v\nwant    %+v", got, want)
	}
	if sum := got.Before + got.Hops + got.Controllers + got.After; sum != 640*ms {
		t.Errorf("the parts add up to %v, want the whole of 640ms", sum)
	}
}

func TestTheObserverEndsWhenAllAreReadyAtTheRevision(t *testing.T) {
	o := newObserver(rev, []string{"a", "b"})
	see := func(k *unstructured.Unstructured, ms int) {
		t.Helper()
		if err := o.see(k, at(ms)); err != nil {
			t.Fatal(err)
		}
	}
	stale, suspended, unseen := kustomization("a"), kustomization("a"), kustomization("a")
	_ = unstructured.SetNestedField(stale.Object, "main@sha1:old", "status", "lastAppliedRevision")
	_ = unstructured.SetNestedField(suspended.Object, true, "spec", "suspend")
	unseen.SetGeneration(3)
	for i, k := range []*unstructured.Unstructured{stale, suspended, unseen, kustomization("stranger")} {
		see(k, i)
	}
	if n := readyCount(o.result()); n != 0 {
		t.Fatalf("%d are Ready, want none", n)
	}
	see(kustomization("a"), 10)
	see(kustomization("a"), 20) // seen again: the first time counts
	see(kustomization("b", "a"), 30)
	select {
	case <-o.done:
	default:
		t.Fatal("all are Ready and the observer has not noticed")
	}
	got := o.result()
	if !got["a"].ready.Equal(at(10)) || !slices.Equal(got["b"].before, []string{"a"}) || !lastReady(got).Equal(at(30)) {
		t.Errorf("tracks = %+v", got)
	}
}

func TestOnlyProgressingIsReconciling(t *testing.T) {
	o := newObserver(rev, []string{"a"})
	for i, ready := range [][2]string{{"False", "DependencyNotReady"}, {"Unknown", "Progressing"}} {
		k := kustomization("a")
		_ = unstructured.SetNestedSlice(k.Object, []any{
			map[string]any{"type": "Reconciling", "status": "True", "reason": "ProgressingWithRetry"},
			map[string]any{"type": "Ready", "status": ready[0], "reason": ready[1]},
		}, "status", "conditions")
		if err := o.see(k, at(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := o.result()["a"].reconciling; !slices.Equal(got, []time.Time{at(1)}) {
		t.Errorf("reconciling at %v, want only the second", got)
	}
}
