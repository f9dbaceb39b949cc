package report

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/waiters"
)

func TestPagesWhole(t *testing.T) {
	for _, name := range []string{"wedged", "partial", "success"} {
		s := runs()[name].State()
		uitest.Golden(t, "page-"+name+".md", Markdown(s))
		junit, err := JUnit(s)
		if err != nil {
			t.Fatal(err)
		}
		uitest.Golden(t, "page-"+name+".xml", string(junit))
		page, err := HTML(s)
		if err != nil {
			t.Fatal(err)
		}
		uitest.Golden(t, "page-"+name+".html", string(page))
	}
}

// Every run makes a page, also one that never had a plan or an end.
func TestPagesOfEveryRun(t *testing.T) {
	for name, s := range runs() {
		st := s.State()
		if got := Markdown(st); !strings.HasPrefix(got, "# standup") {
			t.Errorf("%s: %s", name, got)
		}
		junit, err := JUnit(st)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wellFormed(t, name, string(junit))
		page, err := HTML(st)
		if err != nil || !strings.HasSuffix(string(page), "</html>\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func wellFormed(t *testing.T, name, doc string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, doc)
		}
	}
}

// A message is data, whatever it looks like.
func TestPagesEscapeMessages(t *testing.T) {
	s := uitest.NewScript("<i>").Plan(uitest.Chain(1))
	id := uitest.ReadyID("t1")
	s.Start(id).See(id, waiters.Observation{
		State: waiters.Stalled, Message: "<script>alert(1)</script> | ``` \"]]>",
	}).Fail(id, nil).Finish(errors.New("failed"))
	page, err := HTML(s.State())
	if err != nil || strings.Contains(string(page), "<script>") || strings.Contains(string(page), "<i>") {
		t.Errorf("%v\n%s", err, page)
	}
	junit, err := JUnit(s.State())
	if err != nil || strings.Contains(string(junit), "<script>") {
		t.Errorf("%v\n%s", err, junit)
	}
	wellFormed(t, "escaped", string(junit))
	if md := Markdown(s.State()); strings.Count(md, "```") != 2 || !strings.Contains(md, `&lt;/script> \|`) {
		t.Errorf("got\n%s", md)
	}
}

// In a CI job only causes are red: the run is green when only optional tiers
// failed, and a run that failed for a reason of its own is not green.
func TestJUnitIsRedOnlyForCauses(t *testing.T) {
	for name, want := range map[string][2]string{
		"success": {`failures="0"`, `errors="0"`}, "wedged": {`failures="1"`, `errors="0"`},
		"partial": {`failures="1"`, `errors="0"`}, "optional": {`failures="0"`, `errors="0"`},
		"interrupted": {`failures="0"`, `errors="1"`}, "refused": {`failures="0"`, `errors="1"`},
	} {
		junit, err := JUnit(runs()[name].State())
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(junit), "<testsuite ")
		if !strings.Contains(head, want[0]) || !strings.Contains(head, want[1]) {
			t.Errorf("%s: %s", name, head)
		}
	}
}

// Bars lie within the timeline.
func TestHTMLBars(t *testing.T) {
	for name, s := range runs() {
		page, err := HTML(s.State())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`left:([-0-9.]+)%;width:([-0-9.]+)%`).FindAllStringSubmatch(string(page), -1) {
			left, _ := strconv.ParseFloat(m[1], 64)
			width, _ := strconv.ParseFloat(m[2], 64)
			if left < 0 || width <= 0 || left+width > 100.6 {
				t.Errorf("%s: a bar from %g, %g wide", name, left, width)
			}
		}
		if strings.Contains(string(page), "ZgotmplZ") {
			t.Errorf("%s: the template refused a value", name)
		}
	}
}
