package manifests

import (
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
)

// locate finds where an object of the set, before substitution, was written.
// Names may have been changed on the way: what the kustomizations say about that
// is tried first, then the name as it was written, then a name within a name.
func (s *survey) locate(res *resource.Resource) (source, bool) {
	kind, name, namespace := res.GetKind(), res.GetName(), res.GetNamespace()
	for _, matches := range []func(source) bool{
		func(c source) bool { return c.finalName == name && c.namespaceIs(namespace) },
		func(c source) bool { return c.finalName == name || c.name == name },
		// Generated names end in a hash of ten characters.
		func(c source) bool {
			return c.generated && strings.HasPrefix(name, c.finalName+"-") && len(name) == len(c.finalName)+11
		},
		// A patch may change names as well.
		func(c source) bool { return !s.partial && c.name != "" && strings.Contains(name, c.name) },
	} {
		best, found := source{}, false
		for _, c := range s.sources {
			if c.kind != kind || !sameGroup(c.apiVersion, res.GetApiVersion()) || !matches(c) {
				continue
			}
			if !found || len(c.name) > len(best.name) {
				best, found = c, true
			}
		}
		if found {
			return best, true
		}
	}
	return source{}, false
}

// namespaceIs reports whether the document may have ended up in the namespace.
func (c source) namespaceIs(namespace string) bool {
	if c.finalNamespace != "" {
		// Objects without a namespace of their own kind stay without one.
		return namespace == c.finalNamespace || namespace == ""
	}
	return namespace == c.namespace
}

func sameGroup(a, b string) bool { return group(a) == group(b) }

// group is the part of an apiVersion before the version.
func group(apiVersion string) string {
	before, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return before
}

// lineOfVariable is the line on which a document uses a variable.
func (s *survey) lineOfVariable(c source, name string) int {
	uses := func(line string) bool { return usesVariable(line, name) }
	if line := lineOf(s.content[c.file], c.line, c.end, uses); line > 0 {
		return line
	}
	return c.line
}
