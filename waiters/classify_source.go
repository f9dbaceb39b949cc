package waiters

import (
	"regexp"
	"strings"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
)

var (
	reSourceGone     = regexp.MustCompile(`(\w+)\.source\.(?:toolkit|extensions)\.fluxcd\.io "([^"]+)" not found`)
	reNoArtifact     = regexp.MustCompile(`(?i)source artifact not found|source (?:is )?not ready[,:] artifact not found|no artifact available for (?:include )?(\w+(?: source)? '[^']+')|does not have an artifact|artifact not found|computed digest doesn't match provided`)
	reAuthSecretGone = regexp.MustCompile(`failed to get [\w ]*?[sS]ecret '([^']+)': .*not found|[sS]ecret '([^']+)' not found`)
	reUnverified     = regexp.MustCompile(`signature verification of \w+ '([^']+)'|failed to verify the signature|no matching signatures were found|since it is not signed|PGP public keys|SSH public keys found`)
	reSourceDenied   = regexp.MustCompile(`(?i)authentication required|authentication failed|invalid (?:auth|credentials)|invalid username or password|authorization failed|unable to authenticate|ssh: handshake failed|knownhosts: |SSH identity key is encrypted|failed to configure authentication options|failed to get credential|\bDENIED: |UNAUTHORIZED: |\b40[13] (?:Unauthorized|Forbidden)|status code:? 40[13]|unexpected status code 40[13]|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|Access Denied`)
	reRefMissing     = regexp.MustCompile(`couldn't find remote ref "?([^"\s]+)"?|reference not found|[Rr]epository not found|git repository is empty|MANIFEST_UNKNOWN|NAME_UNKNOWN|manifest unknown|no match found for semver: (.+)$|bucket '([^']+)' (?:not found|does not exist)|no chart (?:version|name) found for ?(\S*)|\b404 Not Found|failed to resolve '([^']+)'|no '([^']+)' chart with version matching|could not locate a version matching|unable to locate any tags`)
	reSourceNetwork  = regexp.MustCompile(`(?:failed to (?:checkout|determine artifact|pull artifact|fetch|cache index|download|verify archive|confirm existence|get chart version)|unable to (?:clone|list remote|fetch|get)|giving up after).*?(?:dial tcp|lookup |no such host|connection re|no route to host|i/o timeout|TLS handshake timeout|deadline exceeded|x509: |EOF|Client\.Timeout|status(?: code)?:? 5\d\d|\b50\d |\b429 |giving up after|unexpected response code)`)
	reDownload       = regexp.MustCompile(`failed to download archive`)
)

func sourceRules() []rule {
	// Reasons under which source-controller reports fetching.
	fetching := []string{
		sourcev1.AuthenticationFailedReason, sourcev1.GitOperationFailedReason, sourcev1.OCIPullFailedReason,
		sourcev1.BucketOperationFailedReason, sourcev1.IndexationFailedReason, sourcev1.ReadOperationFailedReason,
		"ChartPullError", "InvalidChartReference", "DependencyBuildError", "Failed", "Unknown",
	}
	return []rule{
		{kind: SourceMissing, match: reSourceGone, name: missingSource},
		{kind: SourceUnauthorised, match: reAuthSecretGone, reasons: fetching, subject: "Secret $1$2"},
		{kind: SourceNoArtifact, match: reNoArtifact, subject: "$1"},
		{kind: SourceUnverified, match: reUnverified, subject: "$1"},
		{kind: SourceUnreachable, match: reSourceNetwork, name: host},
		{kind: SourceUnauthorised, match: reSourceDenied, reasons: fetching},
		{kind: SourceRefMissing, match: reRefMissing, reasons: fetching, subject: "$1$2$3$4$5$6"},
		{kind: SourceUnreachable, match: reNetwork, reasons: fetching, name: host},
		{kind: SourceUnreachable, match: reDownload, name: host},
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
