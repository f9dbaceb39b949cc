package report

import (
	"encoding/xml"
	"fmt"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/internal/ui/wire"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Errors    int         `xml:"errors,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit is the run as a test report: a suite for each tier, a case for each
// Kustomization and probe. What only waited for something else is skipped, so
// that the failures are the causes; so is what failed in an optional tier,
// because it does not fail the run.
func JUnit(s *event.State) ([]byte, error) {
	v := view.Of(s)
	doc := junitSuites{Name: title(v), Time: seconds(wire.Seconds(v.Elapsed(v.Finished)))}
	if len(v.Others) > 0 {
		doc.add(v, "sources", v.Others, nil)
	}
	for i := range v.Tiers {
		t := &v.Tiers[i]
		doc.add(v, t.Name, t.Members, t.Probes)
	}
	if doc.Failures == 0 && v.Err != nil {
		// The run ended for a reason that is no Kustomization's.
		suite := junitSuite{Name: "run", Tests: 1, Errors: 1, Time: doc.Time, Timestamp: wire.Time(v.Started)}
		suite.Cases = []junitCase{{Class: "run", Name: "run", Time: doc.Time, Error: &junitMessage{Message: view.Line(v.Err.Error())}}}
		doc.Suites = append(doc.Suites, suite)
		doc.Tests, doc.Errors = doc.Tests+1, 1
	}
	b, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}

func (d *junitSuites) add(v *view.View, name string, parts ...[]view.Item) {
	suite := junitSuite{Name: name}
	total := 0.0
	for _, part := range parts {
		for i := range part {
			it := &part[i]
			c := junitCaseOf(v, name, it)
			total += wire.Seconds(it.Took())
			if c.Failure != nil {
				suite.Failures++
			}
			if c.Skipped != nil {
				suite.Skipped++
			}
			if suite.Timestamp == "" {
				suite.Timestamp = wire.Time(it.Started)
			}
			suite.Cases = append(suite.Cases, c)
		}
	}
	suite.Tests, suite.Time = len(suite.Cases), seconds(total)
	d.Tests, d.Failures, d.Skipped = d.Tests+suite.Tests, d.Failures+suite.Failures, d.Skipped+suite.Skipped
	d.Suites = append(d.Suites, suite)
}

func junitCaseOf(v *view.View, class string, it *view.Item) junitCase {
	c := junitCase{Class: class, Name: it.Name, Time: seconds(wire.Seconds(it.Took()))}
	why := &junitMessage{Type: string(it.Seen.Cause.Kind), Message: v.Why(it), Text: view.Line(it.Seen.Cause.Remedy)}
	switch {
	case it.Status == view.Ready:
	case it.Status == view.Failed && it.BlockedBy == "" && !it.Optional:
		c.Failure = why
	case it.Status == view.Failed && it.BlockedBy == "":
		c.Skipped = &junitMessage{Message: "optional: " + why.Message}
	default:
		c.Skipped = &junitMessage{Message: or(why.Message, it.Status.String())}
	}
	return c
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
