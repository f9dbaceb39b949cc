package tiers

import (
	"fmt"
	"regexp"
	"strings"
)

var arrayStart = regexp.MustCompile(`^[ \t]*(?:(?:declare|typeset|local|readonly|export)[ \t]+(?:-[A-Za-z]+[ \t]+)*)?TIER_ORDER(\+?)=\(`)

// ImportBash reads the names from a bash array TIER_ORDER=( … ). It does not
// run the script: what only bash could expand is an error, a FileError without
// a file name. Of several assignments the last one counts, and += adds to it.
func ImportBash(script []byte) ([]string, error) {
	b := &bash{text: string(script), line: 1}
	var names []string
	found := false
	for !b.done() {
		appending, ok := b.assignment()
		if !ok {
			continue
		}
		words, err := b.array()
		if err != nil {
			return nil, err
		}
		if !appending {
			names = nil
		}
		names, found = append(names, words...), true
	}
	if !found {
		return nil, b.fault("there is no array TIER_ORDER=( … )", "name the script that has it")
	}
	if len(names) == 0 {
		return nil, b.fault("the array TIER_ORDER is empty", "list the tiers in it")
	}
	return names, nil
}

// bash reads just enough of the shell's words.
type bash struct {
	text   string
	pos    int
	line   int
	column int // 0-based
}

func (b *bash) done() bool { return b.pos >= len(b.text) }

func (b *bash) peek() byte {
	if b.done() {
		return 0
	}
	return b.text[b.pos]
}

func (b *bash) next() byte {
	c := b.text[b.pos]
	b.pos++
	b.column++
	if c == '\n' {
		b.line++
		b.column = 0
	}
	return c
}

func (b *bash) skipLine() {
	for !b.done() && b.peek() != '\n' {
		b.next()
	}
	if !b.done() {
		b.next()
	}
}

func (b *bash) fault(message, hint string) error {
	return &FileError{Line: b.line, Column: b.column + 1, Message: message, Hint: hint}
}

// assignment takes a line up to the opening bracket when the array begins on
// it, and skips the line when it does not.
func (b *bash) assignment() (appending, ok bool) {
	m := arrayStart.FindStringSubmatch(b.text[b.pos:])
	if m == nil {
		b.skipLine()
		return false, false
	}
	for range len(m[0]) {
		b.next()
	}
	return m[1] == "+", true
}

// array reads words up to the closing bracket.
func (b *bash) array() ([]string, error) {
	opened := b.line
	var words []string
	for {
		switch c := b.peek(); {
		case b.done():
			return nil, b.fault(fmt.Sprintf("the array that begins in line %d has no end", opened), "close it with )")
		case c == ')':
			b.next()
			return words, nil
		case c == '#':
			b.skipLine()
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			b.next()
		case strings.HasPrefix(b.text[b.pos:], "\\\n"):
			b.next()
			b.next()
		default:
			word, err := b.word()
			if err != nil {
				return nil, err
			}
			if word == "" {
				return nil, b.fault("a name in the array is empty", "remove it")
			}
			words = append(words, word)
		}
	}
}

// word reads one word of quoted and bare parts.
func (b *bash) word() (string, error) {
	var word strings.Builder
	for !b.done() {
		switch c := b.peek(); c {
		case ' ', '\t', '\n', '\r', ')':
			return word.String(), nil
		case '\'', '"':
			if err := b.quoted(&word); err != nil {
				return "", err
			}
		case '\\':
			b.next()
			if !b.done() && b.peek() != '\n' {
				word.WriteByte(b.next())
			} else if !b.done() {
				b.next() // the line goes on
			}
		case '$', '`', '*', '?', '{', '(', '[', '<', '>', '|', '&', ';':
			return "", b.fault(fmt.Sprintf("%q in the array needs a shell to expand it", c), "write the names out")
		default:
			word.WriteByte(b.next())
		}
	}
	return word.String(), nil
}

// quoted reads '…' or "…" and what the latter lets a shell expand.
func (b *bash) quoted(word *strings.Builder) error {
	opened := b.line
	quote := b.next()
	for !b.done() {
		c := b.peek()
		switch {
		case c == quote:
			b.next()
			return nil
		case quote == '"' && (c == '$' || c == '`'):
			return b.fault(fmt.Sprintf("%q in the array needs a shell to expand it", c), "write the names out")
		case quote == '"' && c == '\\' && b.pos+1 < len(b.text) && strings.IndexByte("\"\\$`", b.text[b.pos+1]) >= 0:
			b.next()
			word.WriteByte(b.next())
		default:
			word.WriteByte(b.next())
		}
	}
	return b.fault(fmt.Sprintf("the quote that begins in line %d has no end", opened), "close it")
}
