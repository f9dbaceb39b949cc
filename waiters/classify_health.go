package waiters

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	reHealthHelm   = regexp.MustCompile(`failed early due to stalled resources: \[.*?(HelmRelease/\S+) status: 'Failed'`)
	reHealthFailed = regexp.MustCompile(`timeout waiting for: \[.*status: 'Failed'`)
	reUnhealthy    = regexp.MustCompile(`([A-Z]\w*/[^\s,\]]+) status: '(\w+)'`)
	reUndetermined = regexp.MustCompile(`can't determine status for ([A-Z]\w*/[^\s,\]]+)`)
)

// maxNamed is how many objects a subject names.
const maxNamed = 3

func healthRules() []rule {
	return []rule{
		{kind: MissingKind, says: []string{": ["}, match: reHealthNoKind, name: missingKind},
		{kind: HelmRetriesExhausted, match: reHealthHelm, subject: "$1"},
		{kind: HealthCheckFailed, says: []string{"failed early due to stalled resources: ["}, name: failedObjects},
		{kind: HealthCheckFailed, match: reHealthFailed, name: failedObjects},
		{kind: HealthCheckTimeout, says: []string{"timeout waiting for: [", "can't determine status for "}, name: unhealthyObjects},
	}
}

func failedObjects(message string) string {
	return objects(message, func(state string) bool { return state == "Failed" })
}

func unhealthyObjects(message string) string {
	return objects(message, func(string) bool { return true })
}

// objects lists the objects of a health check error whose state is wanted.
func objects(message string, want func(state string) bool) string {
	var names []string
	for _, m := range reUnhealthy.FindAllStringSubmatch(message, -1) {
		if want(m[2]) {
			names = append(names, m[1])
		}
	}
	if len(names) == 0 {
		for _, m := range reUndetermined.FindAllStringSubmatch(message, -1) {
			names = append(names, m[1])
		}
	}
	rest := ""
	if len(names) > maxNamed {
		rest = fmt.Sprintf(" and %d more", len(names)-maxNamed)
		names = names[:maxNamed]
	}
	return strings.Join(names, ", ") + rest
}
