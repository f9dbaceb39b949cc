package waiters

import "regexp"

var (
	rePathMissing     = regexp.MustCompile(`kustomization path not found(?:: stat (?:/tmp/)?(?:kustomization-\d+/)?(\S+): no such file)?`)
	reUndefined       = regexp.MustCompile(`variable not set \(strict mode\): "([^"]+)"`)
	reSubstituteGone  = regexp.MustCompile(`substitute from '(\w+)/([^']+)' error: .*not found`)
	reValuesGone      = regexp.MustCompile(`could not resolve (\w+) chart values reference '([^']+)'.*not found`)
	reValuesKey       = regexp.MustCompile(`could not resolve (\w+) chart values reference '([^']+)' with key '([^']+)'`)
	reBuildSubstitute = regexp.MustCompile(`post build failed for '([^']+)': (?:envsubst error|UnmarshalJSON|YAMLToJSON|'[^']*' var name is invalid)`)
	reRemoteBase      = regexp.MustCompile(`kustomize build failed: .*(?:git fetch|dial tcp|no such host|i/o timeout|TLS handshake timeout|connection refused)`)
	reBuildResource   = regexp.MustCompile(`accumulating resources from '([^']+)'`)
	reBuildFile       = regexp.MustCompile(`failed to decode Kubernetes YAML from (?:/tmp/)?(?:kustomization-\d+/)?([^\s:]+)`)
)

func buildRules() []rule {
	return []rule{
		{kind: PathMissing, match: rePathMissing, subject: "$1"},
		{kind: UndefinedVariable, match: reUndefined, subject: "$${$1}"},
		{kind: SubstituteMissing, match: reSubstituteGone, subject: "$1 $2"},
		{kind: SubstituteMissing, match: reValuesGone, subject: "$1 $2"},
		{kind: SubstituteMissing, match: reValuesKey, subject: "key $3 of $1 $2"},
		{kind: BuildFailed, match: reBuildSubstitute, subject: "$1"},
		// A remote base that does not answer now may answer later.
		{kind: BuildFailed, class: Passing, match: reRemoteBase},
		{kind: BuildFailed, match: reBuildResource, subject: "$1"},
		{kind: BuildFailed, match: reBuildFile, subject: "$1"},
		{kind: BuildFailed, says: []string{
			"kustomize build failed", "accumulating resources", "failed to decode Kubernetes", "MalformedYAMLError",
			"recovered from kustomize build panic", "unable to get patches", "unable to get components",
			"unable to get images", "unable to get buildMetadata", "unable to convert patch", "must be local and relative",
			"failed to unmarshal kustomization file", "found multiple kustomization files",
		}},
	}
}
