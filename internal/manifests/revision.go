package manifests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/fluxcd/pkg/tar"
)

// RevisionError says why a revision of a checkout cannot be had.
type RevisionError struct {
	Dir, Revision string
	Reason        string
}

func (e *RevisionError) Error() string {
	return fmt.Sprintf("revision %s of %s: %s", e.Revision, e.Dir, e.Reason)
}

// Revision writes an earlier revision of a checkout, or of a directory in one,
// into a temporary directory, which its caller removes. It asks git, which is
// there where a checkout is. Its errors are *RevisionError, but for those of the
// disk.
func Revision(ctx context.Context, dir, revision string) (string, error) {
	fail := func(err error) (string, error) {
		return "", &RevisionError{Dir: dir, Revision: revision, Reason: err.Error()}
	}
	if strings.HasPrefix(revision, "-") || strings.ContainsAny(revision, ":\n") {
		return fail(errors.New("that is not the name of a revision"))
	}
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return fail(err)
	}
	prefix, err := git(ctx, dir, "rev-parse", "--show-prefix")
	if err != nil {
		return fail(err)
	}
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return fail(errors.New("there is none of that name"))
	}
	root := strings.TrimSuffix(string(top), "\n")
	tree := strings.TrimSpace(string(commit)) + ":" + strings.TrimSuffix(string(prefix), "\n")
	packed, err := git(ctx, root, "archive", "--format=tar", strings.TrimSuffix(tree, "/"))
	if err != nil {
		return fail(err)
	}
	to, err := os.MkdirTemp("", "standup-revision-")
	if err != nil {
		return "", err
	}
	if err := tar.Untar(bytes.NewReader(packed), to, tar.WithMaxUntarSize(maxUnpacked), tar.WithSkipSymlinks(), tar.WithSkipGzip()); err != nil {
		_ = os.RemoveAll(to) // the first error says more
		return fail(err)
	}
	return to, nil
}

// git runs git in a directory, and takes the last line of what it complains of
// for the error.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if lines := strings.Split(strings.TrimSpace(complaint.String()), "\n"); lines[len(lines)-1] != "" {
			return nil, errors.New(lines[len(lines)-1])
		}
		return nil, err
	}
	return out.Bytes(), nil
}
