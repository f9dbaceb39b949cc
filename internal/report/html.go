package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/internal/ui/wire"
)

//go:embed report.html.tmpl
var page string

type htmlPage struct {
	Title, Run, Outcome, Started, Took, Summary string
	Ticks                                       []htmlTick
	Rows                                        []htmlRow
}

type htmlTick struct{ Left, Label string }

// htmlRow is a tier, or one of its items.
type htmlRow struct {
	Tier                       bool
	Name, State, Why, Took     string
	Left, Width                string // of the bar, in percent; empty for none
	Nudges, Revision, BarTitle string
}

// HTML is the run as one self-contained page without scripts: the summary, and
// a timeline with a bar for each Kustomization.
func HTML(s *event.State) ([]byte, error) {
	t, err := template.New("report").Parse(page)
	if err != nil {
		return nil, fmt.Errorf("parse the report's template: %w", err)
	}
	v := view.Of(s)
	p := htmlPage{
		Title: title(v), Run: v.Run, Outcome: outcomeOf(v, s), Started: wire.Time(v.Started),
		Took: view.Duration(v.Elapsed(v.Finished)), Summary: Summary(s, SummaryOptions{}),
	}
	scale := scaleOf(v)
	p.Ticks = scale.ticks()
	for i := range v.Others {
		p.Rows = append(p.Rows, scale.item(v, &v.Others[i]))
	}
	for i := range v.Tiers {
		t := &v.Tiers[i]
		p.Rows = append(p.Rows, scale.tier(v, t))
		for _, part := range [][]view.Item{t.Members, t.Probes} {
			for n := range part {
				p.Rows = append(p.Rows, scale.item(v, &part[n]))
			}
		}
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return b.Bytes(), nil
}

// timescale maps the run's time to percent of the timeline's width.
type timescale struct {
	from time.Time
	span time.Duration
}

func scaleOf(v *view.View) timescale {
	end := v.Finished
	for it := range v.Items {
		if it.Finished.After(end) {
			end = it.Finished
		}
	}
	return timescale{from: v.Started, span: max(end.Sub(v.Started), time.Millisecond)}
}

func (s timescale) percent(d time.Duration) string {
	return fmt.Sprintf("%.2f", 100*float64(d)/float64(s.span))
}

// ticks are four or five round moments.
func (s timescale) ticks() []htmlTick {
	step := time.Second
	for _, next := range []time.Duration{2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400} {
		if s.span/step <= 5 {
			break
		}
		step = next * time.Second
	}
	var out []htmlTick
	for at := time.Duration(0); at <= s.span && len(out) < 100; at += step {
		out = append(out, htmlTick{Left: s.percent(at), Label: view.Duration(at)})
	}
	return out
}

// bar is where a bar begins and how wide it is. Nothing is narrower than half a
// percent: it was there, so it is seen.
func (s timescale) bar(from, to time.Time) (left, width string) {
	if from.IsZero() {
		return "", ""
	}
	if to.IsZero() {
		to = s.from.Add(s.span)
	}
	return s.percent(from.Sub(s.from)), s.percent(max(to.Sub(from), s.span/200))
}

func (s timescale) tier(v *view.View, t *view.Tier) htmlRow {
	r := htmlRow{Tier: true, Name: t.Name, State: t.Status.String()}
	if t.Optional {
		r.Name += " (optional)"
	}
	if d := t.Elapsed(v.Finished); d > 0 {
		r.Took = view.Duration(d)
	}
	return r
}

func (s timescale) item(v *view.View, it *view.Item) htmlRow {
	r := htmlRow{Name: it.Name, State: it.Status.String(), Why: v.Why(it), Revision: view.Revision(it.Seen.Revision)}
	r.Left, r.Width = s.bar(it.Started, it.Finished)
	if d := it.Took(); d > 0 {
		r.Took = view.Duration(d)
	}
	if it.Nudges > 0 {
		r.Nudges = view.Count(it.Nudges, "nudge")
	}
	if r.Left != "" {
		about := []string{it.Name, r.State}
		for _, s := range []string{r.Took, r.Nudges} {
			if s != "" {
				about = append(about, s)
			}
		}
		r.BarTitle = strings.Join(about, ", ")
	}
	return r
}
