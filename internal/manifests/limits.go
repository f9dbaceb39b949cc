package manifests

import (
	"bytes"
	"fmt"
	"io/fs"

	"go.yaml.in/yaml/v3"
)

// What a file of a tree may be. Real ones are far below: the largest bundles of
// CRDs have some megabytes, and few files an alias at all.
const (
	maxFile  = 32 << 20
	maxNodes = 1_000_000
)

// LimitError says that a file is too large to be built from, as it is or once
// its aliases are expanded.
type LimitError struct{ File, What string }

func (e *LimitError) Error() string { return fmt.Sprintf("%s: %s", e.File, e.What) }

// checkSize refuses a file before it is read.
func checkSize(rel string, info fs.FileInfo) error {
	if info.Size() > maxFile {
		return &LimitError{File: rel, What: fmt.Sprintf("it has %d MiB, and more than %d are not read", info.Size()>>20, maxFile>>20)}
	}
	return nil
}

// checkAliases refuses YAML whose aliases multiply: nine levels of nine are a
// few hundred bytes and four hundred million values, and those who build from
// the file expand them all.
func checkAliases(rel string, content []byte) error {
	if !bytes.Contains(content, []byte("&")) || !bytes.Contains(content, []byte("*")) {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); err != nil {
			return nil //nolint:nilerr // the end, or for kustomize to report
		}
		if expanded(&doc, map[*yaml.Node]int{}) > maxNodes {
			return &LimitError{File: rel, What: fmt.Sprintf("its aliases expand to more than %d values", maxNodes)}
		}
	}
}

// expanded counts the values of a node with its aliases replaced, up to a little
// more than is allowed.
func expanded(n *yaml.Node, known map[*yaml.Node]int) int {
	if count, ok := known[n]; ok {
		return count
	}
	known[n] = maxNodes + 1 // an alias of itself never ends
	count := 1
	if n.Alias != nil {
		count += expanded(n.Alias, known)
	}
	for _, c := range n.Content {
		if count = count + expanded(c, known); count > maxNodes {
			count = maxNodes + 1
			break
		}
	}
	known[n] = count
	return count
}
