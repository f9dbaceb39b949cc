// Package catalog knows which provider brings which kinds.
//
// A provider is an object whose controller, or chart, makes the API server
// serve more kinds: the custom resource CDI, the chart of cert-manager. The
// facts are data, one YAML file a provider beneath entries/, each with the
// address where the fact was read. Adding a provider is adding a file.
//
// Provided and Installed say what one concrete object brings; Providing turns
// the question round. What nobody can know beforehand has an answer of its own.
// Tool knows the kinds that are no objects of a cluster at all.
package catalog

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Catalog is a set of entries with their indexes.
type Catalog struct {
	entries    []Entry
	byProvider map[GroupKind]int
	byChart    map[string][]int
	byKind     map[GroupKind][]int
	byGroup    []int // entries that claim groups as a whole
	tools      []Tool
	platforms  []Platform
}

// New makes a catalogue of entries and refuses two that claim the same provider
// or chart name. Two may bring the same kind: operators come in several ways.
func New(entries []Entry) (*Catalog, error) {
	c := &Catalog{
		entries:    slices.Clone(entries),
		byProvider: map[GroupKind]int{}, byChart: map[string][]int{}, byKind: map[GroupKind][]int{},
	}
	slices.SortFunc(c.entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	for i, e := range c.entries {
		if faults := e.validate(); len(faults) > 0 {
			return nil, fmt.Errorf("catalogue: entry %q: %s", e.Name, faults[0].message)
		}
		if i > 0 && c.entries[i-1].Name == e.Name {
			return nil, fmt.Errorf("catalogue: entry %q is there twice", e.Name)
		}
		if err := c.index(i, e); err != nil {
			return nil, err
		}
	}
	tools, err := loadTools()
	if err != nil {
		return nil, err
	}
	c.tools = tools
	c.platforms, err = loadPlatforms()
	return c, err
}

func (c *Catalog) index(i int, e Entry) error {
	if e.Provider != nil {
		gk := e.Provider.GroupKind()
		if j, taken := c.byProvider[gk]; taken {
			return fmt.Errorf("catalogue: entries %q and %q both claim provider %s", c.entries[j].Name, e.Name, gk)
		}
		c.byProvider[gk] = i
	}
	if e.Chart != nil {
		for _, name := range e.Chart.Names {
			for _, j := range c.byChart[name] {
				if c.entries[j].Chart.clashes(*e.Chart) {
					return fmt.Errorf("catalogue: entries %q and %q both claim chart %q", c.entries[j].Name, e.Name, name)
				}
			}
			c.byChart[name] = append(c.byChart[name], i)
		}
	}
	for _, k := range e.Kinds() {
		if list := c.byKind[k.GroupKind()]; len(list) == 0 || list[len(list)-1] != i {
			c.byKind[k.GroupKind()] = append(list, i)
		}
	}
	if len(e.AllGroups())+len(e.Maybe) > 0 {
		c.byGroup = append(c.byGroup, i)
	}
	return nil
}

// Entries are all entries, by name.
func (c *Catalog) Entries() []Entry { return slices.Clone(c.entries) }

// ByProvider finds the entry whose provider is of the kind.
func (c *Catalog) ByProvider(gk GroupKind) (Entry, bool) {
	i, ok := c.byProvider[gk]
	if !ok {
		return Entry{}, false
	}
	return c.entries[i], true
}

// ByChart finds the entry of a chart, given its name or an OCI address.
func (c *Catalog) ByChart(name string) (Entry, bool) { return c.ByChartFrom("", name) }

// ByChartFrom finds the entry of a chart in a repository. An entry for that
// repository goes before one that takes the name from anywhere.
func (c *Catalog) ByChartFrom(repository, name string) (Entry, bool) {
	base := path.Base(name)
	found := -1
	for _, i := range c.byChart[base] {
		switch chart := c.entries[i].Chart; {
		case chart.from(repository), chart.from(strings.TrimSuffix(name, base)):
			return c.entries[i], true
		case len(chart.Repositories) == 0:
			found = i
		}
	}
	if found < 0 {
		return Entry{}, false
	}
	return c.entries[found], true
}

// from says whether an address is beneath one of the chart's repositories, also
// behind a mirror that keeps their names in its paths.
func (c Chart) from(address string) bool {
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	}
	address = "/" + strings.Trim(address, "/") + "/"
	return slices.ContainsFunc(c.Repositories, func(r string) bool { return strings.Contains(address, "/"+r+"/") })
}

// clashes says whether two charts of one name could be meant by one release.
func (c Chart) clashes(other Chart) bool {
	if len(c.Repositories) == 0 || len(other.Repositories) == 0 {
		return len(c.Repositories) == len(other.Repositories)
	}
	return slices.ContainsFunc(c.Repositories, other.from) || slices.ContainsFunc(other.Repositories, c.from)
}

// Providing lists the entries that bring a kind under some condition, by name.
// Kinds that objects name themselves are not among them, nor are the entries
// that may bring anything: ask Provided about the objects at hand.
func (c *Catalog) Providing(gk GroupKind) []Entry {
	hits := slices.Clone(c.byKind[gk])
	for _, i := range c.byGroup {
		if e := c.entries[i]; !e.is(gk) && (anyGroup(e.AllGroups(), gk.Group) || anyGroup(e.Maybe, gk.Group)) {
			hits = append(hits, i)
		}
	}
	slices.Sort(hits)
	var out []Entry
	for _, i := range slices.Compact(hits) {
		out = append(out, c.entries[i])
	}
	return out
}

// Kind is what the catalogue knows of a kind that some provider lists. The entry
// that says most of it counts.
func (c *Catalog) Kind(gk GroupKind) (Kind, bool) {
	best, found := Kind{}, false
	for _, i := range c.byKind[gk] {
		for _, k := range c.entries[i].Kinds() {
			if k.GroupKind() == gk && (!found || k.knownOf() > best.knownOf()) {
				best, found = k, true
			}
		}
	}
	return best, found
}
