package waiters

import "regexp"

var (
	reHelmAttempts  = regexp.MustCompile(`Failed to \w+ after \d+ attempt\(s\)`)
	reHelmOwnership = regexp.MustCompile(`Unable to continue with \w+: (\w+ "[^"]+").* invalid ownership metadata`)
	reHelmHealth    = regexp.MustCompile(`resource (\S+/\S+/\S+) not ready`)
	reHelmWait      = regexp.MustCompile(`Helm \w+ failed .*(?:context deadline exceeded|timed out waiting for the condition)`)
	reHelmExecution = regexp.MustCompile(`execution error at \(([^)]+)\)`)
	reHelmYAML      = regexp.MustCompile(`YAML parse error on (\S+)`)
	reHelmTemplate  = regexp.MustCompile(`template: \S+: executing`)
)

func helmRules() []rule {
	return []rule{
		{kind: HelmRetriesExhausted, match: reHelmAttempts},
		{kind: HelmRetriesExhausted, says: []string{"exceeded maximum retries", "missing target release for rollback"}},
		{kind: HelmRetriesExhausted, reasons: []string{"RetriesExceeded", "MissingRollbackTarget"}},
		{kind: Conflict, class: NeedsAction, match: reHelmOwnership, subject: "$1"},
		{kind: HealthCheckTimeout, says: []string{" not ready"}, match: reHelmHealth, subject: "$1"},
		{kind: HealthCheckTimeout, match: reHelmWait},
		{kind: BuildFailed, match: reHelmExecution, subject: "$1"},
		{kind: BuildFailed, match: reHelmYAML, subject: "$1"},
		{kind: BuildFailed, match: reHelmTemplate},
		{kind: BuildFailed, says: []string{"values don't meet the specifications of the schema", "parse error at ("}},
	}
}
