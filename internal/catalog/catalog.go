// Package catalog knows which provider brings which kinds.
//
// A provider is an object whose controller, or chart, makes the API server
// serve more kinds: the custom resource CDI, the chart of cert-manager. The
// facts are data, one YAML file a provider beneath entries/, each with the
// address where the fact was read. Adding a provider is adding a file.
package catalog

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed entries/*.yaml
var files embed.FS

// CreatedBy says what makes the kinds of an entry exist.
type CreatedBy string

const (
	// ByChart means that the CRDs are in the chart: they exist as soon as the
	// release is installed.
	ByChart CreatedBy = "chart"
	// ByOperator means that a running operator registers the CRDs, so that they
	// lag behind whatever installed it.
	ByOperator CreatedBy = "operator"
)

// Scope is whether objects of a kind live in a namespace.
type Scope string

// The scopes of a kind, in the words of a CustomResourceDefinition.
const (
	Namespaced Scope = "Namespaced"
	Cluster    Scope = "Cluster"
)

// Entry is one provider and what it brings.
type Entry struct {
	// Name is unique, and the name of the entry's file.
	Name string `yaml:"name"`
	// Source is the address where the facts were read.
	Source string `yaml:"source"`
	// Note is for people: what to know before relying on the entry.
	Note string `yaml:"note,omitempty"`
	// Provider is the custom resource that the operator reacts to, and Chart
	// the chart that brings the kinds. An entry has exactly one of the two.
	Provider *Provider `yaml:"provider,omitempty"`
	Chart    *Chart    `yaml:"chart,omitempty"`
	// Created says what makes the kinds exist.
	Created CreatedBy `yaml:"created"`
	// Operator is the workload that does the work, where there is one.
	Operator *Operator `yaml:"operator,omitempty"`
	// Provides are the kinds. A chart may have none: then it is known that it
	// brings nothing, which is more than not being known.
	Provides []Kind `yaml:"provides"`
}

// Provider is a custom resource whose controller creates kinds.
type Provider struct {
	Group    string   `yaml:"group"`
	Kind     string   `yaml:"kind"`
	Plural   string   `yaml:"plural"`
	Versions []string `yaml:"versions"`
	Scope    Scope    `yaml:"scope"`
	// Conditions are those of an object whose work is done: type to status.
	Conditions map[string]string `yaml:"conditions,omitempty"`
}

// Chart is a Helm chart, under all names by which releases refer to it.
type Chart struct {
	// Names are chart names, or the last element of an OCI address.
	Names []string `yaml:"names"`
}

// Operator is the workload that creates or serves the kinds.
type Operator struct {
	Kind string `yaml:"kind"`
	// Namespace is the usual one; installations differ.
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
}

// Kind is one kind that a provider brings.
type Kind struct {
	Group    string   `yaml:"group"`
	Kind     string   `yaml:"kind"`
	Plural   string   `yaml:"plural"`
	Versions []string `yaml:"versions"`
	Scope    Scope    `yaml:"scope"`
	// Conditions are those that a healthy object of the kind shows: type to
	// status. Empty where the kind has none.
	Conditions map[string]string `yaml:"conditions,omitempty"`
}

// GroupKind names a kind in all versions.
type GroupKind struct{ Group, Kind string }

// String is kind.group, as kubectl writes it.
func (g GroupKind) String() string { return g.Kind + "." + g.Group }

// GroupKind is the name of the kind.
func (k Kind) GroupKind() GroupKind { return GroupKind{k.Group, k.Kind} }

// CRDName is the name of the kind's CustomResourceDefinition.
func (k Kind) CRDName() string { return k.Plural + "." + k.Group }

// GroupKind is the name of the provider's kind.
func (p Provider) GroupKind() GroupKind { return GroupKind{p.Group, p.Kind} }

// Catalog is a set of entries with their indexes.
type Catalog struct {
	entries    []Entry
	byProvider map[GroupKind]int
	byChart    map[string]int
	byKind     map[GroupKind][]int
}

// Load reads the built-in entries.
func Load() (*Catalog, error) {
	sub, err := fs.Sub(files, "entries")
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	return LoadFS(sub)
}

// LoadFS reads the entries of a directory: every file ending in .yaml.
func LoadFS(dir fs.FS) (*Catalog, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	var entries []Entry
	for _, name := range names {
		raw, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("catalogue: %w", err)
		}
		entry, err := parse(raw)
		if err != nil {
			return nil, fmt.Errorf("catalogue: %s: %w", name, err)
		}
		if want := strings.TrimSuffix(path.Base(name), ".yaml"); entry.Name != want {
			return nil, fmt.Errorf("catalogue: %s: its name is %q, want that of the file", name, entry.Name)
		}
		entries = append(entries, entry)
	}
	return New(entries)
}

// New makes a catalogue of entries and refuses two that claim the same provider
// or chart name. Two may bring the same kind: operators come in several ways.
func New(entries []Entry) (*Catalog, error) {
	c := &Catalog{
		entries:    slices.Clone(entries),
		byProvider: map[GroupKind]int{}, byChart: map[string]int{}, byKind: map[GroupKind][]int{},
	}
	slices.SortFunc(c.entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	for i, e := range c.entries {
		if err := e.validate(); err != nil {
			return nil, fmt.Errorf("catalogue: entry %q: %w", e.Name, err)
		}
		if i > 0 && c.entries[i-1].Name == e.Name {
			return nil, fmt.Errorf("catalogue: entry %q is there twice", e.Name)
		}
		if err := c.index(i, e); err != nil {
			return nil, err
		}
	}
	return c, nil
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
			if j, taken := c.byChart[name]; taken {
				return fmt.Errorf("catalogue: entries %q and %q both claim chart %q", c.entries[j].Name, e.Name, name)
			}
			c.byChart[name] = i
		}
	}
	for _, k := range e.Provides {
		c.byKind[k.GroupKind()] = append(c.byKind[k.GroupKind()], i)
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
func (c *Catalog) ByChart(name string) (Entry, bool) {
	i, ok := c.byChart[path.Base(name)]
	if !ok {
		return Entry{}, false
	}
	return c.entries[i], true
}

// Providing lists the entries that bring a kind, by name.
func (c *Catalog) Providing(gk GroupKind) []Entry {
	var out []Entry
	for _, i := range c.byKind[gk] {
		out = append(out, c.entries[i])
	}
	return out
}

// Kind is what the catalogue knows of a kind that some provider brings.
func (c *Catalog) Kind(gk GroupKind) (Kind, bool) {
	for _, e := range c.Providing(gk) {
		for _, k := range e.Provides {
			if k.GroupKind() == gk {
				return k, true
			}
		}
	}
	return Kind{}, false
}
