// Package table shows a run as a calm live table on a terminal: one row a tier,
// members only when they matter.
package table

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
)

const (
	minWidth  = 20 // below, a table is noise whatever we do
	minHeight = 3
	minWhy    = 12 // a narrower column says nothing
)

// Render draws s for a terminal of the given size: no line is wider than width
// and there are no more lines than height, each ended by a newline. It is pure:
// the same input gives the same bytes.
func Render(s *event.State, width, height int, now time.Time, style Style) string {
	width, height = max(width, minWidth), max(height, minHeight)
	v := view.Of(s)
	lines := []string{header(v, width, now, style)}
	notes := notes(v, width, style)
	if room := height - len(lines) - 1; len(notes) > room {
		notes = notes[:max(0, room)]
	}
	rows := fit(rowsOf(v, now), height-len(lines)-len(notes))
	lines = append(lines, draw(rows, width, height-len(lines)-len(notes), style)...)
	lines = append(lines, notes...)
	return strings.Join(lines, "\n") + "\n"
}

// header says which run this is and how far it has come.
func header(v *view.View, width int, now time.Time, style Style) string {
	if !v.Planned {
		return style.clip("standup: looking at the cluster", width)
	}
	title := "standup"
	if v.Cluster != "" {
		title += " " + v.Cluster
	}
	tail := fmt.Sprintf("%d of %s ready", v.ReadyTiers(), view.Count(len(v.Tiers), "tier"))
	parts := []string{tail, spell(v.Elapsed(now)), "run " + v.Run}
	if v.Run == "" {
		parts = parts[:2]
	}
	line := title
	for _, p := range parts {
		if p != "" && lipgloss.Width(line)+2+lipgloss.Width(p) <= width {
			line += "  " + p
		}
	}
	line = style.clip(line, width)
	if rest, ok := strings.CutPrefix(line, title); ok {
		return style.bold(title) + rest
	}
	return line
}

// notes are the lines under the table: the last move of a source, and the last
// warning with how many there were.
func notes(v *view.View, width int, style Style) []string {
	var out []string
	if n := len(v.Moves); n > 0 {
		out = append(out, style.faint(style.clip("  note: "+view.MoveText(v.Moves[n-1]), width)))
	}
	if n := len(v.Warnings); n > 0 {
		text := "  warning: "
		if n > 1 {
			text = fmt.Sprintf("  %d warnings, the last: ", n)
		}
		out = append(out, style.warn(style.clip(text+v.WarningText(v.Warnings[n-1]), width)))
	}
	return out
}

// columns are the widths of the table's columns, in cells.
type columns struct{ name, progress, state, why, elapsed int }

// draw lays the rows out in at most height lines. A failure whose reason does
// not fit into its row gets a line of its own while there is room, and so does
// whatever is in flight on a terminal too narrow for reasons.
func draw(rows []row, width, height int, style Style) []string {
	c := measure(rows, width)
	spare := height - len(rows)
	var lines []string
	for _, r := range rows {
		clipped := lipgloss.Width(r.why) > c.why
		apart := clipped && spare > 0 && !r.folded && (r.status == view.Failed || r.status == view.Running && c.why == 0)
		if apart {
			spare--
		}
		lines = append(lines, fitted(c.line(r, !apart, width, style), width))
		if apart {
			lines = append(lines, style.clip("   "+r.indent()+"  "+r.why, width))
		}
	}
	return lines
}

// fitted cuts what is still too wide on a terminal too narrow for a table.
func fitted(line string, width int) string {
	line = strings.TrimRight(line, " ")
	if lipgloss.Width(line) <= width {
		return line
	}
	return lipgloss.NewStyle().MaxWidth(width).Render(line)
}

// indent is where the row's name begins, after its mark.
func (r row) indent() string {
	if r.member {
		return "  "
	}
	return ""
}

// measure gives each column what it needs; what is left is for the reason. On
// a narrow terminal names give way first, then the reason goes.
func measure(rows []row, width int) columns {
	const marks = 3 // " ✔ "
	var c columns
	for _, r := range rows {
		if r.folded {
			continue
		}
		c.name = max(c.name, lipgloss.Width(r.indent()+r.name))
		c.progress = max(c.progress, lipgloss.Width(r.progress))
		c.state = max(c.state, lipgloss.Width(r.state))
		c.elapsed = max(c.elapsed, lipgloss.Width(r.elapsed), 6)
	}
	c.name = min(c.name, max(width/3, 10))
	taken := func() int { return marks + c.name + 2 + c.progress + 2 + c.state + 2 + c.elapsed }
	c.why = width - taken() - 2
	if c.why < minWhy {
		c.why = 0
	}
	if over := taken() - width; over > 0 {
		c.name = max(6, c.name-over)
	}
	if taken() > width {
		c.elapsed = 0
	}
	return c
}

func (c columns) line(r row, reason bool, width int, style Style) string {
	if r.folded {
		return style.faint(style.clip(" "+r.indent()+style.ellipsis()+" "+r.why, width))
	}
	name := c.name - len(r.indent())
	cells := []string{
		" " + r.indent() + style.paint(r.status, style.mark(r.status)) + " " + pad(style.clip(r.name, name), name),
	}
	if c.progress > 0 {
		cells = append(cells, padLeft(r.progress, c.progress))
	}
	cells = append(cells, pad(style.paint(r.status, style.clip(r.state, c.state)), c.state))
	if c.why > 0 {
		why := ""
		if reason {
			why = style.faintUnless(r.status, style.clip(r.why, c.why))
		}
		cells = append(cells, pad(why, c.why))
	}
	if c.elapsed > 0 {
		cells = append(cells, padLeft(r.elapsed, c.elapsed))
	}
	return strings.Join(cells, "  ")
}

// faintUnless keeps the reason of what is in flight or has failed readable, and
// lets the rest stand back.
func (s Style) faintUnless(st view.Status, text string) string {
	if st == view.Running || st == view.Failed {
		return text
	}
	return s.faint(text)
}
