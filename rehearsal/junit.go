package rehearsal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/junit"
)

// JUnit is the result as a test report, one case a Kustomization. A case fails
// where the Kustomization is a reason not to pass, and names what it keeps back;
// what is only kept back is skipped, so that the failures are the causes. There
// is a failure exactly where Passes is false.
func (r *Result) JUnit(strict bool) ([]byte, error) {
	none := junit.Seconds(0) // the clock of a rehearsal is not that of the test
	suite := junit.Suite{Name: "rehearsal", Time: none}
	for _, k := range r.Kustomizations {
		c := r.junitCase(k, strict)
		c.Class, c.Name, c.Time = k.Namespace, k.Name, none
		suite.Cases = append(suite.Cases, c)
	}
	report := junit.Report{Name: "standup rehearse", Time: none, Suites: []junit.Suite{suite}}
	return report.Encode()
}

func (r *Result) junitCase(k Kustomization, strict bool) junit.Case {
	switch {
	case r.stops(k, strict):
		return junit.Case{Failure: &junit.Message{Type: k.word(), Message: r.headline(k), Text: r.explain(k)}}
	case k.BlockedBy != nil && r.stops(r.named(*k.BlockedBy), strict):
		return junit.Case{Skipped: &junit.Message{Message: "it is kept back by " + *k.BlockedBy}}
	case k.Verdict == Unknown, k.Verdict == Runtime:
		return junit.Case{Skipped: &junit.Message{Type: k.word(), Message: r.headline(k), Text: r.explain(k)}}
	}
	return junit.Case{Output: r.explain(k)}
}

func (r *Result) named(fullName string) Kustomization {
	for _, k := range r.Kustomizations {
		if k.fullName() == fullName {
			return k
		}
	}
	return Kustomization{}
}

func (k Kustomization) word() string { return strings.TrimSpace(fmt.Sprint(k.Verdict, " ", k.Class)) }

// headline is the worst that was found about a Kustomization.
func (r *Result) headline(k Kustomization) string {
	if own := r.findingsOf(k); len(own) > 0 {
		return own[0].Message
	}
	if k.BlockedBy != nil {
		return "it is kept back by " + *k.BlockedBy
	}
	// Of a circle, one member has the finding.
	at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Verdict == k.Verdict && f.Class == k.Class })
	if at < 0 {
		return k.word()
	}
	return cmp.Or(r.Findings[at].Message, k.word())
}

// explain is all that was found about a Kustomization, and what it keeps back.
func (r *Result) explain(k Kustomization) string {
	var b strings.Builder
	for _, f := range r.findingsOf(k) {
		fmt.Fprintf(&b, "%s %s%s\n  %s.\n  %s\n", f.Verdict, f.Class, f.place(), f.Message, f.Remedy)
	}
	if k.BlockedBy != nil {
		fmt.Fprintf(&b, "It is kept back by %s.\n", *k.BlockedBy)
	}
	if blocked := r.Blocked(k.fullName()); len(blocked) > 0 {
		fmt.Fprintf(&b, "Behind it: %s.\n", strings.Join(blocked, ", "))
	}
	return b.String()
}
