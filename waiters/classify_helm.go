package waiters

import "regexp"

var (
	reHelmExhausted = regexp.MustCompile(`Failed to \w+ after \d+ attempt\(s\)|exceeded maximum retries|missing target release for rollback`)
	reHelmOwnership = regexp.MustCompile(`Unable to continue with \w+: (\w+ "[^"]+").* invalid ownership metadata`)
	reHelmHealth    = regexp.MustCompile(`resource (\S+/\S+/\S+) not ready`)
	reHelmWait      = regexp.MustCompile(`Helm \w+ failed .*(?:context deadline exceeded|timed out waiting for the condition)`)
	reHelmTemplate  = regexp.MustCompile(`execution error at \(([^)]+)\)|values don't meet the specifications of the schema|parse error at \(|template: \S+: executing|YAML parse error on (\S+)`)
)

func helmRules() []rule {
	return []rule{
		{kind: HelmRetriesExhausted, match: reHelmExhausted},
		{kind: HelmRetriesExhausted, reasons: []string{"RetriesExceeded", "MissingRollbackTarget"}},
		{kind: Conflict, class: NeedsAction, match: reHelmOwnership, subject: "$1"},
		{kind: HealthCheckTimeout, match: reHelmHealth, subject: "$1"},
		{kind: HealthCheckTimeout, match: reHelmWait},
		{kind: BuildFailed, match: reHelmTemplate, subject: "$1$2"},
	}
}
