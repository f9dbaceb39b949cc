package junit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncodeCountsAndQuotes(t *testing.T) {
	t.Parallel()
	r := &Report{Name: `a "run" & more`, Time: Seconds(1.5), Suites: []Suite{
		{Name: "one", Time: Seconds(0), Cases: []Case{
			{Class: "one", Name: "passed", Time: "0.000", Output: "it took\ntwo lines"},
			{Class: "one", Name: "failed", Time: "0.000", Failure: &Message{Type: "T", Message: "line\nbreak", Text: "]]> <&\x00\xff"}},
		}},
		{Name: "two", Time: "0.000", Timestamp: "2026-01-02T03:04:05Z", Cases: []Case{
			{Class: "two", Name: "skipped", Time: "0.000", Skipped: &Message{Message: "why"}},
			{Class: "two", Name: "broken", Time: "0.000", Error: &Message{Message: "how"}},
		}},
	}}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="a &#34;run&#34; &amp; more" tests="4" failures="1" skipped="1" errors="1" time="1.500">
  <testsuite name="one" tests="2" failures="1" skipped="0" errors="0" time="0.000">
    <testcase classname="one" name="passed" time="0.000">
      <system-out>it took&#xA;two lines</system-out>
    </testcase>
    <testcase classname="one" name="failed" time="0.000">
      <failure type="T" message="line&#xA;break">]]&gt; &lt;&amp;` + "\uFFFD\uFFFD" + `</failure>
    </testcase>
  </testsuite>
  <testsuite name="two" tests="2" failures="0" skipped="1" errors="1" time="0.000" timestamp="2026-01-02T03:04:05Z">
    <testcase classname="two" name="skipped" time="0.000">
      <skipped message="why"></skipped>
    </testcase>
    <testcase classname="two" name="broken" time="0.000">
      <error message="how"></error>
    </testcase>
  </testsuite>
</testsuites>
`
	for range 2 { // and counts again what was counted
		got, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("want -, got +\n%s", diff)
		}
	}
}
