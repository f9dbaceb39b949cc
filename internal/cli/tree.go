package cli

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/rehearsal"
	"github.com/standup-sh/standup/tiers"
)

// Flags of the commands that read a checkout. Their --path has another meaning
// than resume's, and so does not come from the environment: what is set there
// for a run must not turn a look at the cluster into one at a directory.
const (
	flagEntry  = "entry"
	flagSource = "source"
)

// treeOptions say which checkout is meant, and what stands for its sources.
type treeOptions struct {
	Path, Entry string
	Sources     map[tiers.Ref]string
}

// treeFlags are for a command that looks at a cluster unless it is given a path.
func treeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: flagPath, Usage: "look at the checkout `DIR` instead of a cluster"},
		&cli.StringFlag{Name: flagEntry, Usage: "`PATH` of the root Kustomization in the checkout; default TIER_ORDER's entry"},
		sourceFlag(),
	}
}

func sourceFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: flagSource, Usage: "`KIND/NAMESPACE/NAME=DIR[:SUBDIR]` stands for a further source; may be repeated"}
}

func parseTree(c *cli.Context) (treeOptions, error) {
	t := treeOptions{Path: text(c, flagPath), Entry: text(c, flagEntry), Sources: map[tiers.Ref]string{}}
	for _, s := range home(c, flagSource).StringSlice(flagSource) {
		name, dir, ok := strings.Cut(s, "=")
		parts := strings.Split(name, "/")
		if !ok || dir == "" || len(parts) != 3 {
			return t, usagef("--source %q is not KIND/NAMESPACE/NAME=DIR[:SUBDIR]", s)
		}
		if at := strings.LastIndex(dir, ":"); at > 1 {
			dir = filepath.Join(dir[:at], dir[at+1:])
		}
		t.Sources[tiers.Ref{Kind: parts[0], Namespace: parts[1], Name: parts[2]}] = dir
	}
	if t.Path == "" && (t.Entry != "" || len(t.Sources) > 0) {
		return t, usagef("--entry and --source are about a checkout; name it with --path")
	}
	return t, nil
}

// given reports whether a checkout is meant, and no cluster.
func (t treeOptions) given() bool { return t.Path != "" }

// order reads TIER_ORDER where the command stands, or else in the checkout.
func (t treeOptions) order(o common) (*tiers.TierOrder, error) {
	if o.TierOrder == "" && t.given() {
		inTree := func(path string) bool { _, err := os.Stat(filepath.Join(t.Path, path)); return err == nil }
		if path, _ := tiers.Lookup("", "", inTree); path != "" {
			o.TierOrder = filepath.Join(t.Path, path)
		}
	}
	return loadOrder(o)
}

// options says where the sets are. The order, which may be nil, has the entry
// where no flag has it.
func (t treeOptions) options(command string, order *tiers.TierOrder) (rehearsal.Options, error) {
	o := rehearsal.Options{Path: t.Path, Entry: t.Entry, Sources: t.Sources}
	if order != nil {
		o.Entry, o.Source = cmp.Or(t.Entry, order.Entry), order.Source
	}
	if o.Entry == "" {
		return o, usagef("%s needs --entry, the path of the root Kustomization, or a TIER_ORDER file with entry", command)
	}
	for _, dir := range append([]string{t.Path}, slices.Sorted(maps.Values(t.Sources))...) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return o, usagef("%s is not a directory", dir)
		}
	}
	return o, nil
}

// list finds the Kustomizations of the checkout.
func (t treeOptions) list(ctx context.Context, command string, order *tiers.TierOrder) (*rehearsal.Listing, error) {
	o, err := t.options(command, order)
	if err != nil {
		return nil, err
	}
	found, err := rehearsal.Walk(ctx, o)
	return found, badEntry(err)
}

// badEntry makes an entry that is not there what it is: a wrong option.
func badEntry(err error) error {
	if bad, ok := errors.AsType[*rehearsal.EntryError](err); ok {
		return usagef("%s", bad)
	}
	return err
}
