package rehearsal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// errShape says that a YAML text is not written in a way that can be changed
// line by line; somebody has to do it by hand.
var errShape = errors.New("is not written in a way that can be changed line by line")

// documentAt gives the lines of the YAML document that has a line, from its
// first (after the marker) to the one behind its last. Lines count from 1.
func documentAt(lines []string, line int) (first, end int) {
	first, end = 0, len(lines)
	for i, l := range lines {
		if !strings.HasPrefix(l, "---") {
			continue
		}
		if i+1 <= line {
			first = i
		} else {
			end = i
			break
		}
	}
	return first, end
}

// without removes the documents that have the given lines. What is left is ""
// where no document is.
func without(text string, at []int) string {
	lines := strings.SplitAfter(text, "\n")
	gone := make([]bool, len(lines))
	for _, line := range at {
		first, end := documentAt(lines, line)
		for i := first; i < end; i++ {
			gone[i] = true
		}
	}
	var kept []string
	for i, l := range lines {
		if !gone[i] {
			kept = append(kept, l)
		}
	}
	for len(kept) > 0 && strings.TrimSpace(strings.TrimPrefix(kept[0], "---")) == "" {
		kept = kept[1:]
	}
	return strings.Join(kept, "")
}

// excerpt gives the document that has a line, without its marker.
func excerpt(text string, line int) string {
	lines := strings.SplitAfter(text, "\n")
	first, end := documentAt(lines, line)
	part := lines[first:end]
	if len(part) > 0 && strings.HasPrefix(part[0], "---") {
		part = part[1:]
	}
	return strings.Join(part, "")
}

// withItem adds an item to a list of a document, which is made where it is not
// there. The document is the one that has the line; fields lead to the list.
func withItem(text string, line int, item string, fields ...string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	first, end := documentAt(lines, line)
	body := slices.Clone(lines[first:end])
	if strings.HasPrefix(body[0], "---") {
		body[0] = "\n" // keeps the count of lines
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(body, "")), &doc); err != nil || len(doc.Content) == 0 {
		return "", errShape
	}
	parent, list := doc.Content[0], (*yaml.Node)(nil)
	for i, f := range fields {
		at := child(parent, f)
		if i == len(fields)-1 {
			list = at
			break
		}
		if at == nil {
			return "", errShape
		}
		parent = at
	}
	at, added, err := addition(parent, list, fields[len(fields)-1], item)
	if err != nil {
		return "", err
	}
	at += first // lines of the document count from 1, and so do those of the file then
	if !strings.HasSuffix(lines[at-1], "\n") {
		lines[at-1] += "\n"
	}
	return strings.Join(slices.Insert(lines, at, added), ""), nil
}

// addition says behind which line of a document the text of a new item goes.
func addition(parent, list *yaml.Node, field, item string) (at int, text string, err error) {
	switch {
	case parent.Kind != yaml.MappingNode || parent.Style&yaml.FlowStyle != 0 || len(parent.Content) == 0:
		return 0, "", errShape
	case list == nil:
		indent := strings.Repeat(" ", parent.Content[0].Column-1)
		return parent.Content[0].Line - 1, indent + field + ":\n" + indent + "  - " + item + "\n", nil
	case list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0:
		return 0, "", errShape
	}
	last := list.Content[len(list.Content)-1]
	indent := strings.Repeat(" ", max(list.Column-1, 0))
	return lastLine(last), indent + "- " + item + "\n", nil
}

// lastLine is the last line on which a node has something.
func lastLine(n *yaml.Node) int {
	line := n.Line + strings.Count(strings.TrimSuffix(n.Value, "\n"), "\n")
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		line++
	}
	for _, c := range n.Content {
		line = max(line, lastLine(c))
	}
	return line
}

// withoutItem takes an item out of a list of a kustomization file.
func withoutItem(text, field, item string) (string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return "", errShape
	}
	list := child(doc.Content[0], field)
	if list == nil || list.Style&yaml.FlowStyle != 0 {
		return "", errShape
	}
	lines := strings.SplitAfter(text, "\n")
	for _, n := range list.Content {
		if n.Value == item && n.Line <= len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n.Line-1]), "- ") {
			return strings.Join(slices.Delete(lines, n.Line-1, n.Line), ""), nil
		}
	}
	return "", fmt.Errorf("%w: %s is not in %s", errShape, item, field)
}

// child is the value of a key of a mapping.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
