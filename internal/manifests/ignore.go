package manifests

import (
	"strings"

	"github.com/fluxcd/pkg/sourceignore"
)

// ignored gives the rule by which source-controller leaves files out of an
// artifact. Its filter is not importable without its storage; the rules are.
//
// The default rules (pictures, archives, CI files) hold only as long as the
// source has no rules of its own, the version control's files always.
func ignored(root, specIgnore string) (func(rel string, isDir bool) bool, error) {
	// Patterns are relative to the root: the controller's scope is the absolute
	// path of its clone, which is the same rule with a longer prefix.
	patterns, err := sourceignore.LoadIgnorePatterns(root, nil)
	if err != nil {
		return nil, plainPath(err)
	}
	patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(specIgnore), nil)...)
	matcher := sourceignore.NewDefaultMatcher(nil, nil)
	if len(patterns) > 0 {
		matcher = sourceignore.NewMatcher(append(sourceignore.VCSPatterns(nil), patterns...))
	}
	return func(rel string, isDir bool) bool {
		return matcher.Match(strings.Split(rel, "/"), isDir)
	}, nil
}
