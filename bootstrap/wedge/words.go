package wedge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/standup-sh/standup/tiers"
)

// Summary is one sentence: what is missing, what would bring it, and why that
// does not come.
func (d *Diagnosis) Summary() string {
	var parts []string
	for i := range d.Missing {
		parts = append(parts, d.Missing[i].String())
	}
	for i := range d.Namespaces {
		parts = append(parts, d.Namespaces[i].String())
	}
	for _, u := range d.Unmet {
		parts = append(parts, u.What)
	}
	if d.Stale.Kind != "" {
		parts = append(parts, fmt.Sprintf("the API server serves %s; what kustomize-controller remembers is out of date", d.Stale.GroupKind()))
	}
	if len(parts) == 0 {
		return "nothing that it uses is missing"
	}
	return strings.Join(parts, "; ")
}

// String is one clause.
func (m Missing) String() string {
	what := m.GroupKind().String()
	if m.Object.File != "" {
		what += " (" + m.Object.position() + ")"
	}
	switch m.Shape {
	case SameSet:
		return fmt.Sprintf("%s comes with %s, which is in the same set and kept from being applied by it", what, m.by())
	case Ancestor:
		return fmt.Sprintf("%s comes with %s, beneath %s of the same set, which is kept from being created by it", what, m.by(), m.Owner)
	case GateOrder:
		return fmt.Sprintf("%s comes with %s, in %s, which waits for this one", what, m.by(), m.Owner)
	case Coming:
		return fmt.Sprintf("%s comes with %s, in %s, which does not wait for this one", what, m.by(), m.Owner)
	case NoCreator:
	}
	return fmt.Sprintf("%s: nothing brings it", what)
}

func (m Missing) by() string {
	if m.How == ByElimination {
		return m.Provider.Ref().String() + " (by elimination)"
	}
	return m.Provider.Ref().String()
}

func (l Located) position() string {
	if l.Line > 0 {
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return l.File
}

// String says what the failed attempts have left behind, so that nobody takes
// it for progress.
func (r Residue) String() string {
	if len(r.Applied) == 0 {
		return fmt.Sprintf("nothing of the set was applied: %s withheld", objects(r.Withheld, "is", "are"))
	}
	var kinds []string
	for _, c := range r.Applied {
		kinds = append(kinds, fmt.Sprintf("%d %s", c.N, c.Kind))
	}
	return fmt.Sprintf("of the set only earlier stages were applied (%s), and %s not", strings.Join(kinds, ", "), objects(r.Withheld, "was", "were"))
}

func objects(n int, one, many string) string {
	if n == 1 {
		return "1 object " + one
	}
	return fmt.Sprintf("%d objects %s", n, many)
}

// Error is what stands and that standup cannot break.
type Error struct {
	Diagnoses []*Diagnosis
	Denials   []*Denial
	// Others are wedged as well, and could be broken.
	Others []tiers.Ref
}

// Error names every kind that is missing, of every Kustomization.
func (e *Error) Error() string {
	var lines []string
	for _, d := range e.Diagnoses {
		lines = append(lines, d.Explain())
	}
	for _, d := range e.Denials {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

// Remedies lists what a person can do, one sentence each, without repetition.
func (e *Error) Remedies() []string {
	var out []string
	add := func(s string) {
		if s == "" {
			return
		}
		for _, had := range out {
			if had == s {
				return
			}
		}
		out = append(out, s)
	}
	for _, d := range e.Diagnoses {
		for _, u := range d.Unmet {
			add(u.Remedy)
		}
		for i := range d.Missing {
			if m := &d.Missing[i]; m.Hint != "" {
				add(fmt.Sprintf("%s: %s", m.GroupKind(), m.Hint))
			}
		}
		for i := range d.Namespaces {
			add(d.Namespaces[i].Hint)
		}
	}
	for _, d := range e.Denials {
		add(d.Remedy())
	}
	for _, ref := range e.Others {
		add(fmt.Sprintf("%s is wedged too and can be helped: standup crds --kustomization %s", ref, ref.NamespacedName()))
	}
	return out
}

// OnlyUnmet reports whether all that stands in the way is something that has to
// be made first: then it is a precondition, and no verdict on the tree.
func (e *Error) OnlyUnmet() bool {
	for _, d := range e.Diagnoses {
		if slices.Contains(d.shapes(), NoCreator) {
			return false
		}
		if len(d.Unmet) == 0 && !d.Repairable() {
			return false
		}
	}
	return len(e.Denials) == 0
}

// Explain is Summary with what the failed attempts have left and what waits.
func (d *Diagnosis) Explain() string {
	text := fmt.Sprintf("%s is wedged: %s", d.Kustomization, d.Summary())
	if d.Residue.Withheld > 0 {
		text += "; " + d.Residue.String()
	}
	if n := len(d.Behind); n > 0 {
		text += fmt.Sprintf("; %d behind it", n)
	}
	return text
}
