package rehearsal

import "slices"

// Passes reports whether the tree is as wanted: it converges; and where strict
// is wanted, nothing is in doubt, is retried, or has to come from outside.
func (r *Result) Passes(strict bool) bool {
	if strict && r.Has(Retry, Race, Precondition) {
		return false
	}
	return r.Converges == ResultYes || !strict && r.Converges == ResultNotKnown
}

// stops reports whether a Kustomization is a reason not to pass. One that is
// only kept back is none: its cause is.
func (r *Result) stops(k Kustomization, strict bool) bool {
	if k.BlockedBy != nil {
		return false
	}
	return slices.ContainsFunc(append(r.verdictsOf(k), k.Verdict), func(v Verdict) bool {
		switch v {
		case Deadlock, Stall:
			return true
		case Precondition:
			return strict || r.unmet(k)
		case Retry, Race, Unknown, Runtime:
			return strict
		case OK, Hazard:
		}
		return false
	})
}

// unmet reports whether a Kustomization stands still because the baseline says
// that what it needs is absent.
func (r *Result) unmet(k Kustomization) bool {
	one := Result{Kustomizations: []Kustomization{k}}
	return one.failsPrecondition()
}

// findingsOf lists the findings on a Kustomization, the worst first.
func (r *Result) findingsOf(k Kustomization) []Finding {
	var own []Finding
	for _, f := range r.Findings {
		if f.Kustomization == k.fullName() {
			own = append(own, f)
		}
	}
	return own
}

func (r *Result) verdictsOf(k Kustomization) []Verdict {
	var verdicts []Verdict
	for _, f := range r.findingsOf(k) {
		verdicts = append(verdicts, f.Verdict)
	}
	return verdicts
}

func (k Kustomization) fullName() string { return k.Namespace + "/" + k.Name }
