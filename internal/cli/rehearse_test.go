package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/kube/kubetest"
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

func TestRehearseWritesTheFixOutsideOfTheTree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fixes")
	text, code := ranAs(t, "rehearse", "--path", incident, "--fix", dir)
	if code != ExitVerdict || !strings.Contains(text, "With what is patched, the tree converges: yes.") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	for name, part := range map[string]string{
		"01-platform-config-cdi.patch": "+++ b/clusters/base/platform-config-cdi.yaml",
		"01-platform-config-cdi.md":    "prune: false",
	} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(data), part) {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
	text, code = ranAs(t, "rehearse", "--path", incident, "--fix", filepath.Join(incident, "fixes"))
	if code != ExitUsage || !strings.Contains(text, "is in the tree") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	text, code = ranAs(t, "rehearse", "--path", homelab, "--fix", dir)
	if code != ExitOK || !strings.Contains(text, "nothing was written") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

// TestRehearseFromARevision: the step from the wedged tree to the sound one
// moves two objects between Kustomizations that prune.
func TestRehearseFromARevision(t *testing.T) {
	repo := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	if err := os.CopyFS(repo, os.DirFS(incident)); err != nil {
		t.Fatal(err)
	}
	git("add", "-f", ".")
	git("commit", "-q", "-m", "as it was")
	git("rm", "-q", "-r", ".")
	if err := os.CopyFS(repo, os.DirFS(homelab)); err != nil {
		t.Fatal(err)
	}
	text, code := ranAs(t, "rehearse", "--path", repo, "--from", "HEAD")
	if code != ExitOK || !strings.Contains(text, "HAZARD move  flux-system/platform-config  infrastructure/platform-config-cdi/storage-profiles.yaml") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	text, code = ranAs(t, "rehearse", "--path", repo, "--from", "nowhere")
	if code != ExitUsage || !strings.Contains(text, "--from: revision nowhere") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

func TestRehearseDrawsTheTimeline(t *testing.T) {
	dir := t.TempDir()
	for name, part := range map[string]string{"t.svg": "<svg", "t.html": "<!doctype html>"} {
		file := filepath.Join(dir, name)
		if text, code := ranAs(t, "rehearse", "--path", homelab, "--timeline", file); code != ExitOK {
			t.Errorf("exit code %d\n%s", code, text)
		}
		if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), part) {
			t.Errorf("%s: %v\n%.200s", name, err, data)
		}
	}
	for _, file := range []string{filepath.Join(dir, "t.png"), filepath.Join(dir, "nowhere", "t.svg")} {
		if text, code := ranAs(t, "rehearse", "--path", homelab, "--timeline", file); code != ExitUsage || !strings.Contains(text, "--timeline") {
			t.Errorf("%s: exit code %d\n%s", file, code, text)
		}
	}
}

// TestRehearseWithWhatAClusterHas: a kind and a namespace that nothing in the
// tree brings are there when the cluster has them.
func TestRehearseWithWhatAClusterHas(t *testing.T) {
	dir := t.TempDir()
	tree := "apiVersion: example.org/v1\nkind: Gadget\nmetadata: {name: g, namespace: home}\n"
	if err := os.WriteFile(filepath.Join(dir, "g.yaml"), []byte(tree), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFleet(t)
	f.Serve("apiextensions.k8s.io/v1", kubetest.Kind{Plural: "customresourcedefinitions", Kind: "CustomResourceDefinition", Cluster: true})
	f.Put(t, map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "gadgets.example.org"},
		"spec": map[string]any{"group": "example.org", "names": map[string]any{"kind": "Gadget", "plural": "gadgets"}},
	})
	f.Put(t, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "home"}})
	if text, code := ranAs(t, "rehearse", "--path", dir, "--entry", "."); code != ExitVerdict {
		t.Errorf("without: exit code %d\n%s", code, text)
	}
	text, code := ranAs(t, "rehearse", "--path", dir, "--entry", ".", "--baseline-from-cluster", "--kubeconfig", f.kubeconfig)
	if code != ExitOK {
		t.Errorf("exit code %d\n%s", code, text)
	}
}
