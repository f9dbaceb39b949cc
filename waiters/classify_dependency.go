package waiters

import (
	"regexp"

	"github.com/fluxcd/pkg/apis/meta"
)

var (
	// kustomize-controller quotes the dependency, whatever went wrong with it:
	// "not found" with an API error behind it is not a proof of absence.
	reDependencyGone    = regexp.MustCompile(`dependency '([^']+)' not found: \S+ "[^"]*" not found`)
	reDependencyUnseen  = regexp.MustCompile(`dependency '[^']+' not found: .*(?:dial tcp|timeout|deadline exceeded|unavailable|unable to handle|too many requests|EOF|etcdserver)`)
	reDependencyWaiting = regexp.MustCompile(`dependency '([^']+)' (?:is not ready|revision is not up to date|not found)`)
	// helm-controller.
	reHelmDependencyGone = regexp.MustCompile(`unable to get '([^']+)' dependency: \S+ "[^"]*" not found`)
	reDependencyExpr     = regexp.MustCompile(`failed to evaluate (?:the )?CEL expression`)
)

func dependencyRules() []rule {
	return []rule{
		{kind: DependencyNotFound, match: reDependencyGone, subject: "$1"},
		{kind: DependencyNotFound, match: reHelmDependencyGone, subject: "$1"},
		{kind: APIUnavailable, match: reDependencyUnseen},
		{kind: DependencyNotReady, match: reDependencyWaiting, subject: "$1"},
		// A readyExpr over a field that is not there yet.
		{kind: DependencyNotReady, match: reDependencyExpr, reasons: []string{meta.DependencyNotReadyReason}},
	}
}
