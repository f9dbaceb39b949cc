package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/kube"
	"github.com/standup-sh/standup/internal/report"
	"github.com/standup-sh/standup/tiers"
)

// session is a cluster that is connected and watched, and its TIER_ORDER.
type session struct {
	order  *tiers.TierOrder
	client *kube.Client
	view   *kube.View
	log    *logger

	lastEarly   []report.StatusEarly // what status found applied early
	lookedEarly time.Time            // and when
}

// open reads TIER_ORDER, connects, and returns once every Flux object has been
// listed. The watch ends with ctx.
func open(ctx context.Context, o common, log *logger) (*session, error) {
	order, err := loadOrder(o)
	if err != nil {
		return nil, err
	}
	client, err := connect(ctx, o, order, log)
	if err != nil {
		return nil, err
	}
	view, err := client.Watch(ctx)
	if err != nil {
		return nil, notInstalled(err)
	}
	return &session{order: order, client: client, view: view, log: log}, nil
}

// notInstalled names the precondition behind a kind that is not served.
func notInstalled(err error) error {
	var missing *kube.NotServedError
	if errors.As(err, &missing) {
		return &bootstrap.PreconditionError{What: "the cluster does not serve " + strings.Join(missing.Kinds, ", "), Remedy: "install Flux first (flux install, or flux-operator)"}
	}
	return err
}

// plan makes the plan of what resume would do now.
func (s *session) plan() (*tiers.Plan, error) {
	return tiers.Build(tiers.Input{Order: s.order, Snapshot: bootstrap.Snapshot(s.view)})
}
