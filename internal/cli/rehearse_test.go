package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/ui/uitest"
)

const (
	homelab  = "../../examples/homelab"
	incident = "../../examples/homelab-incident"
)

func TestRehearseHomelab(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		code int
	}{
		"rehearse-homelab":         {[]string{"--path", homelab}, ExitOK},
		"rehearse-homelab-dev":     {[]string{"--path", homelab, "--entry", "clusters/dev"}, ExitOK},
		"rehearse-homelab-strict":  {[]string{"--path", homelab, "--strict"}, ExitVerdict},
		"rehearse-incident":        {[]string{"--path", incident}, ExitVerdict},
		"rehearse-incident.json":   {[]string{"--path", incident, "-o", "json"}, ExitVerdict},
		"rehearse-incident.xml":    {[]string{"--path", incident, "-o", "junit"}, ExitVerdict},
		"rehearse-incident.sarif":  {[]string{"--path", incident, "-o", "sarif"}, ExitVerdict},
		"rehearse-strict.xml":      {[]string{"--path", homelab, "--strict", "-o", "junit"}, ExitVerdict},
		"rehearse-incident-seeded": {[]string{"--path", incident, "--seeded", "cdi.kubevirt.io"}, ExitOK},
	} {
		t.Run(name, func(t *testing.T) {
			text, code := ranAs(t, append([]string{"rehearse"}, tc.args...)...)
			if code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			uitest.Golden(t, name, text)
		})
	}
}

func TestRehearseTakesTheEntryFromTierOrder(t *testing.T) {
	byFile, _ := ranAs(t, "rehearse", "--path", homelab, "-o", "json")
	byFlag, _ := ranAs(t, "rehearse", "--path", homelab, "--entry", "./clusters/prod/", "-o", "json")
	_, byFile, _ = strings.Cut(byFile, "\n")
	_, byFlag, _ = strings.Cut(byFlag, "\n")
	if byFile != byFlag {
		t.Errorf("with TIER_ORDER:\n%s\nwith --entry:\n%s", byFile, byFlag)
	}
}

func TestRehearseWritesNothingButJSON(t *testing.T) {
	text, _ := ranAs(t, "rehearse", "--path", incident, "-o", "json")
	_, text, _ = strings.Cut(text, "--- stdout\n")
	text, _, _ = strings.Cut(text, "--- stderr\n")
	var result struct{ Schema, Converges string }
	if err := json.Unmarshal([]byte(text), &result); err != nil || result.Schema != "standup.rehearsal/v1" || result.Converges != "no" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestRehearseRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "baseline.yaml")
	if err := os.WriteFile(bad, []byte("apiVersion: standup/v1\nkind: Baseline\nkindes: [a]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--entry, the path of the root":      {"--path", dir},
		`entry "nowhere" is not a directory`: {"--path", homelab, "--entry", "nowhere"},
		"missing is not a directory":         {"--path", filepath.Join(dir, "missing"), "--entry", "a"},
		"is not KIND/NAMESPACE/NAME=DIR":     {"--path", homelab, "--source", "GitRepository/a"},
		"baseline.yaml":                      {"--path", homelab, "--baseline", bad},
		"no such file":                       {"--path", homelab, "--baseline", filepath.Join(dir, "none")},
		`--output "table" is not known`:      {"--path", homelab, "-o", "table"},
	} {
		text, code := ranAs(t, append([]string{"rehearse"}, args...)...)
		if code != ExitUsage || !strings.Contains(text, want) {
			t.Errorf("%v: exit code %d, want 2 and %q in\n%s", args, code, want, text)
		}
	}
}
