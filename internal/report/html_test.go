package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/internal/ui/view"
)

func TestTicksAreFewAndRound(t *testing.T) {
	labels := func(d time.Duration) []string {
		var out []string
		for _, tick := range (timescale{span: d}).ticks() {
			out = append(out, tick.Label)
		}
		return out
	}
	for _, c := range []struct {
		span time.Duration
		want []string
	}{
		{time.Millisecond, []string{"0s"}},
		{3 * time.Second, []string{"0s", "1s", "2s", "3s"}},
		{23 * time.Second, []string{"0s", "5s", "10s", "15s", "20s"}},
		{10 * time.Minute, []string{"0s", "2m", "4m", "6m", "8m", "10m"}},
		{time.Hour, []string{"0s", "10m", "20m", "30m", "40m", "50m", "1h0m"}[:0]},
	} {
		got := labels(c.span)
		if len(c.want) > 0 && cmp.Diff(c.want, got) != "" {
			t.Errorf("%s: got %v, want %v", c.span, got, c.want)
		}
		if len(got) > 7 {
			t.Errorf("%s: %d ticks: %v", c.span, len(got), got)
		}
	}
	for d := time.Second; d < 40*24*time.Hour; d = d*3/2 + time.Second {
		if n := len(labels(d)); n > 100 {
			t.Errorf("%s: %d ticks", d, n)
		}
	}
}

func TestBar(t *testing.T) {
	from := uitest.Start()
	at := func(s int) time.Time { return from.Add(time.Duration(s) * time.Second) }
	scale := timescale{from: from, span: 100 * time.Second}
	for _, c := range []struct {
		name        string
		start, end  time.Time
		left, width string
	}{
		{"never started", time.Time{}, time.Time{}, "", ""},
		{"from the start", at(0), at(25), "0.00", "25.00"},
		{"in the middle", at(50), at(60), "50.00", "10.00"},
		{"still running", at(80), time.Time{}, "80.00", "20.00"},
		{"a moment is seen all the same", at(10), at(10), "10.00", "0.50"},
	} {
		if left, width := scale.bar(c.start, c.end); left != c.left || width != c.width {
			t.Errorf("%s: %s, %s wide, want %s, %s", c.name, left, width, c.left, c.width)
		}
	}
}

func TestScaleCoversWhatIsThere(t *testing.T) {
	s := uitest.UnderWay() // no end: the last thing that finished is as far as it goes
	if got := scaleOf(view.Of(s.State())); got.from != uitest.Start() || got.span != 4*time.Second {
		t.Errorf("%+v", got)
	}
	if got := scaleOf(view.Of(uitest.NewScript("r").Plan(uitest.Chain(1)).State())); got.span <= 0 {
		t.Errorf("%+v", got)
	}
}

func TestHTMLStandsAlone(t *testing.T) {
	page, err := HTML(uitest.Success().State())
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "http://", "https://", "<link", "<img", "@import", "url("} {
		if strings.Contains(string(page), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{"<!DOCTYPE html>", "13 un-suspended", `class="bar Ready"`, "(1 nudge)", "apps (optional)"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestCellKeepsMarkupOut(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a|b": `a\|b`, "<b>": "&lt;b>", "`x`": "\\`x\\`", "*x* _y_ [z]": `\*x\* \_y\_ \[z]`, `back\slash`: `back\\slash`,
	} {
		if got := cell(in); got != want {
			t.Errorf("cell(%q) = %q, want %q", in, got, want)
		}
	}
}
