package table

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
)

// painter turns frames into what a terminal has to be sent to replace one by
// the next. The cursor rests at the beginning of the line below the frame: a ^C
// is echoed there, and a killed run leaves the prompt there.
//
// (bubbletea was tried and left. It counts lines where a terminal that became
// narrower has wrapped them, so every resize left half a table behind.)
type painter struct {
	last   string // the frame on the screen
	second int64  // the second it was drawn for
}

const (
	eraseLine  = "\x1b[K" // from the cursor to the end of the line
	eraseBelow = "\x1b[J" // from the cursor to the end of the screen
)

// paint returns the bytes that put log above the frame and replace the last
// frame, on a terminal that is width cells wide by now. It is empty when there
// is nothing to change.
func (p *painter) paint(frame, log string, width int) string {
	if frame == p.last && log == "" {
		return ""
	}
	var b strings.Builder
	if rows := height(p.last, width); rows > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA", rows)
	}
	if log != "" && !strings.HasSuffix(log, "\n") {
		log += "\n"
	}
	for line := range strings.Lines(log + frame) {
		b.WriteString(strings.TrimSuffix(line, "\n") + eraseLine + "\n")
	}
	b.WriteString(eraseBelow)
	p.last = frame
	return b.String()
}

// height is how many rows the frame takes on a terminal that is width cells
// wide: terminals wrap the lines again when they become narrower. On the few
// that cut lines off instead, a row or two above the table is lost.
func height(frame string, width int) int {
	rows := 0
	for line := range strings.Lines(frame) {
		cells := lipgloss.Width(strings.TrimSuffix(line, "\n"))
		rows += max(1, (cells+width-1)/max(1, width))
	}
	return rows
}
