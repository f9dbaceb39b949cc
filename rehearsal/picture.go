package rehearsal

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"time"
)

//go:embed picture.svg.tmpl
var pictureTemplate string

// pictureRow is one Kustomization in the picture: of Flux alone above, of Flux
// with standup below.
type pictureRow struct {
	Name             string
	Y                int
	Critical, Never  bool
	Flux, Standup    pictureBar
	FluxAt, StandsAt string
}

// pictureBar is a bar in units of the picture: waiting, then working.
type pictureBar struct{ Wait, WaitWidth, Work, WorkWidth int }

type pictureTick struct {
	X    int
	Text string
}

const (
	pictureNames = 260 // for the names
	pictureWidth = 900 // for the time
	pictureRows  = 26  // for each row
)

// SVG draws the timeline. The same result gives the same bytes.
func (r *Result) SVG(w io.Writer) error {
	t, err := template.New("picture").Parse(pictureTemplate)
	if err != nil {
		return err
	}
	end := max(r.Timeline.Flux.End(), r.Timeline.Standup.End(), time.Second)
	scale := func(d time.Duration) int { return int(int64(d) * pictureWidth / int64(end)) }
	bar := func(b Bar) pictureBar {
		if b.Ready == 0 {
			return pictureBar{Wait: scale(b.Created), WaitWidth: pictureWidth - scale(b.Created)}
		}
		began := max(b.Created, b.Began)
		return pictureBar{Wait: scale(b.Created), WaitWidth: scale(began) - scale(b.Created), Work: scale(began), WorkWidth: max(scale(b.Ready)-scale(began), 2)}
	}
	var rows []pictureRow
	for i, b := range r.Timeline.Flux.Bars {
		row := pictureRow{
			Name: b.Kustomization, Y: 60 + i*pictureRows, Flux: bar(b), Never: b.Ready == 0, FluxAt: clockWord(b.Ready),
			Critical: slices.Contains(r.Timeline.Flux.Critical, b.Kustomization),
		}
		for _, s := range r.Timeline.Standup.Bars {
			if s.Kustomization == b.Kustomization {
				row.Standup, row.StandsAt = bar(s), clockWord(s.Ready)
			}
		}
		rows = append(rows, row)
	}
	var ticks []pictureTick
	for step := tickOf(end); step*time.Duration(len(ticks)) <= end; {
		at := step * time.Duration(len(ticks))
		ticks = append(ticks, pictureTick{pictureNames + scale(at), at.String()})
	}
	return t.Execute(w, map[string]any{
		"Rows": rows, "Ticks": ticks, "Width": pictureNames + pictureWidth + 40, "Height": 80 + len(rows)*pictureRows, "Names": pictureNames,
		"Flux": r.Timeline.Flux.String(), "Standup": r.Timeline.Standup.String(), "Bottom": 66 + len(rows)*pictureRows,
	})
}

func clockWord(d time.Duration) string {
	if d == 0 {
		return "never"
	}
	return d.String()
}

// tickOf is a round distance of at most ten marks.
func tickOf(end time.Duration) time.Duration {
	for _, step := range []time.Duration{
		time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	} {
		if end/step <= 10 {
			return step
		}
	}
	return max(time.Hour, (end / 10).Round(time.Hour))
}

// HTML is a page with the picture and the text.
func (r *Result) HTML(w io.Writer) error {
	page, err := template.New("page").Parse(`<!doctype html>
<meta charset="utf-8">
<title>standup rehearse: converges {{.Converges}}</title>
<style>body{font:14px system-ui,sans-serif;margin:2em;max-width:80em}pre{white-space:pre-wrap}</style>
<h1>Converges: {{.Converges}}</h1>
`)
	if err != nil {
		return err
	}
	if err := page.Execute(w, r); err != nil {
		return err
	}
	if err := r.SVG(w); err != nil {
		return err
	}
	text, err := template.New("text").Parse("\n<pre>{{.}}</pre>\n")
	if err != nil {
		return err
	}
	return text.Execute(w, r.Text())
}
