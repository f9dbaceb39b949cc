package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ownDuration is how long the controller says that its last reconciliation of
// the revision took.
func ownDuration(k *unstructured.Unstructured, revision string) (time.Duration, error) {
	history, _, err := unstructured.NestedSlice(k.Object, "status", "history")
	if err != nil {
		return 0, fmt.Errorf("%s: status.history: %w", k.GetName(), err)
	}
	// The newest entry comes first. A revision has a second entry where the same
	// commit was applied to another effect, for example after a failure.
	for _, h := range history {
		entry, ok := h.(map[string]any)
		if !ok {
			continue
		}
		if at, _, _ := unstructured.NestedString(entry, "metadata", "revision"); at != revision {
			continue
		}
		text, _, _ := unstructured.NestedString(entry, "lastReconciledDuration")
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%s: status.history: %w", k.GetName(), err)
		}
		return d, nil
	}
	return 0, fmt.Errorf("%s: status.history has nothing of %s", k.GetName(), revision)
}

// dependsOn are the names that spec.dependsOn lists. All trees of the benchmark
// are of one namespace.
func dependsOn(k *unstructured.Unstructured) []string {
	list, _, _ := unstructured.NestedSlice(k.Object, "spec", "dependsOn")
	var out []string
	for _, d := range list {
		if m, ok := d.(map[string]any); ok {
			if name, ok := m["name"].(string); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// criticalPath is the greatest sum of weights along a path of the graph, which
// maps a name to those before it. No run on it can be faster than that.
func criticalPath(before map[string][]string, weight map[string]time.Duration) (time.Duration, error) {
	const onPath = -1 // a weight is never negative
	ends := map[string]time.Duration{}
	var visit func(name string) (time.Duration, error)
	visit = func(name string) (time.Duration, error) {
		if end, ok := ends[name]; ok {
			if end == onPath {
				return 0, fmt.Errorf("dependency cycle through %s", name)
			}
			return end, nil
		}
		ends[name] = onPath
		var start time.Duration
		for _, b := range before[name] {
			end, err := visit(b)
			if err != nil {
				return 0, err
			}
			start = max(start, end)
		}
		ends[name] = start + weight[name]
		return ends[name], nil
	}
	var longest time.Duration
	for _, name := range slices.Sorted(maps.Keys(weight)) {
		end, err := visit(name)
		if err != nil {
			return 0, err
		}
		longest = max(longest, end)
	}
	return longest, nil
}

// barrierChain is the sum over the tiers of their longest member: no run that
// lets a tier begin when the one before is done can be faster than that.
func barrierChain(tiers [][]string, weight map[string]time.Duration) time.Duration {
	var sum time.Duration
	for _, tier := range tiers {
		var longest time.Duration
		for _, name := range tier {
			longest = max(longest, weight[name])
		}
		sum += longest
	}
	return sum
}
