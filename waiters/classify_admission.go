package waiters

import "regexp"

var (
	reUpdatesForbidden = regexp.MustCompile(`[Uu]pdates to [\w ]*?(?:parameters|fields other than) .*(?:are )?forbidden`)
	reDenied           = regexp.MustCompile(`admission webhook \\?"([^"\\]+)\\?" (?:denied the request|does not support dry run)`)
	rePolicy           = regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request`)
	rePodSecurity      = regexp.MustCompile(`violates PodSecurity "([^"]+)"`)
	reQuota            = regexp.MustCompile(`exceeded quota: ([^,\s]+)`)
	reWebhookDown      = regexp.MustCompile(`failed calling webhook "([^"]+)"`)
	reConversionDown   = regexp.MustCompile(`conversion webhook for (.+?) failed`)
)

func admissionRules() []rule {
	return []rule{
		// Webhooks forbid changes too, in these words.
		{kind: ImmutableField, says: []string{
			"field is immutable", "is immutable", "Is immutable", "immutable field", "may not change once set", "cannot change roleRef",
		}, name: applied},
		{kind: ImmutableField, says: []string{"pdates to "}, match: reUpdatesForbidden, name: applied},
		{kind: AdmissionDenied, match: reDenied, subject: "webhook $1"},
		{kind: AdmissionDenied, match: rePolicy, subject: "ValidatingAdmissionPolicy $1"},
		{kind: AdmissionDenied, match: rePodSecurity, subject: "PodSecurity $1"},
		{kind: AdmissionDenied, match: reQuota, subject: "ResourceQuota $1"},
		// Refused, no endpoints, deadline, EOF, unknown authority: all of them are
		// what a webhook looks like whose pods or whose CA bundle are on the way.
		{kind: WebhookUnavailable, match: reWebhookDown, subject: "webhook $1"},
		{kind: WebhookUnavailable, match: reConversionDown, subject: "webhook for $1"},
		{kind: WebhookUnavailable, says: []string{"failed to call webhook"}},
	}
}
