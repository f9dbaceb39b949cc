package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/standup-sh/standup/rehearsal"
)

// Outputs for those who read reports of tests and of code scanners.
const (
	outputJUnit = "junit"
	outputSARIF = "sarif"
)

// NotConvergingError is the verdict that ends rehearse with 3.
type NotConvergingError struct{ Converges string }

func (e *NotConvergingError) Error() string {
	return fmt.Sprintf("the tree converges: %s", e.Converges)
}

func printRehearsal(w io.Writer, o rehearseOptions, entry string, r *rehearsal.Result) error {
	var data []byte
	var err error
	switch o.Output {
	case outputJSON:
		return writeJSON(w, r)
	case outputJUnit:
		data, err = r.JUnit(o.Strict)
	case outputSARIF:
		data, err = r.SARIF(entry)
	default:
		data = []byte(r.Text())
	}
	if err != nil {
		return err
	}
	return writeString(w, string(data))
}

// judgement is exit code 3 exactly where the tree is not as wanted.
func judgement(r *rehearsal.Result, strict bool) error {
	if r.Passes(strict) {
		return nil
	}
	return told(&NotConvergingError{Converges: r.Converges})
}

// writeTimeline draws the picture, if one is wanted.
func writeTimeline(file string, r *rehearsal.Result) error {
	if file == "" {
		return nil
	}
	draw := r.SVG
	if filepath.Ext(file) == ".html" {
		draw = r.HTML
	}
	var picture bytes.Buffer
	if err := draw(&picture); err != nil {
		return err
	}
	if err := os.WriteFile(file, picture.Bytes(), 0o644); err != nil { //nolint:gosec // to be looked at
		return usagef("--timeline: %s: %s", file, reason(err))
	}
	return nil
}
