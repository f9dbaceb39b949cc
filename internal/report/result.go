package report

import (
	"slices"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/internal/ui/wire"
	"github.com/standup-sh/standup/tiers"
)

// ResultSchema names the JSON of a result and its version.
const ResultSchema = "standup.result/v1"

// Outcomes of a run, as the result spells them. Why a run failed is finer
// grained in its exit code.
const (
	outcomeRunning   = "running"
	outcomeSucceeded = "succeeded"
	outcomeFailed    = "failed"
	outcomeCancelled = "cancelled"
	outcomeRefused   = "refused"
)

type result struct {
	Schema        string      `json:"schema"`
	Outcome       string      `json:"outcome"`
	ExitCode      int         `json:"exitCode"`
	Error         string      `json:"error,omitempty"`
	Cluster       string      `json:"cluster"`
	Run           string      `json:"run"`
	Started       string      `json:"started"`
	Finished      string      `json:"finished"`
	Seconds       float64     `json:"seconds"`
	Causes        []cause     `json:"causes"`
	Preflight     []check     `json:"preflight"`
	Sources       []source    `json:"sources"`
	Tiers         []tier      `json:"tiers"`
	PreApplied    []early     `json:"preApplied"`
	LeftSuspended []wire.Left `json:"leftSuspended"`
	Warnings      []warning   `json:"warnings"`
}

// cause is something that went wrong by itself, and what it holds up.
type cause struct {
	Object   string      `json:"object"`
	Optional bool        `json:"optional"`
	Seen     string      `json:"seen,omitempty"`
	Cause    *wire.Cause `json:"cause"`
	Error    string      `json:"error,omitempty"`
	Behind   []string    `json:"behind"`
}

// early is an object that was applied before its Kustomization could.
type early struct {
	Object     string `json:"object"`
	Why        string `json:"why"`
	HandedOver bool   `json:"handedOver"`
}

type check struct {
	Name    string `json:"name"`
	Passed  bool   `json:"passed"`
	Message string `json:"message"`
}

type source struct {
	Name     string `json:"name"`
	Revision string `json:"revision"`
	Error    string `json:"error,omitempty"`
}

type tier struct {
	Name           string          `json:"name"`
	Optional       bool            `json:"optional"`
	State          string          `json:"state"`
	Seconds        float64         `json:"seconds"`
	Kustomizations []kustomization `json:"kustomizations"`
	Probes         []probe         `json:"probes"`
}

type kustomization struct {
	Namespace string      `json:"namespace"`
	Name      string      `json:"name"`
	State     string      `json:"state"`
	Revision  string      `json:"revision"`
	Started   string      `json:"started,omitempty"`
	Seconds   float64     `json:"seconds"`
	Nudges    int         `json:"nudges"`
	Resets    int         `json:"resets"`
	Resumed   bool        `json:"resumed"`
	Seen      string      `json:"seen,omitempty"`
	Cause     *wire.Cause `json:"cause"`
	BlockedBy *string     `json:"blockedBy"`
	Error     string      `json:"error,omitempty"`
}

type probe struct {
	Name    string      `json:"name"`
	State   string      `json:"state"`
	Seconds float64     `json:"seconds"`
	Seen    string      `json:"seen,omitempty"`
	Cause   *wire.Cause `json:"cause"`
	Error   string      `json:"error,omitempty"`
}

type warning struct {
	Object  string `json:"object,omitempty"`
	Message string `json:"message"`
}

// JSON is the result of a run for programs: docs/reference/result.md describes
// it.
func JSON(s *event.State, exitCode int) ([]byte, error) {
	return wire.Marshal(resultOf(view.Of(s), s, exitCode), "  ")
}

func resultOf(v *view.View, s *event.State, exitCode int) result {
	r := result{
		Schema: ResultSchema, Outcome: outcomeOf(v, s), ExitCode: exitCode, Error: wire.Text(v.Err),
		Cluster: v.Cluster, Run: v.Run,
		Started: wire.Time(v.Started), Finished: wire.Time(v.Finished), Seconds: wire.Seconds(v.Elapsed(v.Finished)),
		Causes: causesOf(v), Preflight: checksOf(v), Sources: sourcesOf(v), Tiers: []tier{},
		PreApplied: earlyOf(v), LeftSuspended: wire.LeftOf(v.Left), Warnings: []warning{},
	}
	for i := range r.LeftSuspended {
		r.LeftSuspended[i].Behind = []string{}
		for _, ref := range v.BehindLeft(v.Left[i]) {
			r.LeftSuspended[i].Behind = append(r.LeftSuspended[i].Behind, ref.NamespacedName())
		}
	}
	for i := range v.Tiers {
		r.Tiers = append(r.Tiers, tierOf(v, &v.Tiers[i]))
	}
	for _, w := range v.Warnings {
		r.Warnings = append(r.Warnings, warning{Object: wire.Object(w.Object), Message: view.Line(w.Message)})
	}
	return r
}

func outcomeOf(v *view.View, s *event.State) string {
	switch {
	case !v.Done:
		return outcomeRunning
	case v.Err == nil:
		return outcomeSucceeded
	case !v.Planned:
		return outcomeRefused
	case len(v.Troubles()) == 0 && s.Count(event.Cancelled) > 0:
		return outcomeCancelled
	}
	return outcomeFailed
}

func causesOf(v *view.View) []cause {
	out := []cause{}
	for _, t := range v.Troubles() {
		it := &t.Item
		c := cause{
			Object: wire.Object(it.Object), Optional: it.Optional, Seen: view.Sight(it.Seen),
			Cause: wire.CauseOf(it.Seen), Error: failure(it), Behind: []string{},
		}
		if c.Object == "" {
			c.Object = it.Tier + ": " + it.Name // a probe
		}
		for i := range t.Behind {
			c.Behind = append(c.Behind, t.Behind[i].Object.NamespacedName())
		}
		out = append(out, c)
	}
	return out
}

func earlyOf(v *view.View) []early {
	out := []early{}
	for _, e := range v.Early() {
		out = append(out, early{Object: wire.Object(e.Object), Why: e.Why, HandedOver: e.HandedOver})
	}
	return out
}

func checksOf(v *view.View) []check {
	out := make([]check, 0, len(v.Preflight))
	for _, p := range v.Preflight {
		c := check{Name: p.Name, Passed: p.Err == nil, Message: p.Detail}
		if p.Err != nil {
			c.Message = p.Err.Error()
		}
		out = append(out, c)
	}
	return out
}

// sourcesOf lists the sources that the run knows of: those it drove, and those
// that moved.
func sourcesOf(v *view.View) []source {
	at, failed := map[tiers.Ref]string{}, map[tiers.Ref]string{}
	for it := range v.Items {
		if it.IsSource() {
			at[it.Object], failed[it.Object] = it.Seen.Revision, failure(it)
		}
	}
	for _, m := range v.Moves {
		at[m.Source] = m.To
	}
	refs := make([]tiers.Ref, 0, len(at))
	for ref := range at {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, tiers.Ref.Compare)
	out := make([]source, 0, len(refs))
	for _, ref := range refs {
		out = append(out, source{Name: ref.String(), Revision: at[ref], Error: failed[ref]})
	}
	return out
}

func tierOf(v *view.View, t *view.Tier) tier {
	out := tier{
		Name: t.Name, Optional: t.Optional, State: t.Status.String(), Seconds: wire.Seconds(t.Elapsed(v.Finished)),
		Kustomizations: []kustomization{}, Probes: []probe{},
	}
	for i := range t.Members {
		out.Kustomizations = append(out.Kustomizations, kustomizationOf(v, &t.Members[i]))
	}
	for i := range t.Probes {
		it := &t.Probes[i]
		p := probe{Name: it.Name[len("probe "):], State: it.Status.String(), Seconds: wire.Seconds(it.Took()), Error: failure(it)}
		if it.Status != view.Ready {
			p.Seen, p.Cause = seen(it), wire.CauseOf(it.Seen)
		}
		out.Probes = append(out.Probes, p)
	}
	return out
}

func kustomizationOf(v *view.View, it *view.Item) kustomization {
	k := kustomization{
		Namespace: it.Object.Namespace, Name: it.Object.Name, State: it.Status.String(), Revision: it.Seen.Revision,
		Started: wire.Time(it.Started), Seconds: wire.Seconds(it.Took()), Nudges: it.Nudges, Resets: it.Resets, Resumed: it.Resumed,
		Error: failure(it),
	}
	if root, ok := v.BlockedBy(it); ok {
		k.BlockedBy = &root
	}
	// The cause of what is only blocked is at its root.
	if it.Status != view.Ready {
		k.Seen = seen(it)
		if k.BlockedBy == nil {
			k.Cause = wire.CauseOf(it.Seen)
		}
	}
	return k
}

// seen is the state that was last observed; empty where nothing was.
func seen(it *view.Item) string {
	if it.Seen == (view.Item{}).Seen {
		return ""
	}
	return it.Seen.State.String()
}

// failure is why it was given up; what was cancelled has no reason of its own.
func failure(it *view.Item) string {
	if it.Status != view.Failed {
		return ""
	}
	return wire.Text(it.Err)
}
