package gitserver

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPushReplacesTheTree(t *testing.T) {
	ctx := t.Context()
	s, err := Start(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := func(text string, mode uint32) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(text), Mode: os.FileMode(mode)}
	}
	first, err := s.Push(ctx, "fleet", fstest.MapFS{"a.txt": file("1", 0o644), "dir/run with space.sh": file("2", 0o755)})
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Push(ctx, "fleet", fstest.MapFS{"b.txt": file("3\n", 0o644), ".git/config": file("no", 0o644)})
	if err != nil {
		t.Fatal(err)
	}
	if first == second || len(second) != 40 {
		t.Errorf("got revisions %q and %q", first, second)
	}
	dir := filepath.Join(t.TempDir(), "clone")
	git := func(args ...string) string {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Env = environment()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("clone", "--quiet", s.URL("fleet"), dir)
	if got := strings.Fields(git("-C", dir, "ls-files")); len(got) != 1 || got[0] != "b.txt" {
		t.Errorf("got files %v, want b.txt", got)
	}
	if got := git("-C", dir, "ls-tree", "-r", first); !strings.Contains(got, "100755") || !strings.Contains(got, "run with space.sh") {
		t.Errorf("the first commit lost a mode or a name:\n%s", got)
	}
}

func TestNamesAndFaults(t *testing.T) {
	ctx := t.Context()
	s, err := Start(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Push(ctx, "../escape", fstest.MapFS{}); err == nil {
		t.Error("a name with a path in it was taken")
	}
	if _, err := s.Push(ctx, "fleet", fstest.MapFS{}); err != nil {
		t.Fatal(err)
	}
	status := func(url string) int {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	refs := "/info/refs?service=git-upload-pack"
	for _, tt := range []struct {
		url    string
		answer int
		want   int
	}{
		{s.URL("fleet") + refs, 0, http.StatusOK},
		{s.URL("fleet") + refs, http.StatusUnauthorized, http.StatusUnauthorized},
		{s.URL("fleet") + refs, http.StatusServiceUnavailable, http.StatusServiceUnavailable},
		{s.URL("fleet") + "/HEAD", 0, http.StatusForbidden},
		{s.URL("nobody") + refs, 0, http.StatusNotFound},
	} {
		s.Answer("fleet", tt.answer)
		if got := status(tt.url); got != tt.want {
			t.Errorf("%s with answer %d: got %d, want %d", tt.url, tt.answer, got, tt.want)
		}
	}
}
