package catalog

import "slices"

// Share is a set of kinds that come, or do not, together.
type Share struct {
	// Kinds are those that the catalogue lists, Named those that the object
	// itself names, and Groups come as a whole.
	Kinds  []Kind
	Named  []GroupKind
	Groups []string
	// Come says whether they do, with this object.
	Come Answer
	// When is why: nil where there is no condition.
	When *When
	// CRDs is where a chart keeps them; empty where that is not known.
	CRDs CRDs
}

// Has says whether a kind is one of the share.
func (s Share) Has(gk GroupKind) bool {
	return slices.ContainsFunc(s.Kinds, func(k Kind) bool { return k.GroupKind() == gk }) ||
		slices.Contains(s.Named, gk) || anyGroup(s.Groups, gk.Group)
}

// Brings is what one object, with its fields, makes the API server serve.
type Brings struct {
	// Entry is what the catalogue knows of the object.
	Entry Entry
	// Shares are what it lists, each with whether it comes.
	Shares []Share
	// Unknown means that there may be kinds that nobody can list.
	Unknown bool
}

// Of says whether a kind comes with the object. A provider never brings its own
// kind, although its group may be claimed as a whole.
func (b Brings) Of(gk GroupKind) Answer {
	if b.Entry.is(gk) {
		return No
	}
	if s, ok := b.Share(gk); ok {
		return s.Come
	}
	if b.Unknown {
		return Unknown
	}
	return No
}

// Share finds the share of a kind; of several, the one that most surely comes.
func (b Brings) Share(gk GroupKind) (Share, bool) {
	best, found := Share{}, false
	if b.Entry.is(gk) {
		return best, found
	}
	for _, s := range b.Shares {
		if s.Has(gk) && (!found || s.Come > best.Come) {
			best, found = s, true
		}
	}
	return best, found
}

// Nothing says that the object is known to bring no kinds.
func (b Brings) Nothing() bool {
	return !b.Unknown && !slices.ContainsFunc(b.Shares, func(s Share) bool { return s.Come != No })
}

// Provided says what a concrete object brings, if its kind is that of a
// provider.
func (c *Catalog) Provided(gk GroupKind, object map[string]any) (Brings, bool) {
	e, ok := c.ByProvider(gk)
	if !ok {
		return Brings{}, false
	}
	b := e.shares(object, false)
	named := Share{Come: Yes}
	for _, d := range e.Dynamic {
		gk, found, unknown := d.of(object)
		if found {
			named.Named = append(named.Named, gk)
		}
		b.Unknown = b.Unknown || unknown
	}
	if len(named.Named) > 0 {
		b.Shares = append(b.Shares, named)
	}
	return b, true
}

// Release is what a Helm release says of its chart.
type Release struct {
	// Chart is its name, a path, or an OCI address.
	Chart string
	// Repository is the address of the chart's repository, where Chart is but a
	// name. Empty if it is not known.
	Repository string
	// Values are those that the release gives, in the types that JSON has.
	Values map[string]any
	// Partial says that there are more values, which cannot be read: a Secret
	// of valuesFrom. What Values says counts nevertheless, as Flux merges it last.
	Partial bool
	// SkipCRDs says that the directory crds is left alone, as with Skip in
	// spec.install.crds.
	SkipCRDs bool
}

// Installed says what a release brings, if its chart is known.
func (c *Catalog) Installed(r Release) (Brings, bool) {
	e, ok := c.ByChartFrom(r.Repository, r.Chart)
	if !ok {
		return Brings{}, false
	}
	b := e.shares(r.Values, r.Partial)
	for i := range b.Shares {
		if s := &b.Shares[i]; r.SkipCRDs && e.Created == ByChart {
			s.Come = s.Come.and(s.HelmOwned())
		}
	}
	return b, true
}

// Rendered lists the kinds of which the chart of a release certainly has objects
// and which something else brings.
func (c *Catalog) Rendered(r Release) []GroupKind {
	var found []GroupKind
	e, ok := c.ByChartFrom(r.Repository, r.Chart)
	if !ok {
		return nil
	}
	for _, n := range e.Needs {
		if n.When.Holds(r.Values, r.Partial) == Yes {
			for _, k := range n.Kinds {
				found = append(found, k.GroupKind())
			}
		}
	}
	return found
}

// LookedForOnce lists the groups whose kinds the operator of a release looks for
// at its start and not again. Without a release, where nothing is known of the
// values, they are all that it may look for.
func (e Entry) LookedForOnce(r *Release) []string {
	var groups []string
	for _, o := range e.Once {
		if r == nil || o.When.Holds(r.Values, r.Partial) == Yes {
			groups = append(groups, o.Groups...)
		}
	}
	return groups
}

// HelmOwned says whether Helm takes the CRDs as part of the release. It refuses
// to when somebody else made them, unless it was told to take ownership.
func (s Share) HelmOwned() Answer {
	switch s.CRDs {
	case InTemplates:
		return Yes
	case InDirectory:
		return No
	}
	return Unknown
}

// shares judges the conditions of an entry.
func (e Entry) shares(fields map[string]any, partial bool) Brings {
	b := Brings{Entry: e, Unknown: e.Unknown}
	where := CRDs("")
	if e.Chart != nil {
		where = e.Chart.CRDs
	}
	if len(e.Provides)+len(e.Groups) > 0 {
		b.Shares = append(b.Shares, Share{Kinds: e.Provides, Groups: e.Groups, When: e.When, CRDs: where, Come: e.When.Holds(fields, partial)})
	}
	if len(e.Maybe) > 0 {
		b.Shares = append(b.Shares, Share{Groups: e.Maybe, CRDs: where, Come: Unknown})
	}
	for _, p := range e.Parts {
		s := Share{Kinds: p.Provides, Groups: p.Groups, When: p.When, CRDs: where, Come: p.When.Holds(fields, partial)}
		if p.CRDs != "" {
			s.CRDs = p.CRDs
		}
		b.Shares = append(b.Shares, s)
	}
	return b
}

// is says whether the kind is that of the provider itself.
func (e Entry) is(gk GroupKind) bool { return e.Provider != nil && e.Provider.GroupKind() == gk }
