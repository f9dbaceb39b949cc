package waiters

import "regexp"

var (
	// The denial may quote anything, so it is looked for before the failed call.
	reImmutable        = regexp.MustCompile(`field is immutable|[iI]s immutable|immutable field|may not change once set|cannot change roleRef|[Uu]pdates to [\w ]*?(?:parameters|fields other than) .*(?:are )?forbidden`)
	reDenied           = regexp.MustCompile(`admission webhook \\?"([^"\\]+)\\?" (?:denied the request|does not support dry run)`)
	rePolicy           = regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request`)
	rePodSecurity      = regexp.MustCompile(`violates PodSecurity "([^"]+)"`)
	reQuota            = regexp.MustCompile(`exceeded quota: ([^,\s]+)`)
	reWebhookDown      = regexp.MustCompile(`failed calling webhook "([^"]+)"`)
	reWebhookDownOther = regexp.MustCompile(`failed to call webhook|conversion webhook for (.+?) failed`)
)

func admissionRules() []rule {
	return []rule{
		{kind: ImmutableField, match: reImmutable, name: applied},
		{kind: AdmissionDenied, match: reDenied, subject: "webhook $1"},
		{kind: AdmissionDenied, match: rePolicy, subject: "ValidatingAdmissionPolicy $1"},
		{kind: AdmissionDenied, match: rePodSecurity, subject: "PodSecurity $1"},
		{kind: AdmissionDenied, match: reQuota, subject: "ResourceQuota $1"},
		// Refused, no endpoints, deadline, EOF, unknown authority: all of them are
		// what a webhook looks like whose pods or whose CA bundle are on the way.
		{kind: WebhookUnavailable, match: reWebhookDown, subject: "webhook $1"},
		{kind: WebhookUnavailable, match: reWebhookDownOther, subject: "$1"},
	}
}
