package tiers

import "slices"

// orderFiles are the places where a TIER_ORDER file is looked for, in order.
func orderFiles() []string { return []string{"TIER_ORDER.yaml", "bootstrap/TIER_ORDER.yaml"} }

// Lookup returns the TIER_ORDER file to read: explicit (-f), else env
// ($STANDUP_TIER_ORDER), else the first usual place that exists. A path that
// was named is returned whether it exists or not: a named file that is missing
// is an error, and the reader reports it. The path is empty when there is none.
func Lookup(explicit, env string, exists func(path string) bool) (path string, named bool) {
	for _, path := range []string{explicit, env} {
		if path != "" {
			return path, true
		}
	}
	if i := slices.IndexFunc(orderFiles(), exists); i >= 0 {
		return orderFiles()[i], false
	}
	return "", false
}
