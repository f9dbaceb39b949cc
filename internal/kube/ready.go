package kube

import (
	"context"
	"net/http"

	"k8s.io/client-go/rest"
)

// readiness is what the API server says of itself.
type readiness int

const (
	readinessUnknown readiness = iota // it does not tell
	starting                          // not yet
	ready
)

// readyz makes a function that asks /readyz without credentials: with bad ones
// even that path answers 401, which would tell nothing.
func readyz(config *rest.Config) (func(context.Context) readiness, error) {
	anonymous := rest.AnonymousClientConfig(config)
	client, err := rest.HTTPClientFor(anonymous)
	if err != nil {
		return nil, err
	}
	base, _, err := rest.DefaultServerUrlFor(anonymous)
	if err != nil {
		return nil, err
	}
	target := base.JoinPath("readyz").String()
	return func(ctx context.Context) readiness {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
		if err != nil {
			return readinessUnknown
		}
		resp, err := client.Do(req)
		if err != nil {
			return starting
		}
		_ = resp.Body.Close() // it was only read
		return readinessOf(resp.StatusCode)
	}, nil
}

// readinessOf reads the status. 403 is what an API server answers that has not
// yet read the rule which opens the path to everybody; 401, one that lets
// nobody in without a name.
func readinessOf(status int) readiness {
	switch {
	case status == http.StatusOK:
		return ready
	case status == http.StatusForbidden, status >= http.StatusInternalServerError:
		return starting
	}
	return readinessUnknown
}
