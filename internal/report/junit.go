package report

import (
	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/junit"
	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/internal/ui/wire"
)

// JUnit is the run as a test report: a suite for each tier, a case for each
// Kustomization and probe. What only waited for something else is skipped, so
// that the failures are the causes; so is what failed in an optional tier,
// because it does not fail the run.
func JUnit(s *event.State) ([]byte, error) {
	v := view.Of(s)
	doc := junit.Report{Name: title(v), Time: junit.Seconds(wire.Seconds(v.Elapsed(v.Finished)))}
	failed := false
	add := func(name string, parts ...[]view.Item) {
		suite := junitSuiteOf(v, name, parts...)
		for _, c := range suite.Cases {
			failed = failed || c.Failure != nil
		}
		doc.Suites = append(doc.Suites, suite)
	}
	if len(v.Others) > 0 {
		add("sources", v.Others)
	}
	for i := range v.Tiers {
		t := &v.Tiers[i]
		add(t.Name, t.Members, t.Probes)
	}
	if !failed && v.Err != nil {
		// The run ended for a reason that is no Kustomization's.
		doc.Suites = append(doc.Suites, junit.Suite{Name: "run", Time: doc.Time, Timestamp: wire.Time(v.Started), Cases: []junit.Case{
			{Class: "run", Name: "run", Time: doc.Time, Error: &junit.Message{Message: view.Line(v.Err.Error())}},
		}})
	}
	return doc.Encode()
}

func junitSuiteOf(v *view.View, name string, parts ...[]view.Item) junit.Suite {
	suite := junit.Suite{Name: name}
	total := 0.0
	for _, part := range parts {
		for i := range part {
			it := &part[i]
			total += wire.Seconds(it.Took())
			if suite.Timestamp == "" {
				suite.Timestamp = wire.Time(it.Started)
			}
			suite.Cases = append(suite.Cases, junitCaseOf(v, name, it))
		}
	}
	suite.Time = junit.Seconds(total)
	return suite
}

func junitCaseOf(v *view.View, class string, it *view.Item) junit.Case {
	c := junit.Case{Class: class, Name: it.Name, Time: junit.Seconds(wire.Seconds(it.Took()))}
	why := &junit.Message{Type: string(it.Seen.Cause.Kind), Message: v.Why(it), Text: view.Line(it.Seen.Cause.Remedy)}
	switch {
	case it.Status == view.Ready:
	case it.Status == view.Failed && it.BlockedBy == "" && !it.Optional:
		c.Failure = why
	case it.Status == view.Failed && it.BlockedBy == "":
		c.Skipped = &junit.Message{Message: "optional: " + why.Message}
	default:
		c.Skipped = &junit.Message{Message: or(why.Message, it.Status.String())}
	}
	return c
}
