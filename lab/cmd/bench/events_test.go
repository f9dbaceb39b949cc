package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const run1 = `{"type":"plan","time":"2026-01-02T03:04:05.000Z","steps":[
{"id":"ready:Kustomization/flux-system/a","verb":"ready","dependsOn":["resume:Kustomization/flux-system/a"]},
{"id":"resume:Kustomization/flux-system/a","verb":"resume","dependsOn":["ready:GitRepository/flux-system/a"]},
{"id":"ready:GitRepository/flux-system/a","verb":"ready"},
{"id":"probe:a/p","verb":"probe","dependsOn":["ready:Kustomization/flux-system/a"]},
{"id":"resume:Kustomization/flux-system/b","verb":"resume","after":["probe:a/p"],"dependsOn":["ready:Kustomization/flux-system/a"]},
{"id":"ready:Kustomization/flux-system/b","verb":"ready","dependsOn":["resume:Kustomization/flux-system/b"]}]}
{"type":"step.acted","time":"2026-01-02T03:04:06.000Z","step":"resume:Kustomization/flux-system/a","object":"Kustomization/flux-system/a"}
{"type":"step.acted","time":"2026-01-02T03:04:06.500Z","step":"ready:Kustomization/flux-system/a","object":"Kustomization/flux-system/a"}
{"type":"step.acted","time":"2026-01-02T03:04:07.000Z","step":"resume:Kustomization/flux-system/b","object":"Kustomization/flux-system/b"}
{"type":"step.finished","time":"2026-01-02T03:04:08.000Z","step":"probe:a/p"}
`

func TestThePlanGatesAreTheNearestReadyAndProbeSteps(t *testing.T) {
	lines, err := readEvents([]byte(run1))
	if err != nil {
		t.Fatal(err)
	}
	tracks := map[string]track{"a": seen(0, 10, 5), "b": {}}
	got := planGates(lines, tracks)
	if _, ok := got["a"]; ok {
		t.Error("a has a gate, and nothing is before it")
	}
	list := got["b"]
	slices.SortFunc(list, func(x, y gate) int { return strings.Compare(x.Name, y.Name) })
	want := []gate{{At: time.Date(2026, 1, 2, 3, 4, 8, 0, time.UTC)}, {Name: "a", At: at(10)}}
	same := func(x, y gate) bool { return x.Name == y.Name && x.At.Equal(y.At) }
	if !slices.EqualFunc(list, want, same) {
		t.Errorf("gates of b = %v, want %v", list, want)
	}
	if n := mostWrites(lines); n != 2 {
		t.Errorf("most writes = %d, want the 2 to a", n)
	}
}

func TestACutEventLineIsAnError(t *testing.T) {
	if _, err := readEvents([]byte(run1[:len(run1)-20])); err == nil {
		t.Error("no error")
	}
}

func TestTheScriptGoesTierByTier(t *testing.T) {
	got := waitScript([][]string{{"a", "b"}, {"c"}})
	var order []string
	for l := range strings.Lines(got) {
		switch f := strings.Fields(l); {
		case strings.Contains(l, " patch "):
			order = append(order, "patch "+f[4])
		case strings.Contains(l, " wait "):
			order = append(order, "wait "+f[5])
		}
	}
	want := []string{"patch ks/a", "patch ks/b", "wait ks/a", "wait ks/b", "patch ks/c", "wait ks/c"}
	if !slices.Equal(order, want) {
		t.Errorf("order = %q, want %q in\n%s", order, want, got)
	}
}
