package manifests_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/standup-sh/standup/internal/manifests"
)

// Where remote bases are allowed, kustomize clones with git. A repository on
// this disk is remote for it as well.
func TestAllowedRemoteBase(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	repository, err := filepath.EvalSymlinks(tree(t, "-- base/kustomization.yaml --\nresources: [a.yaml]\n-- base/a.yaml --\n"+named("cloned")))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "."},
		{"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "--message=x"},
	} {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = repository
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := tree(t, "-- kustomization.yaml --\nresources: [a.yaml, 'file://"+repository+"//base?ref=main']\n-- a.yaml --\n"+named("local"))
	set, err := open(t, dir).Build(t.Context(), kustomization(t, "path: ."), nil, manifests.Options{AllowRemoteBases: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range set.Objects {
		got = append(got, o.GetName()+" "+o.File)
	}
	diff(t, []string{"local a.yaml", "cloned "}, got)
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
