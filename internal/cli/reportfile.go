package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/report"
)

// reportKinds are the file name extensions of --report.
func reportKinds() []string { return []string{".html", ".json", ".md", ".xml"} }

// reportFlag is shared by the commands that run something.
func reportFlag() cli.Flag {
	return &cli.StringFlag{Name: flagReport, Usage: "write the run to `FILE`: .html, .md, .json, or .xml for JUnit", EnvVars: env(flagReport)}
}

// checkReport refuses, before the run, a report that could not be written
// after it for want of a known format.
func checkReport(path string) error {
	if path == "" || slices.Contains(reportKinds(), filepath.Ext(path)) {
		return nil
	}
	return usagef("--report %s: the name must end in %s", path, strings.Join(reportKinds(), ", "))
}

// writeReport writes the run to path in the format that its extension names.
func writeReport(path string, s *event.State, code int) error {
	var data []byte
	var err error
	switch filepath.Ext(path) {
	case ".html":
		data, err = report.HTML(s)
	case ".json":
		data, err = report.JSON(s, code)
	case ".md":
		data = []byte(report.Markdown(s))
	case ".xml":
		data, err = report.JUnit(s)
	}
	if err != nil {
		return fmt.Errorf("report %s: %w", path, err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil { //nolint:gosec // a report is for others to read
		return fmt.Errorf("report %s: %s", path, reason(err))
	}
	return nil
}
