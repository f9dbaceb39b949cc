package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/ui/uitest"
	"github.com/standup-sh/standup/tiers"
)

// ranAs is the whole of what a user sees of one run. One at a time: urfave/cli
// writes to its package variable HelpFlag in each run, so tests that call it are
// not parallel.
func ranAs(t *testing.T, args ...string) (text string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	streams := Streams{Out: &out, Err: &errs, Getenv: func(string) string { return "" }}
	code = Run(t.Context(), streams, append([]string{"standup"}, args...))
	return fmt.Sprintf("$ standup %s\n--- stdout\n%s--- stderr\n%s--- exit code %d\n", strings.Join(args, " "), out.String(), errs.String(), code), code
}

func TestHelpOfEveryCommand(t *testing.T) {
	for name, args := range map[string][]string{
		"help":             {"--help"},
		"help-resume":      {"resume", "--help"},
		"help-check":       {"check", "--help"},
		"help-crds":        {"crds", "--help"},
		"help-graph":       {"graph", "--help"},
		"help-plan":        {"plan", "--help"},
		"help-rehearse":    {"rehearse", "--help"},
		"help-status":      {"status", "--help"},
		"help-tiers":       {"tiers", "--help"},
		"help-tiers-check": {"tiers", "check", "--help"},
		"help-tiers-gen":   {"tiers", "generate", "--help"},
		"help-tiers-imp":   {"tiers", "import", "--help"},
		"help-version":     {"version", "--help"},
	} {
		t.Run(name, func(t *testing.T) {
			text, code := ranAs(t, args...)
			if code != ExitOK {
				t.Errorf("exit code %d, want 0", code)
			}
			uitest.Golden(t, name, text)
		})
	}
}

func TestUsageErrorsSayWhatToDoOnStderrAndEndWith2(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.yaml"), []byte("apiVersion: standup/v1\nkind: TierOrder\ntiers:\n  - name: a\n    timout: 5m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad.sh"), []byte("#!/bin/bash\nTIER_ORDER=(cilium $(ls))\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	t.Run("all", func(t *testing.T) { t.Chdir(dir); usageErrors(t, &all) }) // ends where it began
	uitest.Golden(t, "usage-errors", all.String())
}

func usageErrors(t *testing.T, all *strings.Builder) {
	t.Helper()
	for _, args := range [][]string{
		{"bogus"},
		{"--bogus"},
		{"resume", "--bogus"},
		{"resume", "prod"},
		{"resume", "prod", "--timeout", "5m"},
		{"resume", "--timeout", "soon"},
		{"resume", "--timeout", "-5m"},
		{"resume", "-o", "xml"},
		{"plan", "-o", "jsonl"},
		{"status", "--color", "green"},
		{"resume", "--log-format", "xml"},
		{"tiers"},
		{"tiers", "sort"},
		{"tiers", "import"},
		{"tiers", "import", "missing.sh"},
		{"tiers", "import", "bad.sh"},
		{"resume", "--report", "run.pdf"},
		{"resume", "--patience", "-1s"},
		{"tiers", "check", "-f", "missing.yaml"},
		{"tiers", "check", "-f", "bad.yaml"},
		{"version", "-o", "yaml"},
	} {
		text, code := ranAs(t, args...)
		if code != ExitUsage {
			t.Errorf("standup %s: exit code %d, want 2", strings.Join(args, " "), code)
		}
		if !strings.Contains(text, "--- stdout\n--- stderr\n") {
			t.Errorf("standup %s: wrote to stdout\n%s", strings.Join(args, " "), text)
		}
		all.WriteString(text + "\n")
	}
}

func TestNoClusterEndsWith7(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	for _, command := range []string{"check", "resume", "plan", "status"} {
		if text, code := ranAs(t, command); code != ExitUnreachable {
			t.Errorf("%s: exit code %d, want 7\n%s", command, code, text)
		}
	}
}

func TestGlobalOptionsMayStandBeforeOrAfterTheCommand(t *testing.T) {
	for _, args := range [][]string{
		{"-o", "json", "version"},
		{"version", "-o", "json"},
		{"-o", "text", "version", "--output", "json"}, // the nearer one wins
	} {
		if text, _ := ranAs(t, args...); !strings.Contains(text, `"schema": "standup.version/v1"`) {
			t.Errorf("standup %s: no JSON\n%s", strings.Join(args, " "), text)
		}
	}
	t.Setenv("STANDUP_OUTPUT", "json")
	if text, _ := ranAs(t, "version"); !strings.Contains(text, `"schema"`) {
		t.Errorf("STANDUP_OUTPUT is not honoured\n%s", text)
	}
	if text, _ := ranAs(t, "version", "-o", "text"); strings.Contains(text, `"schema"`) {
		t.Errorf("an option does not win over the environment\n%s", text)
	}
}

func TestAScriptsArrayBecomesAFileThatParses(t *testing.T) {
	script := filepath.Join(t.TempDir(), "standup.sh")
	if err := os.WriteFile(script, []byte("#!/bin/bash\nTIER_ORDER=(\n  cilium   # the network first\n  platform\n  media/plex\n)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := Run(t.Context(), Streams{Out: &out, Err: &errs, Getenv: os.Getenv}, []string{"standup", "tiers", "import", script})
	if code != ExitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	order, err := tiers.Parse("imported", out.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if len(order.Tiers) != 3 {
		t.Errorf("%d tiers, want 3\n%s", len(order.Tiers), out.String())
	}
}
