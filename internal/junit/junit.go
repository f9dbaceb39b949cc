// Package junit is the XML of a test report, as CI systems read it. What is a
// test and what is a failure is for those to say who write one.
package junit

import (
	"encoding/xml"
	"fmt"
)

// Report is a whole file. Its counts are filled in by Encode.
type Report struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	counts
	Time   string  `xml:"time,attr"`
	Suites []Suite `xml:"testsuite"`
}

// Suite is a group of cases.
type Suite struct {
	Name string `xml:"name,attr"`
	counts
	Time      string `xml:"time,attr"`
	Timestamp string `xml:"timestamp,attr,omitempty"`
	Cases     []Case `xml:"testcase"`
}

type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Skipped  int `xml:"skipped,attr"`
	Errors   int `xml:"errors,attr"`
}

// Case is one test. It passed where it has no failure, no error, and was not
// skipped.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Failure *Message `xml:"failure"`
	Error   *Message `xml:"error"`
	Skipped *Message `xml:"skipped"`
	// Output is what a case that passed has to say.
	Output string `xml:"system-out,omitempty"`
}

// Message says why a case did not pass.
type Message struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// Seconds is a time as the format has it.
func Seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// Encode counts the cases and writes the file.
func (r *Report) Encode() ([]byte, error) {
	r.counts = counts{}
	for i := range r.Suites {
		s := &r.Suites[i]
		s.counts = counts{}
		for _, c := range s.Cases {
			s.add(counts{Tests: 1, Failures: one(c.Failure), Skipped: one(c.Skipped), Errors: one(c.Error)})
		}
		r.add(s.counts)
	}
	b, err := xml.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}

func (c *counts) add(o counts) {
	c.Tests, c.Failures = c.Tests+o.Tests, c.Failures+o.Failures
	c.Skipped, c.Errors = c.Skipped+o.Skipped, c.Errors+o.Errors
}

func one(m *Message) int {
	if m == nil {
		return 0
	}
	return 1
}
