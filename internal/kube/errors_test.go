package kube

import (
	"context"
	"errors"
	"net/url"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/standup-sh/standup/waiters"
)

func TestTypedReads(t *testing.T) {
	c := &Client{host: "https://c.test"}
	asked := request{verb: "patch", resource: "kustomizations.kustomize.toolkit.fluxcd.io", namespace: "apps"}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"401", apierrors.NewUnauthorized("Unauthorized"), "cluster https://c.test refuses the credentials: Unauthorized"},
		{"403", forbidden("no"), `not allowed to patch kustomizations.kustomize.toolkit.fluxcd.io in namespace apps: things "x" is forbidden: no`},
		{"a webhook's 403", forbidden("admission webhook w denied the request"), `things "x" is forbidden: admission webhook w denied the request`},
		{"a plugin", &url.Error{Op: "Get", URL: "u", Err: errors.New("getting credentials: exec: gone")}, "cluster https://c.test refuses the credentials: getting credentials: exec: gone"},
		{"our certificate", &url.Error{Op: "Get", URL: "u", Err: errors.New("remote error: tls: certificate required")}, "cluster https://c.test refuses the credentials: remote error: tls: certificate required"},
		{"a cut", &url.Error{Op: "Get", URL: "u", Err: errors.New("EOF")}, `cluster https://c.test is unreachable: Get "u": EOF`},
		{"a cancelled run", &url.Error{Op: "Get", URL: "u", Err: context.Canceled}, `Get "u": context canceled`},
		{"anything else", errors.New("odd"), "odd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := c.typed(tt.err, asked)
			if err.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
			if !errors.Is(err, tt.err) && !errors.Is(tt.err, errors.Unwrap(err)) {
				t.Error("what the server said is lost")
			}
		})
	}
}

func TestTerminalIsARefusal(t *testing.T) {
	c := &Client{}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"401":             {apierrors.NewUnauthorized("no"), true},
		"403":             {forbidden("no"), true},
		"a webhook's 403": {forbidden("exceeded quota: q"), false},
		"a plugin":        {&url.Error{Err: errors.New("getting credentials: no network")}, false},
		"503":             {apierrors.NewServiceUnavailable("later"), false},
		"nothing":         {nil, false},
	} {
		err := c.terminal(tt.err, request{})
		if waiters.IsTerminal(err) != tt.want || (err == nil) != (tt.err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOtherErrorsRead(t *testing.T) {
	for want, err := range map[string]error{
		"the cluster does not serve A.b, C.d: is Flux installed?": &NotServedError{Kinds: []string{"A.b", "C.d"}},
		"no kubeconfig":                 &UnauthorisedError{Err: errors.New("no kubeconfig")},
		"not allowed to list nodes: no": &ForbiddenError{Verb: "list", Resource: "nodes", Err: errors.New("no")},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
