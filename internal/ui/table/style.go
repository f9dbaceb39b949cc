package table

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/standup-sh/standup/internal/ui/view"
)

// Style says what the terminal can show.
type Style struct {
	Color   bool
	Unicode bool
}

// NewStyle decides from --color (auto, always, never), whether the stream is a
// terminal, and the environment: NO_COLOR (no-color.org: any non-empty value)
// and TERM=dumb turn "auto" off, and a locale that is not UTF-8 gets ASCII.
func NewStyle(color string, tty bool, getenv func(string) string) Style {
	s := Style{Unicode: utf8Locale(getenv)}
	switch color {
	case "always":
		s.Color = true
	case "never":
	default:
		s.Color = tty && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	}
	return s
}

// utf8Locale follows setlocale: the first of these that is set decides.
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return false
}

// mark is the sign in front of a row.
func (s Style) mark(st view.Status) string {
	signs := [...][2]string{
		view.Pending:   {"·", "."},
		view.Running:   {"●", "*"},
		view.Ready:     {"✔", "+"},
		view.Failed:    {"✖", "x"},
		view.Skipped:   {"○", "-"},
		view.Cancelled: {"○", "-"},
		view.Suspended: {"‖", "="},
	}
	if s.Unicode {
		return signs[st][0]
	}
	return signs[st][1]
}

func (s Style) ellipsis() string {
	if s.Unicode {
		return "…"
	}
	return "..."
}

// paint colours text by what it says. Only the sixteen colours that every
// theme defines are used, and never colour alone: the mark and the word say
// the same.
func (s Style) paint(st view.Status, text string) string {
	if !s.Color || text == "" {
		return text
	}
	base := lipgloss.NewStyle()
	switch st {
	case view.Running:
		return base.Foreground(lipgloss.Cyan).Render(text)
	case view.Ready:
		return base.Foreground(lipgloss.Green).Render(text)
	case view.Failed:
		return base.Foreground(lipgloss.Red).Render(text)
	case view.Suspended:
		return base.Foreground(lipgloss.Yellow).Render(text)
	case view.Pending, view.Skipped, view.Cancelled:
		return base.Faint(true).Render(text)
	}
	return text
}

func (s Style) bold(text string) string {
	if !s.Color || text == "" {
		return text
	}
	return lipgloss.NewStyle().Bold(true).Render(text)
}

func (s Style) faint(text string) string { return s.paint(view.Pending, text) }

func (s Style) warn(text string) string { return s.paint(view.Suspended, text) }

// clip shortens text to width cells. Text is plain: it is painted afterwards.
func (s Style) clip(text string, width int) string {
	if !s.Unicode {
		text = ascii(text)
	}
	if width <= 0 {
		return ""
	}
	if lipgloss.Width(text) <= width {
		return text
	}
	dots := s.ellipsis()
	if width <= len(dots) && !s.Unicode {
		return dots[:width]
	}
	keep := width - lipgloss.Width(dots)
	if keep <= 0 {
		return dots
	}
	return strings.TrimRight(lipgloss.NewStyle().MaxWidth(keep).Render(text), " ") + dots
}

// pad fills text up to width cells.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}

// padLeft fills text up to width cells, on its left.
func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(0, width-lipgloss.Width(text))) + text
}

func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case r == '…':
			return '.'
		case r == '“', r == '”':
			return '"'
		case r == '‘', r == '’':
			return '\''
		}
		return '?'
	}, s)
}
