package table

import (
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/standup-sh/standup/internal/ui/view"
)

func TestNewStyle(t *testing.T) {
	utf8 := map[string]string{"LANG": "en_GB.UTF-8", "TERM": "xterm"}
	with := func(kv ...string) map[string]string {
		env := map[string]string{}
		for k, v := range utf8 {
			env[k] = v
		}
		for i := 0; i < len(kv); i += 2 {
			env[kv[i]] = kv[i+1]
		}
		return env
	}
	for _, c := range []struct {
		name  string
		color string
		tty   bool
		env   map[string]string
		want  Style
	}{
		{"auto on a terminal", "auto", true, utf8, Style{true, true}},
		{"auto in a pipe", "auto", false, utf8, Style{false, true}},
		{"NO_COLOR", "auto", true, with("NO_COLOR", "1"), Style{false, true}},
		{"an empty NO_COLOR does not count", "auto", true, with("NO_COLOR", ""), Style{true, true}},
		{"always beats NO_COLOR", "always", false, with("NO_COLOR", "1"), Style{true, true}},
		{"never", "never", true, utf8, Style{false, true}},
		{"dumb terminal", "auto", true, with("TERM", "dumb"), Style{false, true}},
		{"no locale", "auto", true, map[string]string{}, Style{true, false}},
		{"C locale", "auto", true, with("LC_ALL", "C"), Style{true, false}},
		{"LC_ALL beats LANG", "auto", true, with("LC_ALL", "de_DE.utf8", "LANG", "C"), Style{true, true}},
		{"Latin-1", "auto", true, with("LC_CTYPE", "de_DE.ISO-8859-1"), Style{true, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := NewStyle(c.color, c.tty, func(k string) string { return c.env[k] })
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		style Style
		want  string
	}{
		{"short", 10, Style{Unicode: true}, "short"},
		{"exactly ten", 11, Style{Unicode: true}, "exactly ten"},
		{"a little too long", 9, Style{Unicode: true}, "a little…"},
		{"a little too long", 10, Style{Unicode: true}, "a little…"}, // no blank before the dots
		{"a little too long", 10, Style{}, "a littl..."},
		{"日本語のメッセージ", 7, Style{Unicode: true}, "日本語…"},
		{"naïve “quotes”…", 40, Style{}, "na?ve \"quotes\"."},
		{"anything", 0, Style{Unicode: true}, ""},
		{"anything", 1, Style{Unicode: true}, "…"},
		{"anything", 2, Style{}, ".."},
	} {
		got := c.style.clip(c.text, c.width)
		if got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
		if lipgloss.Width(got) > c.width {
			t.Errorf("clip(%q, %d) is %d cells wide", c.text, c.width, lipgloss.Width(got))
		}
	}
}

func TestEveryStatusHasAMark(t *testing.T) {
	for st := view.Pending; st <= view.Suspended; st++ {
		for _, style := range []Style{{Unicode: true}, {}} {
			if lipgloss.Width(style.mark(st)) != 1 {
				t.Errorf("%s: the mark %q is not one cell", st, style.mark(st))
			}
		}
		if plain := (Style{}).paint(st, "x"); plain != "x" {
			t.Errorf("%s: painted %q without colour", st, plain)
		}
	}
}
