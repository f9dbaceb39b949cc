package waiters

import "regexp"

var (
	reForbidden    = regexp.MustCompile(`User "([^"]+)" cannot `)
	reEscalation   = regexp.MustCompile(`user "([^"]+)" .*attempting to grant RBAC permissions`)
	reKubeConfig   = regexp.MustCompile(`KubeConfig secret '([^']+)'`)
	reNoAccount    = regexp.MustCompile(`serviceaccounts? "([^"]+)" not found`)
	reUnauthorised = regexp.MustCompile(`dry-run failed(?: \(|, reason: )(?:Forbidden|Unauthorized)\b|(?:^|: )Unauthorized$`)
	reExists       = regexp.MustCompile(`\(AlreadyExists\)|: \S+ "[^"]*" already exists$`)
	reRefused      = regexp.MustCompile(`dry-run failed(?: \(|, reason: )(?:Invalid|BadRequest)\b`)
	reInvalid      = regexp.MustCompile(`(\w\S* "[^"]*") is invalid: `)
	reNotDeleted   = regexp.MustCompile(`(\S+/\S+) (?:delete failed|termination timeout)`)
)

func objectRules() []rule {
	return []rule{
		{kind: Unauthorised, match: reForbidden, subject: "$1"},
		{kind: Unauthorised, match: reEscalation, subject: "$1"},
		{kind: Unauthorised, match: reKubeConfig, subject: "$1"},
		{kind: Unauthorised, match: reNoAccount, subject: "$1"},
		{kind: Unauthorised, says: []string{"Forbidden", "Unauthorized"}, match: reUnauthorised},
		{kind: Unauthorised, says: []string{"the server has asked for the client to provide credentials", "is forbidden: "}},
		{kind: Conflict, says: []string{
			"(Conflict)", "(FieldManagerConflict)", "the object has been modified; please apply", "Apply failed with ",
		}, name: applied},
		{kind: Conflict, says: []string{"lready"}, match: reExists, name: applied},
		{kind: InvalidObject, says: []string{" is invalid: "}, match: reInvalid, name: invalidObject},
		{kind: InvalidObject, match: reRefused, name: applied},
		{kind: InvalidObject, says: []string{
			"strict decoding error", "field not declared in schema", "failed to create typed ", "failed to create manager for ",
			"cannot be handled as a", "unable to decode",
		}, name: applied},
		{kind: PruneFailed, says: []string{"delete failed", "termination timeout"}, match: reNotDeleted, subject: "$1"},
	}
}

// invalidObject prefers the name in Flux's words to the one in the API
// server's.
func invalidObject(message string) string {
	if name := applied(message); name != "" {
		return name
	}
	return reInvalid.FindStringSubmatch(message)[1]
}
