package waiters

import (
	"regexp"
	"strings"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
)

var (
	reSourceGone     = regexp.MustCompile(`(\w+)\.source\.(?:toolkit|extensions)\.fluxcd\.io "([^"]+)" not found`)
	reNoArtifactFor  = regexp.MustCompile(`no artifact available for (?:include )?(\w+(?: source)? '[^']+')`)
	reAuthSecretGone = regexp.MustCompile(`(?:failed to get [\w ]*?)?[sS]ecret '([^']+)'(?:: .*)? not found`)
	reSignature      = regexp.MustCompile(`signature verification of \w+ '([^']+)'`)
	reSourceDenied   = regexp.MustCompile(`\b(?:unexpected status code |status code:? )?40[13]\b`)
	reRefMissing     = regexp.MustCompile(`couldn't find remote ref "?([^"\s]+)"?|no match found for semver: (.+)$|bucket '([^']+)' (?:not found|does not exist)|no '([^']+)' chart with version matching`)
	reSourceNetwork  = regexp.MustCompile(`(?:failed to (?:checkout|determine artifact|pull artifact|fetch|cache index|download|verify archive|confirm existence|get chart version)|unable to (?:clone|list remote|fetch)|giving up after).*?(?:dial tcp|lookup |no such host|connection re|no route to host|i/o timeout|TLS handshake timeout|deadline exceeded|x509: |EOF|Client\.Timeout|status(?: code)?:? 5\d\d|\b50\d |\b429 |giving up after|unexpected response code)`)
)

func sourceRules() []rule {
	// Reasons under which source-controller reports fetching.
	fetching := []string{
		sourcev1.AuthenticationFailedReason, sourcev1.GitOperationFailedReason, sourcev1.OCIPullFailedReason,
		sourcev1.BucketOperationFailedReason, sourcev1.IndexationFailedReason, sourcev1.ReadOperationFailedReason,
		"ChartPullError", "InvalidChartReference", "DependencyBuildError", "Failed", "Unknown",
	}
	return []rule{
		{kind: SourceMissing, says: []string{".fluxcd.io \""}, match: reSourceGone, name: missingSource},
		{kind: SourceUnauthorised, match: reAuthSecretGone, reasons: fetching, subject: "Secret $1"},
		{kind: SourceNoArtifact, match: reNoArtifactFor, subject: "$1"},
		{kind: SourceNoArtifact, says: []string{"artifact not found", "does not have an artifact", "computed digest doesn't match"}},
		{kind: SourceUnverified, match: reSignature, subject: "$1"},
		{kind: SourceUnverified, says: []string{
			"failed to verify the signature", "no matching signatures were found", "since it is not signed", "public keys found in secret",
		}},
		{kind: SourceUnreachable, says: []string{"failed to ", "unable to ", "giving up after"}, match: reSourceNetwork, name: host},
		{kind: SourceUnauthorised, reasons: fetching, says: []string{
			"uthentication required", "uthentication failed", "uthorization failed", "nvalid auth", "nvalid credentials",
			"nvalid username or password", "unable to authenticate", "ssh: handshake failed", "knownhosts: ",
			"SSH identity key is encrypted", "failed to configure authentication options", "failed to get credential",
			"DENIED: ", "UNAUTHORIZED: ", "AccessDenied", "Access Denied", "InvalidAccessKeyId", "SignatureDoesNotMatch",
		}},
		{kind: SourceUnauthorised, reasons: fetching, says: []string{"401", "403"}, match: reSourceDenied},
		{kind: SourceRefMissing, reasons: fetching, match: reRefMissing, subject: "$1$2$3$4"},
		{kind: SourceRefMissing, reasons: fetching, says: []string{
			"reference not found", "epository not found", "git repository is empty", "MANIFEST_UNKNOWN", "NAME_UNKNOWN",
			"404 Not Found", "could not locate a version matching", "unable to locate any tags",
		}},
		{kind: SourceUnreachable, reasons: fetching, says: networkTexts(), name: host},
		{kind: SourceUnreachable, says: []string{"failed to download archive"}, name: host},
	}
}

// missingSource names the source that is not found. The controller's cache
// says GitRepository, the API server gitrepositories.
func missingSource(message string) string {
	m := reSourceGone.FindStringSubmatch(message)
	for _, kind := range []string{
		sourcev1.GitRepositoryKind, sourcev1.OCIRepositoryKind, sourcev1.BucketKind,
		sourcev1.ExternalArtifactKind, sourcev1.HelmRepositoryKind, sourcev1.HelmChartKind,
	} {
		plural := strings.TrimSuffix(strings.ToLower(kind), "y")
		if strings.HasPrefix(strings.ToLower(m[1]), plural) {
			return kind + " " + m[2]
		}
	}
	return m[1] + " " + m[2]
}

var reHost = regexp.MustCompile(`(?:https?|ssh|oci)://(?:[^@/\s]+@)?([^/\s'":]+(?::\d+)?)|lookup ([\w.-]+)|dial tcp ([\w.:\[\]-]+):`)

// host names the host that was not reached.
func host(message string) string {
	if m := reHost.FindStringSubmatch(message); m != nil {
		return m[1] + m[2] + m[3]
	}
	return ""
}
