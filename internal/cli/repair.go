package cli

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// Flags of the commands that break wedges.
const (
	flagPath    = "path"
	flagRestart = "restart-controllers"
)

// repairFlags are shared by crds and resume.
func repairFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: flagPath, Usage: "take the manifests from the checkout `DIR` instead of the source's artifact", EnvVars: env(flagPath)},
		&cli.BoolFlag{Name: flagRestart, Usage: "restart kustomize-controller, once, when what it remembers of the API is out of date", EnvVars: env(flagRestart)},
	}
}

// repairOptions are the values of repairFlags.
type repairOptions struct {
	Path    string
	Restart bool
}

func parseRepair(c *cli.Context) repairOptions {
	return repairOptions{Path: text(c, flagPath), Restart: flag(c, flagRestart)}
}

// loadCatalogue is the built-in catalogue with what a directory and TIER_ORDER
// add to it.
func loadCatalogue(dir string, order *tiers.TierOrder) (*catalog.Catalog, error) {
	known, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	var extra []catalog.Entry
	if dir != "" {
		if extra, err = catalog.LoadDir(dir); err != nil {
			return nil, err
		}
	}
	if order != nil {
		for _, s := range order.SecondOrder {
			entry, err := catalog.Extra(s.Provider.Group, s.Provider.Kind, s.Provides)
			if err != nil {
				return nil, &tiers.FileError{File: order.File, Line: s.Pos.Line, Column: s.Pos.Column, Message: err.Error()}
			}
			extra = append(extra, entry)
		}
	}
	if len(extra) == 0 {
		return known, nil
	}
	return known.With(extra...)
}

// repair is what breaks wedges, and what has to be closed after that.
func (s *session) repair(o common, r repairOptions) (*bootstrap.Repair, *bootstrap.Sets, error) {
	load := sync.OnceValues(func() (*catalog.Catalog, error) { return loadCatalogue(o.Catalog, s.order) })
	if o.Catalog != "" || s.order != nil && len(s.order.SecondOrder) > 0 {
		if _, err := load(); err != nil { // what a person wrote is checked at once
			return nil, nil, err
		}
	}
	sets := &bootstrap.Sets{
		World: s.view, Downloader: s.client, Values: s.client,
		Source: tiers.Ref{Kind: tiers.KindGitRepository, Namespace: o.Namespace, Name: "flux-system"},
	}
	if s.order != nil && !s.order.Source.IsZero() {
		sets.Source = s.order.Source
	}
	if r.Path != "" {
		tree, err := manifests.Open(r.Path)
		if err != nil {
			return nil, nil, usagef("--path: %v", err)
		}
		sets.Checkout = tree
	}
	repair := &bootstrap.Repair{
		Doctor: &lateDoctor{load: load, sets: sets, client: s.client, namespace: o.Namespace},
		Seeder: s.client,
	}
	if r.Restart {
		repair.Restarter = s.client
	}
	return repair, sets, nil
}

// explained adds to an error what a person can do about it, where the error
// itself does not say.
func explained(err error) error {
	var source *bootstrap.SourceError
	var stands *wedge.Error
	switch {
	case errors.As(err, &source):
		return fmt.Errorf("%w; pass a checkout of the same revision with --path", err)
	case errors.As(err, &stands):
		return &remediedError{err, stands.Remedies()}
	}
	return err
}

// remediedError is an error with what to do about it, one line each.
type remediedError struct {
	error
	remedies []string
}

// Error adds the remedies.
func (e *remediedError) Error() string {
	text := e.error.Error()
	for _, r := range e.remedies {
		text += "\n  " + r
	}
	return text
}

// Unwrap returns the error.
func (e *remediedError) Unwrap() error { return e.error }

// sayRemedies tells people what to do about an error that was told already.
func sayRemedies(streams Streams, err error) {
	if stands, ok := errors.AsType[*remediedError](explained(err)); ok {
		_ = writeString(streams.Err, "  "+strings.Join(stands.remedies, "\n  ")+"\n") // stderr is for people
	}
}
