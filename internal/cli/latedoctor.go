package cli

import (
	"context"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/tiers"
)

var _ bootstrap.Diagnoser = lateDoctor{}

// lateDoctor is a doctor who reads the catalogue when the first case comes in:
// most runs have none, and it takes a fifth of a second.
type lateDoctor struct {
	load    func() (*catalog.Catalog, error)
	sets    wedge.Sets
	cluster wedge.Cluster
}

func (d lateDoctor) doctor() (*wedge.Doctor, error) {
	known, err := d.load()
	if err != nil {
		return nil, err
	}
	return &wedge.Doctor{Sets: d.sets, Cluster: d.cluster, Catalog: known}, nil
}

// Diagnose implements bootstrap.Diagnoser.
func (d lateDoctor) Diagnose(ctx context.Context, c wedge.Case) (*wedge.Diagnosis, error) {
	doctor, err := d.doctor()
	if err != nil {
		return nil, err
	}
	return doctor.Diagnose(ctx, c)
}

// Denied implements bootstrap.Diagnoser.
func (d lateDoctor) Denied(ctx context.Context, c wedge.Case, message string) (*wedge.Denial, error) {
	doctor, err := d.doctor()
	if err != nil {
		return nil, err
	}
	return doctor.Denied(ctx, c, message)
}

// PreApply implements bootstrap.Diagnoser.
func (d lateDoctor) PreApply(ctx context.Context, c wedge.Case, names []tiers.Ref) (*wedge.Diagnosis, error) {
	doctor, err := d.doctor()
	if err != nil {
		return nil, err
	}
	return doctor.PreApply(ctx, c, names)
}
