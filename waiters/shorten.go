package waiters

import (
	"regexp"
	"strings"
	"unicode"
)

// maxMessage is the longest message, in runes, that is shown anywhere.
const maxMessage = 300

// masked stands for what must not be shown.
const masked = "***"

var (
	// The controller quotes a whole object that it cannot make sense of.
	reDump     = regexp.MustCompile(`(?s)(failed to decode Kubernetes apiVersion, kind and name from: ).*`)
	reData     = regexp.MustCompile(`(?s)\b(?:data|stringData)\b["']?(?:\[[^\]]*\]|\.[\w.-]+)?\s*[:={].*`)
	reBlob     = regexp.MustCompile(`[A-Za-z0-9+/_-]{40,}={0,2}`)
	reValue    = regexp.MustCompile(`(Invalid value: |\bgot )(?:"(?:[^"\\]|\\.)*"|\{[^}]*\}|&\S+)`)
	rePEM      = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$)`)
	reAge      = regexp.MustCompile(`AGE-SECRET-KEY-[A-Z0-9-]+`)
	reUserinfo = regexp.MustCompile(`(\w+://)[^/\s@:]*:[^/\s@]+@`)
	reParam    = regexp.MustCompile(`(?i)\b((?:[\w-]*(?:token|signature|password|passwd|secret|apikey|api_key|access_key|credential))=)[^&\s"']+`)
	reBearer   = regexp.MustCompile(`(?i)\b(bearer|basic) [A-Za-z0-9+/._=-]{12,}`)
)

// Shorten makes a controller's message fit for people and logs: one line, at
// most 300 runes, and no values that may come from a Secret. The controllers
// mask what they know to be secret; this is for what they do not.
func Shorten(message string) string {
	message = strings.ToValidUTF8(withoutChangeLog(message), string(unicode.ReplacementChar))
	message = strings.Join(strings.FieldsFunc(mask(message), isGap), " ")
	runes := []rune(message)
	if len(runes) <= maxMessage {
		return message
	}
	return strings.TrimSpace(string(runes[:maxMessage-1])) + "…"
}

func isGap(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.C, r) }

func mask(message string) string {
	if !mayHoldSecrets(message) {
		return message
	}
	message = reDump.ReplaceAllString(message, "${1}"+masked)
	message = rePEM.ReplaceAllString(message, masked)
	message = reAge.ReplaceAllString(message, masked)
	message = reUserinfo.ReplaceAllString(message, "${1}"+masked+"@")
	message = reParam.ReplaceAllString(message, "${1}"+masked)
	message = reBearer.ReplaceAllString(message, "${1} "+masked)
	return reData.ReplaceAllStringFunc(message, func(data string) string {
		if strings.Contains(message, "Secret") {
			data = reValue.ReplaceAllString(data, "${1}"+masked)
		}
		return reBlob.ReplaceAllString(data, masked)
	})
}

// mayHoldSecrets is a quick look for what all the expressions need: nearly all
// messages have none of it.
func mayHoldSecrets(message string) bool {
	return containsAny(strings.ToLower(message), []string{
		"data", "-----begin", "age-secret", "://", "=", "bearer", "basic", "apiversion",
	})
}
