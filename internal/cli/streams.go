package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are all that a command may read or write.
type Streams struct {
	Out, Err io.Writer
	Getenv   func(string) string
}

// StdStreams are the process's own.
func StdStreams() Streams {
	return Streams{Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
}

// isTerminal reports whether w is a terminal that a live table can be drawn on.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
