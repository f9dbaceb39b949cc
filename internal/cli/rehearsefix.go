package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/standup-sh/standup/rehearsal"
)

// checkFixDir refuses a directory within the tree, which is never written to.
func checkFixDir(dir, tree string) error {
	if dir == "" {
		return nil
	}
	to, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	from, err := filepath.Abs(tree)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
		return usagef("--fix %s is in the tree, which is not written to: name a directory outside of %s", dir, tree)
	}
	return nil
}

// writeFixes writes each fix as a patch and a page for its reviewer, and says
// what the tree is with all of them.
func writeFixes(ctx context.Context, streams Streams, dir string, run rehearsal.Options, r *rehearsal.Result) error {
	if dir == "" {
		return nil
	}
	if len(r.Fixes) == 0 {
		return writeString(streams.Err, "There is no wedge that splitting a set would end; nothing was written.\n")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // for a reviewer to read
		return err
	}
	var told strings.Builder
	for i, f := range r.Fixes {
		_, name, _ := strings.Cut(f.New, "/")
		base := filepath.Join(dir, fmt.Sprintf("%02d-%s", i+1, name))
		if err := os.WriteFile(base+".md", []byte(f.Document()), 0o644); err != nil { //nolint:gosec // as above
			return err
		}
		if f.Patch == "" {
			fmt.Fprintf(&told, "%s.md: no patch, %s\n", base, f.ByHand)
			continue
		}
		if err := os.WriteFile(base+".patch", []byte(f.Patch), 0o644); err != nil { //nolint:gosec // as above
			return err
		}
		fmt.Fprintf(&told, "%s.patch: for `git apply`, in this order\n", base)
	}
	proof, err := r.Prove(ctx, run)
	if err != nil {
		return err
	}
	fmt.Fprintf(&told, "With what is patched, the tree converges: %s.\n", proof.Converges)
	return writeString(streams.Err, told.String())
}
