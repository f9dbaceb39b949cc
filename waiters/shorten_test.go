package waiters

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	blob := strings.Repeat("c2VjcmV0", 8)
	for _, tc := range []struct{ name, message, want string }{
		{"empty", "", ""},
		{"plain", "all is well", "all is well"},
		{"one line", "a\n\tb\r\n  c\x00d", "a b c d"},
		{"invalid UTF-8", "a\xffb", "a\uFFFDb"},
		{"long", strings.Repeat("é", 400), strings.Repeat("é", 299) + "…"},
		{"just fits", strings.Repeat("é", 300), strings.Repeat("é", 300)},
		{
			"Secret data", `Secret/apps/t dry-run failed (Invalid): Secret "t" is invalid: data: {"token":"` + blob + `"}`,
			`Secret/apps/t dry-run failed (Invalid): Secret "t" is invalid: data: {"token":"***"}`,
		},
		{
			"Secret value", `Secret "t" is invalid: data[token]: Invalid value: "hunter2": too short`,
			`Secret "t" is invalid: data[token]: Invalid value: ***: too short`,
		},
		{
			"typed patch of a Secret",
			`failed to create typed patch object (apps/t; /v1, Kind=Secret): .stringData.token: expected string, got &value.valueUnstructured{Value:12345}`,
			`failed to create typed patch object (apps/t; /v1, Kind=Secret): .stringData.token: expected string, got ***`,
		},
		{
			"whole object", "failed to decode Kubernetes apiVersion, kind and name from: apiVersion: v1\nkind: Secret\nstringData:\n  token: hunter2\n",
			"failed to decode Kubernetes apiVersion, kind and name from: ***",
		},
		{
			"private key", "cannot read -----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY----- here",
			"cannot read *** here",
		},
		{"cut private key", "cannot read -----BEGIN RSA PRIVATE KEY-----\nabc", "cannot read ***"},
		{"age key", "bad identity AGE-SECRET-KEY-1QQQQ", "bad identity ***"},
		{"userinfo", "unable to clone 'https://bot:hunter2@git.example.com/x'", "unable to clone 'https://***@git.example.com/x'"},
		{"user without password stays", "ssh://git@git.example.com/x", "ssh://git@git.example.com/x"},
		{"signed URL", `Get "https://s3.lan/b?X-Amz-Signature=abcdef&x=1"`, `Get "https://s3.lan/b?X-Amz-Signature=***&x=1"`},
		{"token in URL", `Get "https://git.lan/x?access_token=abcdef"`, `Get "https://git.lan/x?access_token=***"`},
		{"bearer", "header Authorization: Bearer abcdefghijklmnop", "header Authorization: Bearer ***"},
		{
			"digests and paths stay", "failed to verify archive: computed digest doesn't match provided 'sha256:" + strings.Repeat("ab", 32) + "'",
			"failed to verify archive: computed digest doesn't match provided 'sha256:" + strings.Repeat("ab", 32) + "'",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Shorten(tc.message); got != tc.want {
				t.Errorf("Shorten(%q)\n got %q\nwant %q", tc.message, got, tc.want)
			}
		})
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range []string{noKind, noGroup, noKindHelm, noKindHealth, "a: EOF", "data: {", "\xff"} {
		f.Add("ReconciliationFailed", s)
	}
	f.Add("DependencyNotReady", "dependency 'a/b' is not ready")
	f.Add("ArtifactFailed", `buckets.source.toolkit.fluxcd.io "infra" not found`)
	f.Fuzz(func(t *testing.T, reason, message string) {
		c := Classify(reason, message)
		if c.Kind == NoCause || c.Class == NoClass || c.Remedy == "" {
			t.Errorf("Classify(%q, %q) = %+v", reason, message, c)
		}
		if again := Classify(reason, message); again != c {
			t.Errorf("Classify is not a function: %+v and %+v", c, again)
		}
		for _, s := range []string{c.Subject, Shorten(message)} {
			if n := utf8.RuneCountInString(s); n > maxMessage || !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r") {
				t.Errorf("%q is not fit to be shown", s)
			}
		}
		if once := Shorten(message); Shorten(once) != once && utf8.RuneCountInString(once) < maxMessage {
			t.Errorf("Shorten is not idempotent on %q: %q, then %q", message, once, Shorten(once))
		}
		MissingGVK(message)
	})
}
