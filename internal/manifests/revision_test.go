package manifests_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestRevision(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	file := filepath.Join(repo, "deploy", "a.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	run("init", "-q")
	for _, content := range []string{"first", "second"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		run("add", ".")
		run("commit", "-q", "-m", content)
	}
	for dir, name := range map[string]string{repo: "deploy/a.yaml", filepath.Dir(file): "a.yaml"} {
		old, err := manifests.Revision(t.Context(), dir, "HEAD~1")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(old) })
		if data, err := os.ReadFile(filepath.Join(old, name)); err != nil || string(data) != "first" {
			t.Errorf("%s: %q, %v", dir, data, err)
		}
	}
	for dir, revision := range map[string]string{repo: "HEAD~7", filepath.Dir(file): "--output=/tmp/x", t.TempDir(): "HEAD"} {
		if _, err := manifests.Revision(t.Context(), dir, revision); err == nil {
			t.Errorf("%s of %s: no error", revision, dir)
		} else if bad, ok := errors.AsType[*manifests.RevisionError](err); !ok {
			t.Errorf("%T: %v", bad, err)
		}
	}
}
