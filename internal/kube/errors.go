package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/standup-sh/standup/waiters"
)

// UnreachableError says that the API server did not answer.
type UnreachableError struct {
	Host string
	Err  error
}

// Error implements error.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("cluster %s is unreachable: %v", e.Host, e.Err)
}

// Unwrap returns what the transport said.
func (e *UnreachableError) Unwrap() error { return e.Err }

// UnauthorisedError says that there are no usable credentials: the server
// refused them (401), or the kubeconfig, its context or its credential plugin
// gives none.
type UnauthorisedError struct {
	Host string // empty when no server was asked
	Err  error
}

// Error implements error.
func (e *UnauthorisedError) Error() string {
	if e.Host == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("cluster %s refuses the credentials: %v", e.Host, e.Err)
}

// Unwrap returns the reason.
func (e *UnauthorisedError) Unwrap() error { return e.Err }

// ForbiddenError says that the credentials are good and do not allow the
// request.
type ForbiddenError struct {
	Verb      string
	Resource  string // resource.group
	Namespace string // empty for all namespaces, or a cluster-scoped resource
	Err       error
}

// Error implements error.
func (e *ForbiddenError) Error() string {
	where := ""
	if e.Namespace != "" {
		where = " in namespace " + e.Namespace
	}
	return fmt.Sprintf("not allowed to %s %s%s: %v", e.Verb, e.Resource, where, e.Err)
}

// Unwrap returns the server's answer, which apimachinery's IsForbidden knows.
func (e *ForbiddenError) Unwrap() error { return e.Err }

// NotServedError says that the API server does not serve kinds without which
// nothing can be done: Flux is not installed.
type NotServedError struct {
	Kinds []string // kind.group
}

// Error implements error.
func (e *NotServedError) Error() string {
	return fmt.Sprintf("the cluster does not serve %s: is Flux installed?", strings.Join(e.Kinds, ", "))
}

// request says what was asked, for the error that may come of it.
type request struct {
	verb, resource, namespace string
}

// typed turns an answer into one of this package's errors where it is one.
// Everything else, NotFound and Conflict among them, passes through.
func (c *Client) typed(err error, r request) error {
	var plugin *url.Error
	switch {
	case err == nil:
		return nil
	case apierrors.IsUnauthorized(err):
		return &UnauthorisedError{Host: c.host, Err: err}
	case refused(err):
		return &ForbiddenError{Verb: r.verb, Resource: r.resource, Namespace: r.namespace, Err: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &plugin) && credentialsFailed(plugin.Err):
		return &UnauthorisedError{Host: c.host, Err: plugin.Err}
	case unanswered(err):
		return &UnreachableError{Host: c.host, Err: err}
	}
	return err
}

// terminal is typed for the interfaces whose callers retry: no retry helps
// against a refusal.
func (c *Client) terminal(err error, r request) error {
	err = c.typed(err, r)
	if refused(err) {
		return waiters.TerminalError(err)
	}
	return err
}

// refused reports whether the server said no. A credential plugin that failed
// is not meant: it may have lost the network together with us.
func refused(err error) bool {
	return apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) && !fromAdmission(err)
}

// fromAdmission tells the 403 of an admission webhook, policy or quota from
// that of an authoriser: it is about the object, and may pass. The marks are
// those of k8s.io/apiserver's admission plugins; authorisers word theirs as
// they like.
func fromAdmission(err error) bool {
	text := err.Error()
	for _, mark := range []string{"denied the request", "denied request", "exceeded quota", "is being terminated", "violates PodSecurity"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// credentialsFailed recognises a request that was never sent because the
// credential plugin failed, or whose client certificate was refused. client-go
// and crypto/tls have types for neither.
func credentialsFailed(err error) bool {
	text := err.Error()
	for _, mark := range []string{
		"getting credentials: ",              // exec plugins
		"failed to refresh token",            // oidc
		"tls: bad certificate",               // sent by the server about ours
		"tls: certificate required",          //
		"tls: expired certificate",           //
		"tls: unknown certificate authority", //
	} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// unanswered recognises errors of the transport, from name look-up to TLS.
func unanswered(err error) bool {
	var (
		netErr      net.Error
		slow        *noAnswerError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		certificate *tls.CertificateVerificationError
		transport   *url.Error
	)
	return errors.As(err, &netErr) || errors.As(err, &slow) || errors.As(err, &authority) ||
		errors.As(err, &hostname) || errors.As(err, &certificate) || errors.As(err, &transport)
}

// noAnswerError is the end of one request's own time. It hides
// context.DeadlineExceeded, which callers know as the end of theirs.
type noAnswerError struct {
	after time.Duration
	last  string // what the request ended with
}

// Error implements error.
func (e *noAnswerError) Error() string {
	return fmt.Sprintf("no answer within %s: %s", e.after, e.last)
}
