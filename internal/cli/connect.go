package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/standup-sh/standup/internal/buildinfo"
	"github.com/standup-sh/standup/internal/kube"
	"github.com/standup-sh/standup/tiers"
)

// connectTimeout bounds the first contact with a cluster: a script must learn
// soon that there is none.
const connectTimeout = 15 * time.Second

// loadOrder reads the TIER_ORDER file, or returns nil when there is none and
// none was named.
func loadOrder(o common) (*tiers.TierOrder, error) {
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	// The environment variable is one of the flag's own, see globalFlags.
	path, _ := tiers.Lookup(o.TierOrder, "", exists)
	if path == "" {
		return nil, nil //nolint:nilnil // no file is an answer, not a failure
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &tiers.FileError{File: path, Message: reason(err), Hint: "name an existing file with -f, or none at all"}
	}
	return tiers.Parse(path, data)
}

// reason strips the path, which the message has already.
func reason(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// connect finds the cluster and makes sure that it answers and is the one that
// the TIER_ORDER file is meant for.
func connect(ctx context.Context, o common, order *tiers.TierOrder, log *logger) (*kube.Client, error) {
	client, err := kube.Connect(kube.Options{
		Kubeconfig: o.Kubeconfig, Context: o.Context, Namespace: o.Namespace, As: o.As,
		Version: buildinfo.Read().Version, Debugf: log.debugf, Warnf: log.warnf,
	})
	if err != nil {
		return nil, err
	}
	if order != nil && order.Context != "" && o.Context == "" && client.ContextName() != order.Context {
		return nil, usagef("%s is for context %s, and the current context is %s; name the context with --context if you mean it",
			order.File, order.Context, client.ContextName())
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	began := time.Now()
	version, err := client.Ping(ctx)
	if err != nil {
		return nil, unanswered(client, err, time.Since(began))
	}
	log.debugf("connected to %s (context %s), Kubernetes %s", client.Host(), client.ContextName(), version)
	return client, nil
}

// unanswered makes running out of connectTimeout, or of a --timeout that is
// shorter, what it is: unreachable.
func unanswered(client *kube.Client, err error, after time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &kube.UnreachableError{Host: client.Host(), Err: fmt.Errorf("no answer within %s", after.Round(100*time.Millisecond))}
	}
	return err
}
