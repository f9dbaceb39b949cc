package waiters

import "regexp"

var (
	rePathMissing     = regexp.MustCompile(`kustomization path not found: stat (?:/tmp/)?(?:kustomization-\d+/)?(\S+): no such file`)
	rePathMissingAny  = regexp.MustCompile(`kustomization path not found`)
	reUndefined       = regexp.MustCompile(`variable not set \(strict mode\): "([^"]+)"`)
	reSubstituteGone  = regexp.MustCompile(`substitute from '(\w+)/([^']+)' error: .*not found`)
	reValuesGone      = regexp.MustCompile(`could not resolve (\w+) chart values reference '([^']+)'.*not found`)
	reValuesKey       = regexp.MustCompile(`could not resolve (\w+) chart values reference '([^']+)' with key '([^']+)'`)
	reRemoteBase      = regexp.MustCompile(`kustomize build failed: .*(?:git fetch|dial tcp|no such host|i/o timeout|TLS handshake timeout|connection refused)`)
	reBuildFile       = regexp.MustCompile(`(?:accumulating resources from '([^']+)'|failed to decode Kubernetes YAML from (?:/tmp/)?(?:kustomization-\d+/)?([^\s:]+))`)
	reBuildSubstitute = regexp.MustCompile(`post build failed for '([^']+)': (?:envsubst error|UnmarshalJSON|YAMLToJSON|'[^']*' var name is invalid)`)
	reBuild           = regexp.MustCompile(`kustomize build failed|accumulating resources|failed to decode Kubernetes|MalformedYAMLError|recovered from kustomize build panic|unable to get (?:patches|components|images|patchesStrategicMerge|patchesJson6902|buildMetadata)|component path '.*' must be local|failed to unmarshal kustomization file|found multiple kustomization files|unable to convert patch`)
)

func buildRules() []rule {
	return []rule{
		{kind: PathMissing, match: rePathMissing, subject: "$1"},
		{kind: PathMissing, match: rePathMissingAny},
		{kind: UndefinedVariable, match: reUndefined, subject: "$${$1}"},
		{kind: SubstituteMissing, match: reSubstituteGone, subject: "$1 $2"},
		{kind: SubstituteMissing, match: reValuesGone, subject: "$1 $2"},
		{kind: SubstituteMissing, match: reValuesKey, subject: "key $3 of $1 $2"},
		{kind: BuildFailed, match: reBuildSubstitute, subject: "$1"},
		// A remote base that does not answer now may answer later.
		{kind: BuildFailed, class: Passing, match: reRemoteBase},
		{kind: BuildFailed, match: reBuildFile, subject: "$1$2"},
		{kind: BuildFailed, match: reBuild},
	}
}
