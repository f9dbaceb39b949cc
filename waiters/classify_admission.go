package waiters

import "regexp"

var (
	reUpdatesForbidden = regexp.MustCompile(`[Uu]pdates to [\w ]*?(?:parameters|fields other than) .*(?:are )?forbidden`)
	reDenied           = regexp.MustCompile(`admission webhook \\?"([^"\\]+)\\?" (?:denied the request|does not support dry run)`)
	rePolicy           = regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request`)
	rePodSecurity      = regexp.MustCompile(`violates PodSecurity "([^"]+)"`)
	reQuota            = regexp.MustCompile(`exceeded quota: ([^,\s]+)`)
	// Plugins of the API server: ServiceAccount, Priority, RuntimeClass, LimitRanger
	// (k8s.io/kubernetes, plugin/pkg/admission). They answer Forbidden as the
	// authoriser does, and say nothing of a user.
	reNoServiceAccount = regexp.MustCompile(`is forbidden: error looking up service account ([^:\s]+):`)
	reNoPriority       = regexp.MustCompile(`is forbidden: no PriorityClass with name (\S+) was found`)
	reNoRuntimeClass   = regexp.MustCompile(`is forbidden: pod rejected: RuntimeClass "([^"]+)" not found`)
	reLimitRange       = regexp.MustCompile(`is forbidden: .*(?:maximum|minimum) \S+ usage per|limit to request ratio per`)
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
		{kind: AdmissionDenied, says: []string{"looking up service account"}, match: reNoServiceAccount, subject: "ServiceAccount $1"},
		{kind: AdmissionDenied, says: []string{"no PriorityClass"}, match: reNoPriority, subject: "PriorityClass $1"},
		{kind: AdmissionDenied, says: []string{"RuntimeClass"}, match: reNoRuntimeClass, subject: "RuntimeClass $1"},
		{kind: AdmissionDenied, says: []string{" usage per", "ratio per"}, match: reLimitRange, subject: "LimitRange"},
		// Refused, no endpoints, deadline, EOF, unknown authority: all of them are
		// what a webhook looks like whose pods or whose CA bundle are on the way.
		{kind: WebhookUnavailable, match: reWebhookDown, subject: "webhook $1"},
		{kind: WebhookUnavailable, match: reConversionDown, subject: "webhook for $1"},
		{kind: WebhookUnavailable, says: []string{"failed to call webhook"}},
	}
}
