package catalog

import (
	"regexp"
	"strings"
)

var (
	groupName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$`)
	kindName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
)

// matchesGroup says whether a group is one that the pattern means: itself, or
// with "*." in front every group beneath it.
func matchesGroup(pattern, group string) bool {
	if suffix, wild := strings.CutPrefix(pattern, "*"); wild {
		return strings.HasSuffix(group, suffix) && len(group) > len(suffix)
	}
	return pattern == group
}

func anyGroup(patterns []string, group string) bool {
	for _, p := range patterns {
		if matchesGroup(p, group) {
			return true
		}
	}
	return false
}

func validGroup(group string) bool { return groupName.MatchString(group) }

func validPattern(pattern string) bool { return validGroup(strings.TrimPrefix(pattern, "*.")) }

func validKind(kind string) bool { return kindName.MatchString(kind) }
