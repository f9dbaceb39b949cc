package main

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const rev = "main@sha1:aa"

// kustomization is one as the controller leaves it.
func kustomization(name string, before ...string) *unstructured.Unstructured {
	var deps []any
	for _, b := range before {
		deps = append(deps, map[string]any{"name": b})
	}
	entry := func(revision, took string) map[string]any {
		return map[string]any{"lastReconciledDuration": took, "metadata": map[string]any{"revision": revision}}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": name, "generation": int64(2)},
		"spec":     map[string]any{"dependsOn": deps},
		"status": map[string]any{
			"observedGeneration": int64(2), "lastAppliedRevision": rev,
			"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "ReconciliationSucceeded"}},
			"history":    []any{entry("main@sha1:old", "9s"), entry(rev, "250ms"), entry(rev, "8s")},
		},
	}}
}

func TestOwnDurationIsThatOfTheNewestEntryOfTheRevision(t *testing.T) {
	got, err := ownDuration(kustomization("a"), rev)
	if err != nil || got != 250*time.Millisecond {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := ownDuration(kustomization("a"), "main@sha1:other"); err == nil || !strings.Contains(err.Error(), "nothing of main@sha1:other") {
		t.Errorf("error of another revision: %v", err)
	}
}

func TestCriticalPathIsTheLongestSum(t *testing.T) {
	weight := map[string]time.Duration{"a": 1, "b": 5, "c": 2, "d": 1, "alone": 6}
	before := map[string][]string{"b": {"a"}, "c": {"a"}, "d": {"b", "c"}}
	got, err := criticalPath(before, weight)
	if err != nil || got != 7 {
		t.Errorf("got %v, %v, want a, b, d: 7", got, err)
	}
	weight["alone"] = 8
	if got, _ := criticalPath(before, weight); got != 8 {
		t.Errorf("got %v, want that of the one alone", got)
	}
	before["a"] = []string{"d"}
	if _, err := criticalPath(before, weight); err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("error of a cycle: %v", err)
	}
}

func TestBarrierChainTakesTheLongestOfEachTier(t *testing.T) {
	weight := map[string]time.Duration{"a": 1, "b": 5, "c": 2}
	if got := barrierChain([][]string{{"a"}, {"b", "c"}, {"unknown"}}, weight); got != 6 {
		t.Errorf("got %v, want 6", got)
	}
}
