package catalog

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

// CRDs says where a chart keeps its CRDs.
type CRDs string

const (
	// InDirectory is the chart's (or a subchart's) directory crds: Helm creates
	// what is there, skips what exists, and never owns it.
	InDirectory CRDs = "directory"
	// InTemplates means that CRDs are rendered like all else: they come and go
	// with the release, and Helm wants to own them.
	InTemplates CRDs = "templates"
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
	// When is the condition under which Provides and Groups come. It reads the
	// values of a chart, or the fields of a provider. Nil: they always come.
	When *When `yaml:"when,omitempty"`
	// Provides are the kinds. A chart may have none: then it is known that it
	// brings nothing, which is more than not being known.
	Provides []Kind `yaml:"provides"`
	// Groups are API groups that come as a whole, where listing kinds would be
	// pointless: example.io, or *.example.io for all groups beneath it.
	Groups []string `yaml:"groups,omitempty"`
	// Maybe are groups of which only some versions of the chart bring kinds.
	Maybe []string `yaml:"maybe,omitempty"`
	// Parts come under conditions of their own.
	Parts []Part `yaml:"parts,omitempty"`
	// Dynamic are kinds that the provider object itself names.
	Dynamic []Dynamic `yaml:"dynamic,omitempty"`
	// Needs are kinds of which the chart has objects although something else
	// brings them: without those, Helm installs nothing.
	Needs []Needs `yaml:"needs,omitempty"`
	// Once are groups whose kinds the operator looks for when it starts, and not
	// again: what comes later it does not see until it is restarted.
	Once []Once `yaml:"once,omitempty"`
	// Webhook says what the API server refuses while the webhook of the entry's
	// operator is registered and does not answer. Empty: nothing.
	Webhook Webhook `yaml:"webhook,omitempty"`
	// Unknown means that it may bring kinds that nobody can list beforehand: an
	// OLM Subscription, a chart that renders whatever its values say.
	Unknown bool `yaml:"unknown,omitempty"`

	// adds marks what Extra made: it is added to the entry of the same provider
	// and does not replace it.
	adds bool
}

// Needs are kinds of which a chart has objects under a condition.
type Needs struct {
	When  *When  `yaml:"when,omitempty"`
	Kinds []Kind `yaml:"kinds"`
}

// Once are groups that an operator looks for at its start, under a condition.
type Once struct {
	When   *When    `yaml:"when,omitempty"`
	Groups []string `yaml:"groups"`
}

// Webhook says which objects an admission webhook with failurePolicy Fail sees.
type Webhook string

// The reaches of a webhook.
const (
	RefusesOwn Webhook = "own" // objects of the kinds that the entry brings
	RefusesAll Webhook = "all" // objects of any kind
	// RewritesKustomizations sees those of Flux, and changes what they build.
	RewritesKustomizations Webhook = "kustomizations"
)

// Part is a share of what an entry brings that has its own condition, such as a
// subchart that can be switched off.
type Part struct {
	When     *When    `yaml:"when,omitempty"`
	CRDs     CRDs     `yaml:"crds,omitempty"` // the chart's, unless it is given
	Provides []Kind   `yaml:"provides,omitempty"`
	Groups   []string `yaml:"groups,omitempty"`
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
	// Repositories limit the entry to charts from one of them. They are for
	// names that several charts bear, such as "operator": host and path of an
	// address, without the scheme.
	Repositories []string `yaml:"repositories,omitempty"`
	// CRDs is where the chart keeps its CRDs; empty where that is not known, or
	// where it has none.
	CRDs CRDs `yaml:"crds,omitempty"`
}

// Operator is the workload that creates or serves the kinds.
type Operator struct {
	Kind string `yaml:"kind"`
	// Namespace is the usual one. Installations differ, so that whoever looks
	// for an operator takes one of this name in any namespace.
	Namespace string `yaml:"namespace"`
	// Name is the usual one: that of a release named like its chart.
	Name string `yaml:"name"`
}

// Kind is one kind that a provider brings. In a file it may be written short,
// as group/Kind; then nothing else is known of it.
type Kind struct {
	Group    string   `yaml:"group"`
	Kind     string   `yaml:"kind"`
	Plural   string   `yaml:"plural"`
	Versions []string `yaml:"versions"`
	Scope    Scope    `yaml:"scope"`
	// Conditions are those that a healthy object of the kind shows: type to
	// status. Empty where the kind has none, or none is known.
	Conditions map[string]string `yaml:"conditions,omitempty"`
}

// GroupKind names a kind in all versions.
type GroupKind struct{ Group, Kind string }

// String is kind.group, as kubectl writes it.
func (g GroupKind) String() string { return g.Kind + "." + g.Group }

// GroupKind is the name of the kind.
func (k Kind) GroupKind() GroupKind { return GroupKind{k.Group, k.Kind} }

// CRDName is the name of the kind's CustomResourceDefinition; empty where the
// plural is not known.
func (k Kind) CRDName() string {
	if k.Plural == "" {
		return ""
	}
	return k.Plural + "." + k.Group
}

// Short says that only the name of the kind is known.
func (k Kind) Short() bool { return k.Plural == "" && len(k.Versions) == 0 && k.Scope == "" }

// knownOf grows with what is known of the kind: several charts bring the same
// one, and not all entries say as much of it.
func (k Kind) knownOf() int {
	switch {
	case k.Short():
		return 0
	case len(k.Conditions) == 0:
		return 1
	}
	return 2
}

// GroupKind is the name of the provider's kind.
func (p Provider) GroupKind() GroupKind { return GroupKind{p.Group, p.Kind} }

// Kinds are all kinds that the entry lists, under whatever condition.
func (e Entry) Kinds() []Kind {
	kinds := append([]Kind(nil), e.Provides...)
	for _, p := range e.Parts {
		kinds = append(kinds, p.Provides...)
	}
	return kinds
}

// AllGroups are all groups that the entry claims as a whole, under whatever
// condition.
func (e Entry) AllGroups() []string {
	groups := append([]string(nil), e.Groups...)
	for _, p := range e.Parts {
		groups = append(groups, p.Groups...)
	}
	return groups
}
