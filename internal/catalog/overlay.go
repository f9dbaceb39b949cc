package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// With makes a catalogue in which the given entries go before those of c: an
// entry of the same name, of the same provider or of the same chart is replaced
// and does not count as claimed twice. What Extra made is added instead to the
// entry of its provider, so that nothing known is lost.
func (c *Catalog) With(extra ...Entry) (*Catalog, error) {
	var whole, added []Entry
	for _, e := range extra {
		if e.adds {
			added = append(added, e)
		} else {
			whole = append(whole, e)
		}
	}
	var entries []Entry
	for _, e := range c.entries {
		if kept, left := e.without(whole); left {
			entries = append(entries, kept)
		}
	}
	entries = append(entries, whole...)
	for _, e := range added {
		entries = addTo(entries, e)
	}
	return New(entries)
}

// without is what is left of an entry beside those that replace it: a chart
// keeps the names that they do not claim.
func (e Entry) without(replacing []Entry) (Entry, bool) {
	for _, r := range replacing {
		switch {
		case r.Name == e.Name:
			return Entry{}, false
		case r.Provider != nil && e.Provider != nil && r.Provider.GroupKind() == e.Provider.GroupKind():
			return Entry{}, false
		case r.Chart != nil && e.Chart != nil && r.Chart.clashes(*e.Chart):
			chart := *e.Chart
			chart.Names = slices.DeleteFunc(slices.Clone(chart.Names), func(n string) bool { return slices.Contains(r.Chart.Names, n) })
			if len(chart.Names) == 0 {
				return Entry{}, false
			}
			e.Chart = &chart
		}
	}
	return e, true
}

// addTo adds what an entry brings to the entry of the same provider, or the
// entry itself where there is none.
func addTo(entries []Entry, add Entry) []Entry {
	for i := range entries {
		e := &entries[i]
		if e.Provider == nil || e.Provider.GroupKind() != add.Provider.GroupKind() {
			continue
		}
		merged := slices.Clone(e.Provides)
		for _, k := range add.Provides {
			if !slices.ContainsFunc(e.Kinds(), func(have Kind) bool { return have.GroupKind() == k.GroupKind() }) {
				merged = append(merged, k)
			}
		}
		e.Provides = merged
		e.Groups = slices.Compact(slices.Sorted(slices.Values(slices.Concat(e.Groups, add.Groups))))
		return entries
	}
	return append(entries, add)
}

// Extra makes an entry of what little a person says of a provider: its kind, and
// what comes with it, each as group/Kind or as a group that comes as a whole.
// It is for With; its operator is not known.
func Extra(providerGroup, providerKind string, provides []string) (Entry, error) {
	e := Entry{
		Name:     strings.ToLower(providerKind) + "." + providerGroup,
		Provider: &Provider{Group: providerGroup, Kind: providerKind},
		Created:  ByOperator,
		adds:     true,
	}
	for _, text := range provides {
		if !strings.Contains(text, "/") {
			e.Groups = append(e.Groups, text)
			continue
		}
		k, err := kindOf(text)
		if err != nil {
			return Entry{}, fmt.Errorf("provider %s.%s: provides %w", providerKind, providerGroup, err)
		}
		e.Provides = append(e.Provides, k)
	}
	if faults := e.validate(); len(faults) > 0 {
		return Entry{}, fmt.Errorf("provider %s.%s: %s", providerKind, providerGroup, faults[0].message)
	}
	return e, nil
}
