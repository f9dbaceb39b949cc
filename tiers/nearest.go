package tiers

import (
	"maps"
	"slices"
	"strings"
)

// nearest returns the candidate that is most like name, or "" when none is
// near enough to be what was meant. The first of equals wins.
func nearest(name string, candidates []string) string {
	// A third of the letters may differ: "timout" is near "timeout", "apps" is
	// not near "crds".
	best, limit := "", max(1, len([]rune(name))/3)
	for _, c := range candidates {
		if c == name {
			continue
		}
		if d := distance(name, c); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// distance counts the letters to put in, take out or replace, and neighbours to
// swap (Levenshtein's distance with Damerau's swaps), with three rows of memory.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, ra := range from {
		before, last, row = last, row, before
		row[0] = i + 1
		for j, rb := range to {
			replace := last[j]
			if ra != rb {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && ra == to[j-1] && from[i-1] == rb {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(to)]
}

// NearestRef returns what was probably meant by a name that does not exist:
// the same name in another namespace, a like name in the same one, or one that
// is the other's beginning (rook-ceph for rook-ceph-cluster). It is zero where
// none is alike.
func NearestRef(ref Ref, candidates []Ref) Ref {
	inNamespace := map[string]Ref{}
	for _, c := range candidates {
		if c.Name == ref.Name && c != ref {
			return c
		}
		if c.Namespace == ref.Namespace {
			inNamespace[c.Name] = c
		}
	}
	names := slices.Sorted(maps.Keys(inNamespace))
	if near := nearest(ref.Name, names); near != "" {
		return inNamespace[near]
	}
	for _, n := range names {
		if strings.HasPrefix(ref.Name, n+"-") || strings.HasPrefix(n, ref.Name+"-") {
			return inNamespace[n]
		}
	}
	return Ref{}
}
