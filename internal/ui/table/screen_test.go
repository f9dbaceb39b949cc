package table

import (
	"strconv"
	"strings"
	"testing"
)

// screen is as much of a terminal as the painter asks for: it understands
// newline, carriage return, cursor up and the two erasures, and it wraps long
// lines again when it is resized, as terminals do. It has no height: what
// scrolls out of sight is still there.
type screen struct {
	width int
	rows  []line
	x, y  int
}

type line struct {
	cells   []rune
	wrapped bool // goes on in the next row
}

func newScreen(width int) *screen { return &screen{width: width, rows: []line{{}}} }

func (s *screen) write(text string) {
	in := []rune(text)
	for i := 0; i < len(in); i++ {
		switch in[i] {
		case '\n':
			s.x, s.y = 0, s.y+1
			if s.y == len(s.rows) {
				s.rows = append(s.rows, line{})
			}
		case '\r':
			s.x = 0
		case 0x1b:
			i += s.escape(in[i:])
		default:
			s.put(in[i])
		}
	}
}

func (s *screen) put(r rune) {
	if s.x == s.width {
		s.rows[s.y].wrapped = true
		s.x, s.y = 0, s.y+1
		if s.y == len(s.rows) {
			s.rows = append(s.rows, line{})
		}
	}
	row := &s.rows[s.y]
	for len(row.cells) <= s.x {
		row.cells = append(row.cells, ' ')
	}
	row.cells[s.x] = r
	s.x++
}

// escape carries one sequence out and returns its length less one.
func (s *screen) escape(in []rune) int {
	end := 2
	for in[end] >= '0' && in[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(string(in[2:end]))
	switch in[end] {
	case 'A':
		s.y = max(0, s.y-n)
	case 'K':
		s.rows[s.y].cells = s.rows[s.y].cells[:min(s.x, len(s.rows[s.y].cells))]
		s.rows[s.y].wrapped = false
	case 'J':
		s.rows[s.y].cells = s.rows[s.y].cells[:min(s.x, len(s.rows[s.y].cells))]
		s.rows = s.rows[:s.y+1]
	default:
		panic("unknown escape sequence " + string(in[:end+1]))
	}
	return end
}

// resize wraps all lines again. The cursor stays in its line, at its begin.
func (s *screen) resize(width int) {
	var lines [][]rune
	cursor := 0
	for i := 0; i < len(s.rows); i++ {
		cells := s.rows[i].cells
		first := i
		for s.rows[i].wrapped && i+1 < len(s.rows) {
			i++
			cells = append(cells[:len(cells):len(cells)], s.rows[i].cells...)
		}
		if s.y >= first && s.y <= i {
			cursor = len(lines)
		}
		lines = append(lines, cells)
	}
	s.width, s.rows = width, nil
	for i, cells := range lines {
		if i == cursor {
			s.x, s.y = 0, len(s.rows)
		}
		for len(cells) > width {
			s.rows = append(s.rows, line{cells: cells[:width:width], wrapped: true})
			cells = cells[width:]
		}
		s.rows = append(s.rows, line{cells: cells})
	}
}

func (s *screen) text() string {
	var b strings.Builder
	for i, r := range s.rows {
		b.WriteString(strings.TrimRight(string(r.cells), " "))
		if i < len(s.rows)-1 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestPainterReplacesTheLastFrame(t *testing.T) {
	s := newScreen(20)
	s.write("$ command\n")
	var p painter
	s.write(p.paint("one\ntwo\nthree\n", "", 20))
	s.write(p.paint("1\n2\n", "", 20))
	if got, want := s.text(), "$ command\n1\n2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if s.x != 0 || s.y != 3 {
		t.Errorf("the cursor is at %d,%d, want the line below the frame", s.x, s.y)
	}
	s.write(p.paint("1\n2\n3\n4\n", "", 20))
	if got, want := s.text(), "$ command\n1\n2\n3\n4\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPainterSendsNothingForTheSameFrame(t *testing.T) {
	var p painter
	p.paint("one\n", "", 20)
	if got := p.paint("one\n", "", 20); got != "" {
		t.Errorf("got %q", got)
	}
	if got := p.paint("one\n", "log\n", 20); got == "" {
		t.Error("a log line was not sent")
	}
}

// Narrow, wide, narrower: the lines above the table stay, the old frames go.
func TestPainterSurvivesResizes(t *testing.T) {
	s := newScreen(30)
	s.write("$ command that is long enough\n")
	var p painter
	frame := func(width int) string {
		return strings.Repeat("a", width-1) + "\nb\n" + strings.Repeat("c", width-1) + "\n"
	}
	s.write(p.paint(frame(30), "", 30))
	for _, width := range []int{10, 60, 7, 25, 24, 3} {
		s.resize(width)
		s.write(p.paint(frame(width), "", width))
		want := newScreen(30)
		want.write("$ command that is long enough\n")
		want.resize(width)
		want.write(frame(width))
		if got := s.text(); got != want.text() {
			t.Fatalf("at width %d:\n%s\nwant\n%s", width, got, want.text())
		}
	}
}

func TestHeightCountsWrappedRows(t *testing.T) {
	for _, c := range []struct {
		frame string
		width int
		want  int
	}{
		{"", 10, 0},
		{"a\n", 10, 1},
		{"\n\n", 10, 2},
		{strings.Repeat("a", 10) + "\n", 10, 1},
		{strings.Repeat("a", 11) + "\n", 10, 2},
		{"\x1b[31m" + strings.Repeat("a", 10) + "\x1b[m\n", 10, 1},
		{strings.Repeat("長", 6) + "\n", 10, 2},
	} {
		if got := height(c.frame, c.width); got != c.want {
			t.Errorf("height(%q, %d) = %d, want %d", c.frame, c.width, got, c.want)
		}
	}
}
