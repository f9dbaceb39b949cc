package kube

import (
	"context"
	"math"
	"slices"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/standup-sh/standup/tiers"
)

// watchedKinds are the kinds of a view. Only the first must be served.
func watchedKinds() []string {
	return []string{
		tiers.KindKustomization,
		tiers.KindGitRepository, tiers.KindOCIRepository, tiers.KindBucket, tiers.KindExternalArtifact,
	}
}

const (
	// firstListWithin is how long the first lists may take while requests fail.
	firstListWithin = 30 * time.Second
	// lookAgainEvery is how often a source kind that was not served is looked
	// for: an upgrade of Flux in the middle of a run brings new ones.
	lookAgainEvery = 20 * time.Second
)

// retries is the pause between attempts to list and watch. client-go's own
// grows to half a minute and more, which is what a run would lose after the
// API server came back. With the jitter it stays under one second.
func retries() *wait.Backoff {
	return &wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 600 * time.Millisecond, Steps: math.MaxInt32}
}

// Watch returns a view of the cluster's Flux objects once every kind was
// listed; it is kept up to date until ctx ends. The error is an
// *UnreachableError, *UnauthorisedError, *ForbiddenError or *NotServedError,
// or ctx's own.
func (c *Client) Watch(ctx context.Context) (*View, error) {
	v := &View{store: newStore(), failed: make(chan error, 1)}
	found, missing, err := c.served(ctx, watchedKinds())
	if err != nil {
		return nil, err
	}
	if slices.Contains(missing, tiers.KindKustomization) {
		return nil, &NotServedError{Kinds: []string{groupKind(tiers.KindKustomization).String()}}
	}
	running, stop := context.WithCancel(ctx)
	feeds := c.start(running, v, found)
	if err := v.sync(ctx, feeds); err != nil {
		stop()
		return nil, err
	}
	context.AfterFunc(ctx, stop)
	if len(missing) > 0 {
		go c.watchLater(running, v, missing)
	}
	return v, nil
}

// served finds the resources of those kinds that are served.
func (c *Client) served(ctx context.Context, kinds []string) (found map[string]resource, missing []string, err error) {
	found = make(map[string]resource)
	for _, kind := range kinds {
		gk := groupKind(kind)
		err := c.ask(ctx, func(ctx context.Context) error {
			r, err := c.mapper.find(ctx, gk.WithVersion(wantedVersion(kind)))
			found[kind] = r
			return err
		})
		switch {
		case apierrors.IsNotFound(err):
			delete(found, kind)
			missing = append(missing, kind)
		case err != nil:
			return nil, nil, c.typed(err, request{verb: "get", resource: "API group " + gk.Group})
		}
	}
	return found, missing, nil
}

// wantedVersion is v1 for Kustomizations, which are read by their type. The
// few fields of a source that matter are the same in all of its versions.
func wantedVersion(kind string) string {
	if kind == tiers.KindKustomization {
		return kustomizev1.GroupVersion.Version
	}
	return ""
}

// start runs a reflector for each kind.
func (c *Client) start(ctx context.Context, v *View, found map[string]resource) []*feed {
	var feeds []*feed
	for _, kind := range watchedKinds() {
		r, ok := found[kind]
		if !ok {
			continue
		}
		f := &feed{
			client: c, kind: kind, resource: r, fail: v.fail,
			part: &part{store: v.store, kind: kind, synced: make(chan struct{})},
		}
		feeds = append(feeds, f)
		reflector := cache.NewReflectorWithOptions(f.listerWatcher(), nil, f.part, cache.ReflectorOptions{
			Name: "standup", TypeDescription: kind, Backoff: retries(),
		})
		go repeat(ctx, reflector)
	}
	return feeds
}

// repeat is the reflector's own Run without its error handler, which cannot be
// replaced and tells the process's global one; the feed has told us already.
func repeat(ctx context.Context, reflector *cache.Reflector) {
	pause := retries().DelayWithReset(clock.RealClock{}, time.Minute)
	_ = pause.Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		_ = reflector.ListAndWatchWithContext(ctx) // told by the feed
		return false, nil
	}) // ends with ctx, and with nothing else
}

// sync waits for the first list of every kind.
func (v *View) sync(ctx context.Context, feeds []*feed) error {
	patience := time.NewTimer(firstListWithin)
	defer patience.Stop()
	for _, f := range feeds {
		select {
		case <-f.part.synced:
		case err := <-v.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-patience.C:
			return f.describe()
		}
	}
	return nil
}

// watchLater adds kinds that come to be served while the view runs.
func (c *Client) watchLater(ctx context.Context, v *View, missing []string) {
	ticker := time.NewTicker(lookAgainEvery)
	defer ticker.Stop()
	for len(missing) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		found, still, err := c.served(ctx, missing)
		if err != nil {
			c.debugf("looking for %v: %v", missing, err)
			continue
		}
		c.start(ctx, v, found)
		missing = still
	}
}
