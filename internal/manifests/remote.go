package manifests

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// references are the keys of kustomization files, and of the configuration of
// built-in plugins, whose values kustomize loads: from a file, a directory, or
// the network.
const references = " resources bases components crds configurations generators transformers validators " +
	"patchesStrategicMerge path paths files envs env valuesFile additionalValuesFiles "

// remote finds what kustomize would fetch. Kustomize has no switch for it, and
// would have fetched before anyone could refuse, so it must be found beforehand.
func (s *survey) remote(file string, n *yaml.Node) error {
	url := remoteIn(n, "", 0)
	if url == "" {
		return nil
	}
	if s.opts.AllowRemoteBases {
		s.partial, s.ownSchema = true, true // what is fetched may declare one
		return nil
	}
	found := &RemoteBaseError{File: s.tree.origin(file), URL: url}
	if content, err := s.tree.read(file); err == nil {
		found.Line = lineOf(content, 1, len(content)+2, func(line string) bool { return strings.Contains(line, url) })
	}
	return found
}

// withoutRemote does the same for a kustomization file, and takes what is remote
// out of its lists if that was asked for.
func (s *survey) withoutRemote(file string, n *yaml.Node) error {
	found := s.remote(file, n)
	if found == nil || !s.opts.WithoutRemoteBases {
		return found
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; slices.Contains([]string{"resources", "bases", "components"}, key) {
			n.Content[i+1].Content = slices.DeleteFunc(n.Content[i+1].Content, func(item *yaml.Node) bool {
				url := remoteIn(item, key, 0)
				if url != "" && !slices.Contains(s.left, url) { // a base may be used twice
					s.left = append(s.left, url)
				}
				return url != ""
			})
		}
	}
	if remoteIn(n, "", 0) != "" {
		return found // a patch, or a plugin: what it would do is not known
	}
	manifest, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	s.written[file] = manifest
	s.leftOut = cmp.Or(s.leftOut, found)
	return nil
}

// remoteIn gives the first remote reference in a node that stands under a key.
func remoteIn(n *yaml.Node, key string, depth int) string {
	n = resolve(n)
	if n == nil || depth > 4*maxDepth {
		return ""
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if strings.Contains(references, " "+key+" ") && !strings.Contains(n.Value, "\n") {
			return remoteURL(n.Value, key)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if url := remoteIn(n.Content[i+1], n.Content[i].Value, depth+1); url != "" {
				return url
			}
		}
	case yaml.SequenceNode, yaml.DocumentNode:
		for _, item := range n.Content {
			if url := remoteIn(item, key, depth+1); url != "" {
				return url
			}
		}
	case yaml.AliasNode: // resolved above
	}
	return ""
}

// account is how kustomize recognises git@host:path.
var account = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]*@[^/]+[:/]`)

// remoteURL decides as kustomize does, and in doubt that it is remote: a file
// URL is cloned as well.
func remoteURL(value, key string) string {
	if key == "files" { // key=path
		if _, after, ok := strings.Cut(value, "="); ok {
			value = after
		}
	}
	lower := strings.ToLower(value)
	for _, prefix := range []string{
		"http://", "https://", "ssh://", "file://", "git::", "gh:", "github.com/", "github.com:",
	} {
		if strings.HasPrefix(lower, prefix) {
			return value
		}
	}
	if account.MatchString(value) {
		return value
	}
	return ""
}
