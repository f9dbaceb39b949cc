package waiters

import "regexp"

var (
	reConflict    = regexp.MustCompile(`\(Conflict\)|\(FieldManagerConflict\)|the object has been modified; please apply|Apply failed with \d+ conflict`)
	reExists      = regexp.MustCompile(`\(AlreadyExists\)|: \S+ "[^"]*" already exists$`)
	reInvalid     = regexp.MustCompile(`dry-run failed(?: \(|, reason: )(?:Invalid|BadRequest)\b|strict decoding error|field not declared in schema|failed to create (?:typed|manager for) |cannot be handled as a|unable to decode|(\w\S* "[^"]*") is invalid: `)
	reForbidden   = regexp.MustCompile(`User "([^"]+)" cannot `)
	reGrant       = regexp.MustCompile(`user "([^"]+)" .*attempting to grant RBAC permissions not currently held|attempting to grant RBAC permissions not currently held`)
	reNoAccount   = regexp.MustCompile(`KubeConfig secret '([^']+)'|serviceaccounts? "([^"]+)" not found`)
	reUnauthorise = regexp.MustCompile(`dry-run failed(?: \(|, reason: )(?:Forbidden|Unauthorized)\b|^Unauthorized$|: Unauthorized$|the server has asked for the client to provide credentials|is forbidden: `)
	reDelete      = regexp.MustCompile(`delete failed, errors: (\S+)|(\S+/\S+) (?:delete failed|termination timeout)`)
)

func objectRules() []rule {
	return []rule{
		{kind: Unauthorised, match: reForbidden, subject: "$1"},
		{kind: Unauthorised, match: reGrant, subject: "$1"},
		{kind: Unauthorised, match: reNoAccount, subject: "$1$2"},
		{kind: Unauthorised, match: reUnauthorise},
		{kind: Conflict, match: reConflict, name: applied},
		{kind: Conflict, match: reExists, name: applied},
		{kind: InvalidObject, match: reInvalid, name: invalidObject},
		{kind: PruneFailed, match: reDelete, subject: "$1$2"},
	}
}

func invalidObject(message string) string {
	if name := applied(message); name != "" {
		return name
	}
	if m := reInvalid.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}
