package gitserver

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Push replaces the tree of a repository's branch by one new commit, and makes
// the repository first if need be. It returns the commit's hash.
func (s *Server) Push(ctx context.Context, repo string, tree fs.FS) (string, error) {
	if err := validRepo(repo); err != nil {
		return "", err
	}
	first := false
	if _, err := os.Stat(s.path(repo)); err != nil {
		first = true
		if _, err := s.git(ctx, nil, "init", "--quiet", "--bare", "--initial-branch="+Branch, s.path(repo)); err != nil {
			return "", err
		}
	}
	stream, err := commit(tree, first)
	if err != nil {
		return "", fmt.Errorf("push to %s: %w", repo, err)
	}
	dir := "--git-dir=" + s.path(repo)
	if _, err := s.git(ctx, stream, dir, "fast-import", "--quiet", "--force"); err != nil {
		return "", fmt.Errorf("push to %s: %w", repo, err)
	}
	return s.git(ctx, nil, dir, "rev-parse", "refs/heads/"+Branch)
}

// commit writes the tree as a git fast-import stream: one process for a tree of
// any size, and no checkout on disk.
func commit(tree fs.FS, first bool) (*bytes.Buffer, error) {
	var b bytes.Buffer
	ref := "refs/heads/" + Branch
	message := "lab: push"
	fmt.Fprintf(&b, "commit %s\ncommitter lab <lab@standup.example.org> %d +0000\ndata %d\n%s\n",
		ref, time.Now().Unix(), len(message), message)
	if !first {
		fmt.Fprintf(&b, "from %s^0\n", ref)
	}
	b.WriteString("deleteall\n")
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		mode, data, err := blob(tree, path, d)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "M %s inline %q\ndata %d\n", mode, path, len(data))
		b.Write(data)
		b.WriteByte('\n')
		return nil
	})
	return &b, err
}

func blob(tree fs.FS, path string, d fs.DirEntry) (mode string, data []byte, err error) {
	if d.Type()&fs.ModeSymlink != 0 {
		target, err := fs.ReadLink(tree, path)
		return "120000", []byte(target), err
	}
	info, err := d.Info()
	if err != nil {
		return "", nil, err
	}
	data, err = fs.ReadFile(tree, path)
	if info.Mode()&0o111 != 0 {
		return "100755", data, err
	}
	return "100644", data, err
}
