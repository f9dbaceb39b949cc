package rehearsal

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
)

// Schema is the version of the JSON form.
const Schema = "standup.rehearsal/v1"

// Verdict says how one Kustomization ends.
type Verdict string

// The verdicts, from the best to the worst.
const (
	OK           Verdict = "OK"
	Hazard       Verdict = "HAZARD"
	Retry        Verdict = "RETRY"
	Race         Verdict = "RACE"
	Precondition Verdict = "PRECONDITION"
	Runtime      Verdict = "RUNTIME"
	Unknown      Verdict = "UNKNOWN"
	Stall        Verdict = "STALL"
	Deadlock     Verdict = "DEADLOCK"
)

// rank orders verdicts: the worst one is that of the whole.
func (v Verdict) rank() int {
	return slices.Index([]Verdict{OK, Hazard, Retry, Race, Precondition, Runtime, Unknown, Stall, Deadlock}, v)
}

// Class says what kind of fault it is.
type Class string

// The classes of faults.
const (
	SameSet        Class = "same-set"
	Ancestor       Class = "ancestor"
	GateOrder      Class = "gate-order"
	DepCycle       Class = "dep-cycle"
	DepMissing     Class = "dep-missing"
	NoCreator      Class = "no-creator"
	InNamespace    Class = "namespace"
	InAdmission    Class = "admission"
	InBuild        Class = "build"
	InSubstitute   Class = "substitute"
	InDecryption   Class = "decryption"
	InSource       Class = "source"
	IsSuspended    Class = "suspended"
	WeakEdge       Class = "weak-edge"
	NoEdge         Class = "no-edge"
	DeadGate       Class = "dead-gate"
	TwoOwners      Class = "two-owners"
	NoRetries      Class = "no-retries"
	InRestore      Class = "restore"
	InExpression   Class = "expression"
	InForm         Class = "invalid"
	LateKind       Class = "late-crd"
	InMove         Class = "move"
	InPrune        Class = "prune"
	InImmutable    Class = "immutable"
	ResultYes            = "yes"
	ResultNo             = "no"
	ResultNotKnown       = "unknown"
)

// Result is the public form of a rehearsal.
type Result struct {
	Schema         string          `json:"schema"`
	Converges      string          `json:"converges"`
	Kustomizations []Kustomization `json:"kustomizations"`
	Findings       []Finding       `json:"findings"`
	// Fixes are ways out of the deadlocks that a split of a set ends.
	Fixes []Fix `json:"-"`
	// Timeline is how long it all takes.
	Timeline Timeline `json:"-"`
}

// Kustomization is the verdict on one Kustomization.
type Kustomization struct {
	Namespace  string  `json:"namespace"`
	Name       string  `json:"name"`
	Verdict    Verdict `json:"verdict"`
	Class      Class   `json:"class"` // "" with OK
	BlockedBy  *string `json:"blockedBy"`
	ReadyAfter Ready   `json:"readyAfter"`
}

// Ready says how long it takes from the start of Flux, in words such as 1m30s;
// nil is never.
type Ready struct {
	Flux    *string `json:"flux"`
	Standup *string `json:"standup"`
}

// Finding is one cause.
type Finding struct {
	Verdict       Verdict  `json:"verdict"`
	Class         Class    `json:"class"`
	Kustomization string   `json:"kustomization"`
	Object        *Object  `json:"object"`
	Missing       []Kind   `json:"missing"`
	Provider      *Located `json:"provider"`
	Message       string   `json:"message"`
	Remedy        string   `json:"remedy"`
}

// Object is the object of a finding and where it is written.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	File       string `json:"file"`
	Line       int    `json:"line"`
}

// Kind is a kind that is not served.
type Kind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

// Located names the object that would bring what is missing.
type Located struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// JSON is the result as it is written; the same result gives the same bytes.
func (r *Result) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// Blocked lists the Kustomizations that a cause keeps back, as namespace/name.
func (r *Result) Blocked(cause string) []string {
	var found []string
	for _, k := range r.Kustomizations {
		if k.BlockedBy != nil && *k.BlockedBy == cause {
			found = append(found, k.Namespace+"/"+k.Name)
		}
	}
	return found
}

// Has reports whether there is a finding with one of the verdicts.
func (r *Result) Has(verdicts ...Verdict) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return slices.Contains(verdicts, f.Verdict) })
}

func (r *Result) sort() {
	slices.SortFunc(r.Kustomizations, func(a, b Kustomization) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Verdict.rank(), a.Verdict.rank()), strings.Compare(a.Kustomization, b.Kustomization),
			strings.Compare(string(a.Class), string(b.Class)), a.Object.compare(b.Object), strings.Compare(a.Message, b.Message),
		)
	})
}

func (o *Object) compare(other *Object) int {
	if o == nil || other == nil {
		return cmp.Compare(btoi(o != nil), btoi(other != nil))
	}
	return cmp.Or(
		strings.Compare(o.Kind, other.Kind), strings.Compare(o.Namespace, other.Namespace),
		strings.Compare(o.Name, other.Name), strings.Compare(o.APIVersion, other.APIVersion),
	)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func kindsOf(gk catalog.GroupKind) []Kind { return []Kind{{Group: gk.Group, Kind: gk.Kind}} }
