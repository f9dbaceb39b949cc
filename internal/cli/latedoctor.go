package cli

import (
	"context"
	"sync"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/kube"
	"github.com/standup-sh/standup/tiers"
)

var _ bootstrap.Diagnoser = (*lateDoctor)(nil)

// lateDoctor is a doctor who reads the catalogue, and how the controller builds,
// when the first case comes in: most runs have none, and the catalogue alone
// takes a fifth of a second.
type lateDoctor struct {
	load      func() (*catalog.Catalog, error)
	sets      *bootstrap.Sets
	client    *kube.Client
	namespace string

	mu   sync.Mutex
	made *wedge.Doctor
}

// doctor is the same for all cases; what failed is tried again with the next.
func (d *lateDoctor) doctor(ctx context.Context) (*wedge.Doctor, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made != nil {
		return d.made, nil
	}
	known, err := d.load()
	if err != nil {
		return nil, err
	}
	controllers, err := d.client.Controllers(ctx, d.namespace)
	if err != nil {
		return nil, err
	}
	d.sets.Options = bootstrap.OptionsOf(controllers)
	d.made = &wedge.Doctor{Sets: d.sets, Cluster: d.client, Catalog: known}
	return d.made, nil
}

// Diagnose implements bootstrap.Diagnoser.
func (d *lateDoctor) Diagnose(ctx context.Context, c wedge.Case) (*wedge.Diagnosis, error) {
	doctor, err := d.doctor(ctx)
	if err != nil {
		return nil, err
	}
	return doctor.Diagnose(ctx, c)
}

// Denied implements bootstrap.Diagnoser.
func (d *lateDoctor) Denied(ctx context.Context, c wedge.Case, message string) (*wedge.Denial, error) {
	doctor, err := d.doctor(ctx)
	if err != nil {
		return nil, err
	}
	return doctor.Denied(ctx, c, message)
}

// PreApply implements bootstrap.Diagnoser.
func (d *lateDoctor) PreApply(ctx context.Context, c wedge.Case, names []tiers.Ref) (*wedge.Diagnosis, error) {
	doctor, err := d.doctor(ctx)
	if err != nil {
		return nil, err
	}
	return doctor.PreApply(ctx, c, names)
}
