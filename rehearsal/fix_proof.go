package rehearsal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/standup-sh/standup/internal/manifests"
)

// Prove rehearses the tree as it would be with all patches of a result. The
// patched copy is in a temporary directory, which is removed.
func (r *Result) Prove(ctx context.Context, o Options) (*Result, error) {
	var files map[string]string
	for _, f := range r.Fixes {
		files = f.files
	}
	tree, err := manifests.Open(o.Path)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "standup-fixed-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system cleans up what is left
	for _, file := range tree.Files("") {
		if _, changed := files[file]; changed {
			continue
		}
		data, err := tree.Read(file)
		if err != nil {
			return nil, err
		}
		if err := write(dir, file, string(data)); err != nil {
			return nil, err
		}
	}
	for file, text := range files {
		if text != "" {
			if err := write(dir, file, text); err != nil {
				return nil, err
			}
		}
	}
	o.Path = dir
	return Run(ctx, o)
}

func write(dir, file, text string) error {
	path := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// Document tells a reviewer what a fix does and what to mind.
func (f Fix) Document() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", f.New, f.Summary())
	fmt.Fprintf(&b, "\n## What moves\n\nTo %s:\n\n", f.Path)
	for _, o := range f.Moves {
		fmt.Fprintf(&b, "- %s %s, %s:%d\n", o.Kind, o.Name, o.File, o.Line)
	}
	fmt.Fprintf(&b, "\n## The new Kustomization\n\n```yaml\n%s```\n", f.Manifest)
	for _, d := range f.Dependents {
		fmt.Fprintf(&b, "\n%s must depend on it as well: it uses what comes with it.\n", d)
	}
	fmt.Fprintf(&b, "\nIn TIER_ORDER: `%s`.\n", f.TierOrder)
	if f.Prune != "" {
		fmt.Fprintf(&b, "\n## On a cluster that is live\n\n%s\n", f.Prune)
	}
	if f.ByHand != "" {
		fmt.Fprintf(&b, "\n## No patch\n\nIt has to be changed by hand: %s.\n", f.ByHand)
	}
	return b.String()
}
