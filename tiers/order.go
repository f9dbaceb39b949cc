package tiers

import (
	"slices"
	"strings"
	"time"
)

// What a TIER_ORDER file says it is.
const (
	OrderAPIVersion = "standup/v1"
	OrderKind       = "TierOrder"
)

// Defaults of a TIER_ORDER file, and of a run without one.
const (
	DefaultNamespace = "flux-system"
	DefaultTimeout   = 10 * time.Minute
	DefaultParallel  = 4
)

// TierOrder is a TIER_ORDER file. Parse fills in every default.
type TierOrder struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	// Cluster is a label for reports.
	Cluster string `yaml:"cluster,omitempty"`
	// Context is the one kubeconfig context that the file is meant for.
	Context string `yaml:"context,omitempty"`
	// Entry is the path of the root Kustomization in its source.
	Entry string `yaml:"entry,omitempty"`
	// Source is the source that the entry comes from; zero when the file does
	// not say.
	Source   Ref      `yaml:"source,omitempty"`
	Defaults Defaults `yaml:"defaults,omitempty"`
	// Unlisted says what to do with a Kustomization that no tier lists.
	Unlisted Unlisted `yaml:"unlisted,omitempty"`
	// Barriers holds each tier back until the one in front is done. Without
	// it only dependsOn orders, and tiers are labels.
	Barriers    bool          `yaml:"barriers"`
	Tiers       []Tier        `yaml:"tiers"`
	SecondOrder []SecondOrder `yaml:"secondOrder,omitempty"`

	// File is the name that Parse was given.
	File string `yaml:"-"`
}

// Defaults apply to every tier that does not say otherwise.
type Defaults struct {
	Namespace string        `yaml:"namespace,omitempty"`
	Timeout   time.Duration `yaml:"timeout,omitempty"`
	// Parallel is how many Kustomizations of one tier are driven at once.
	Parallel int `yaml:"parallel,omitempty"`
}

// Unlisted is a policy for Kustomizations that no tier lists.
type Unlisted string

// Policies for Kustomizations that no tier lists.
const (
	// UnlistedWait drives them in the tier of what they depend on, with a warning.
	UnlistedWait Unlisted = "wait"
	// UnlistedFail makes no plan at all.
	UnlistedFail Unlisted = "fail"
	// UnlistedIgnore leaves them out of the plan.
	UnlistedIgnore Unlisted = "ignore"
)

// Tier is one entry of TIER_ORDER.
type Tier struct {
	Name string `yaml:"name"`
	// Timeout bounds each step of the tier, from the step's start.
	Timeout time.Duration `yaml:"timeout,omitempty"`
	// Kustomizations are "name" or "namespace/name". Nil means the one that
	// has the tier's own name; see Members.
	Kustomizations []string `yaml:"kustomizations,omitempty"`
	// Optional makes the tier's failure something to report, not fatal.
	Optional bool `yaml:"optional,omitempty"`
	// LeaveSuspended names Kustomizations that stay suspended when they are.
	LeaveSuspended []string    `yaml:"leaveSuspended,omitempty"`
	Probes         []ProbeSpec `yaml:"probes,omitempty"`

	// Pos is where the tier stands in the file.
	Pos Position `yaml:"-"`
}

// SecondOrder adds a provider to the built-in catalogue: an object whose
// controller creates kinds at run time.
type SecondOrder struct {
	Provider GroupKind `yaml:"provider"`
	// Provides lists what comes with it: "group/Kind", or "group" for all of
	// its kinds.
	Provides []string `yaml:"provides"`

	// Pos is where the entry stands in the file.
	Pos Position `yaml:"-"`
}

// GroupKind names a kind.
type GroupKind struct {
	Group string `yaml:"group"`
	Kind  string `yaml:"kind"`
}

// Position is a place in a file, counted from 1. The zero Position is no place.
type Position struct{ Line, Column int }

// Members lists the Kustomizations of the tier in the order of the file: those
// of kustomizations, else the one with the tier's own name; then those that
// only leaveSuspended names, which belong to the tier as well.
func (t *Tier) Members(defaultNamespace string) []Ref {
	names := t.Kustomizations
	if names == nil {
		names = []string{t.Name}
	}
	var members []Ref
	seen := make(map[Ref]bool, len(names))
	for _, name := range slices.Concat(names, t.LeaveSuspended) {
		if ref := memberRef(defaultNamespace, name); !seen[ref] {
			seen[ref] = true
			members = append(members, ref)
		}
	}
	return members
}

// Leaves reports whether ref stays suspended when it is suspended.
func (t *Tier) Leaves(defaultNamespace string, ref Ref) bool {
	return slices.ContainsFunc(t.LeaveSuspended, func(name string) bool {
		return memberRef(defaultNamespace, name) == ref
	})
}

// memberRef reads "name" or "namespace/name".
func memberRef(defaultNamespace, s string) Ref {
	if namespace, name, ok := strings.Cut(s, "/"); ok {
		return KustomizationRef(namespace, name)
	}
	return KustomizationRef(defaultNamespace, s)
}

// memberName is how TIER_ORDER spells ref: the short way where it can.
func memberName(defaultNamespace string, ref Ref) string {
	if ref.Namespace == defaultNamespace {
		return ref.Name
	}
	return ref.NamespacedName()
}

// fill returns a copy with every default in place. Barriers is not among them:
// its default is true, and only Parse can tell false from not given.
func (o *TierOrder) fill() *TierOrder {
	f := *o
	if f.Defaults.Namespace == "" {
		f.Defaults.Namespace = DefaultNamespace
	}
	if f.Defaults.Timeout == 0 {
		f.Defaults.Timeout = DefaultTimeout
	}
	if f.Defaults.Parallel == 0 {
		f.Defaults.Parallel = DefaultParallel
	}
	if f.Unlisted == "" {
		f.Unlisted = UnlistedWait
	}
	if !f.Source.IsZero() {
		if f.Source.Kind == "" {
			f.Source.Kind = KindGitRepository
		}
		if f.Source.Namespace == "" {
			f.Source.Namespace = f.Defaults.Namespace
		}
	}
	f.Tiers = slices.Clone(f.Tiers)
	for i := range f.Tiers {
		f.Tiers[i] = f.Tiers[i].fill(f.Defaults)
	}
	return &f
}

func (t Tier) fill(d Defaults) Tier {
	if t.Timeout == 0 {
		t.Timeout = d.Timeout
	}
	t.Probes = slices.Clone(t.Probes)
	for i := range t.Probes {
		if t.Probes[i].Timeout == 0 {
			t.Probes[i].Timeout = t.Timeout
		}
	}
	return t
}
