package waiters

import (
	"regexp"

	"github.com/fluxcd/pkg/apis/meta"
)

var (
	reDependencyWaiting = regexp.MustCompile(`dependency '([^']+)' (?:is not ready|revision is not up to date)`)
	// kustomize-controller says "not found" whatever went wrong with the look:
	// with an API error behind it, it is not a proof of absence.
	reDependencyGone     = regexp.MustCompile(`dependency '([^']+)' not found: \S+ "[^"]*" not found`)
	reDependencyUnseen   = regexp.MustCompile(`dependency '[^']+' not found: .*(?:dial tcp|timeout|deadline exceeded|unavailable|unable to handle|too many requests|EOF|etcdserver)`)
	reDependencyNotFound = regexp.MustCompile(`dependency '([^']+)' not found`)
	// helm-controller.
	reHelmDependencyGone = regexp.MustCompile(`unable to get '([^']+)' dependency: \S+ "[^"]*" not found`)
)

func dependencyRules() []rule {
	return []rule{
		{kind: DependencyNotReady, match: reDependencyWaiting, subject: "$1"},
		{kind: DependencyNotFound, match: reDependencyGone, subject: "$1"},
		{kind: DependencyNotFound, match: reHelmDependencyGone, subject: "$1"},
		{kind: APIUnavailable, match: reDependencyUnseen},
		{kind: DependencyNotReady, match: reDependencyNotFound, subject: "$1"},
		// A readyExpr over a field that is not there yet.
		{kind: DependencyNotReady, says: []string{"CEL expression"}, reasons: []string{meta.DependencyNotReadyReason}},
	}
}
