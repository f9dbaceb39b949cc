package waiters

import (
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rule recognises one class of messages. Every condition that it sets must
// hold.
type rule struct {
	kind  CauseKind
	class Class // when not the kind's usual one
	// reasons limits the rule to conditions with one of these reasons. Most
	// rules have none: ReconciliationFailed is as often a passing webhook as a
	// broken manifest.
	reasons []string
	// says are texts of which the message contains one. They are worth having
	// beside a match, too: looking for a text costs a hundredth of a regular
	// expression, and most of a cold cluster's messages are most rules' misses.
	says  []string
	match *regexp.Regexp
	// subject is expanded from the match, as by regexp.Expand.
	subject string
	// name, if set, makes the subject out of the message instead.
	name func(message string) string
}

// Classify finds the cause of a failed condition by what its message says;
// the reason decides only where the message does not. The first rule that
// matches wins, so the order of the groups matters: what says more comes
// first, and network errors, which are part of many other messages, late.
func Classify(reason, message string) Cause {
	message = withoutChangeLog(message)
	for _, group := range []func() []rule{
		specRules, dependencyRules, healthRules, buildRules, decryptionRules, admissionRules,
		kindRules, helmRules, sourceRules, objectRules, apiRules, reasonRules,
	} {
		for _, r := range group() {
			if c, ok := r.apply(reason, message); ok {
				return c
			}
		}
	}
	return newCause(Unclassified, "")
}

func (r rule) apply(reason, message string) (Cause, bool) {
	if len(r.reasons) > 0 && !slices.Contains(r.reasons, reason) || len(r.says) > 0 && !containsAny(message, r.says) {
		return Cause{}, false
	}
	subject := ""
	if r.match != nil {
		at := r.match.FindStringSubmatchIndex(message)
		if at == nil {
			return Cause{}, false
		}
		subject = string(r.match.ExpandString(nil, r.subject, message, at))
	}
	if r.name != nil {
		subject = r.name(message)
	}
	c := newCause(r.kind, Shorten(subject))
	if r.class != NoClass {
		c.Class = r.class
	}
	return c, true
}

func containsAny(message string, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(message, text) })
}

// stalledCause classifies a Stalled condition. The controller has given up, so
// whatever does not name its cause is a fault of the object itself.
func stalledCause(c *metav1.Condition) Cause {
	cause := Classify(c.Reason, c.Message)
	if cause.Kind == Unclassified {
		return newCause(InvalidSpec, "")
	}
	return cause
}

var reChange = regexp.MustCompile(`(?m)^\S+/\S+ (?:created|configured|unchanged|deleted|skipped|unknown)$\n?`)

// withoutChangeLog drops what kustomize-controller appends to the error of a
// half-done apply: one line for each object that was changed before.
func withoutChangeLog(message string) string {
	if !strings.Contains(message, "\n") {
		return message
	}
	return strings.TrimSpace(reChange.ReplaceAllString(message, ""))
}

// reObject finds the object that an error of a server-side apply begins with.
var reObject = regexp.MustCompile(`^(?:.*?: )?([A-Z]\w*/\S+) (?:dry-run failed|apply failed|not found:|namespace not specified|immutable field|delete failed|failed to migrate|metadata\.managedFields)`)

// applied names the object that an apply stumbled over, or nothing.
func applied(message string) string {
	if m := reObject.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}
