package rehearsal

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// Options say what is rehearsed.
type Options struct {
	// Path is the checkout, and Entry the path of the root Kustomization in it.
	Path, Entry string
	// Source is the source that the checkout is; zero: as the tree says.
	Source tiers.Ref
	// Sources are directories that stand for further sources.
	Sources map[tiers.Ref]string
	// Baseline is what exists before Flux, and Seeded more of its kinds.
	Baseline Baseline
	Seeded   []string
	// Seeds are files and directories of what is applied before Flux: manifests,
	// a helmfile, a Talos machine configuration.
	Seeds []string
	// Catalog is the built-in one where it is nil.
	Catalog *catalog.Catalog
	// From is a directory with an earlier revision of the checkout: what the step
	// from that to this does to a live cluster is judged as well. "" is none.
	From string
	// Flux is the version whose controllers are modelled.
	Flux Flux
	// Concurrent is --concurrent of the controllers; zero: as the tree says, or
	// their default.
	Concurrent int
}

// EntryError says that the entry is not a directory of the checkout.
type EntryError struct{ Path, Entry string }

func (e *EntryError) Error() string {
	return fmt.Sprintf("entry %q is not a directory of %s", e.Entry, e.Path)
}

// Run rehearses. Its errors are about the input: what is wrong with the tree is
// in the result.
func Run(ctx context.Context, o Options) (*Result, error) {
	tree, err := manifests.Open(o.Path)
	if err != nil {
		return nil, err
	}
	if !tree.HasDir(o.Entry) {
		return nil, &EntryError{Path: o.Path, Entry: o.Entry}
	}
	w, err := newWalk(ctx, o, tree)
	if err != nil {
		return nil, err
	}
	if err := w.all(ctx); err != nil {
		return nil, err
	}
	st, err := newStage(ctx, w)
	if err != nil {
		return nil, err
	}
	return st.rehearse(ctx)
}

// cleanPath makes paths comparable: ./a/b/, a/b and /a/b are one.
func cleanPath(p string) string { return strings.TrimPrefix(path.Join("/", p), "/") }
