package catalog

import (
	"slices"
	"strings"
)

// Related reports whether a name, such as that of an API group, shares a word
// with one of others, such as those of a chart and its release.
func Related(name string, others ...string) bool {
	words := wordsOf(name)
	return slices.ContainsFunc(others, func(other string) bool {
		return slices.ContainsFunc(wordsOf(other), func(w string) bool { return slices.Contains(words, w) })
	})
}

// wordsOf splits a name at its punctuation, without what is in every other name.
func wordsOf(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("./-_", r) })
	return slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 3 || slices.Contains([]string{"k8s", "com", "org", "net", "dev", "operator", "controller", "chart", "crds", "sigs", "api", "apps", "kubernetes", "example"}, w)
	})
}
