package manifests

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is one object in a YAML file, by the words of its author.
type document struct {
	apiVersion, kind, namespace, name string
	line                              int // of its first key, 1-based
	end                               int // the line after its last one
}

// documents finds the objects of a YAML or JSON file. What is not an object is
// left out; what cannot be parsed too, for kustomize will say so better.
//
// Most files are written in one plain way, in which the few keys that matter can
// be read line by line: a file of CRDs has ten thousand lines, and a parser
// would take longer than the build. All else goes to the parser.
func documents(content []byte) []document {
	var found []document
	for _, c := range chunks(content) {
		if doc, ok := c.plain(); ok {
			found = append(found, doc)
		} else {
			found = append(found, c.parse()...)
		}
	}
	return found
}

// chunk is the text between two document markers.
type chunk struct {
	lines []string
	first int // the number of its first line
}

func chunks(content []byte) []chunk {
	text := string(bytes.TrimPrefix(content, []byte("\ufeff")))
	lines := strings.Split(text, "\n")
	var found []chunk
	start := 0
	for i, line := range lines {
		if !isMarker(line, "---") && !isMarker(line, "...") {
			continue
		}
		found = append(found, chunk{lines: lines[start:i], first: start + 1})
		start = i
		// What follows the marker on its line belongs to the document.
		lines[i] = "   " + line[3:]
	}
	return append(found, chunk{lines: lines[start:], first: start + 1})
}

func isMarker(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && strings.TrimLeft(rest, " \t\r") == "" || ok && strings.HasPrefix(rest, " ")
}

// plain reads the document if its keys stand at the beginning of lines, each
// with its value behind it. It declines rather than guesses.
func (c chunk) plain() (document, bool) {
	r := plainReader{doc: document{end: c.first + len(c.lines)}}
	for i, line := range c.lines {
		line = strings.TrimRight(line, " \t\r")
		body := strings.TrimLeft(line, " ")
		if body == "" || body[0] == '#' {
			continue
		}
		read := r.nested
		if len(line) == len(body) {
			read = r.top
		}
		if !read(c.first+i, len(line)-len(body), body) {
			return document{}, false
		}
	}
	return r.doc, r.doc.kind != "" && r.doc.name != ""
}

// plainReader reads a plain document line by line. Its methods report false for
// what they do not understand.
type plainReader struct {
	doc     document
	section string // the last key at the beginning of a line
	indent  int    // that of the section's first line
}

// top reads a line that begins with a key of the document.
func (r *plainReader) top(number, _ int, body string) bool {
	if body[0] == '-' && r.doc.line > 0 {
		return true // a list may stand below its key without being indented
	}
	key, value, ok := splitKey(body)
	if !ok {
		return false
	}
	if r.doc.line == 0 {
		r.doc.line = number
	}
	r.section, r.indent = key, 0
	switch key {
	case "apiVersion":
		return set(&r.doc.apiVersion, value)
	case "kind":
		return set(&r.doc.kind, value)
	case "metadata":
		return value == "" || value[0] == '#'
	default:
		return key != "items" && key != "<<"
	}
}

// nested reads a line below such a key.
func (r *plainReader) nested(_, depth int, body string) bool {
	if r.doc.line == 0 {
		return false // the whole document is indented
	}
	if r.section != "metadata" {
		return true
	}
	if r.indent == 0 {
		r.indent = depth
	}
	if depth != r.indent {
		return depth > r.indent
	}
	key, value, ok := splitKey(body)
	switch {
	case !ok || key == "<<":
		return false
	case key == "name":
		return set(&r.doc.name, value)
	case key == "namespace":
		return set(&r.doc.namespace, value)
	default:
		return true
	}
}

// set reads a value once. A key that comes twice has the parser decide.
func set(target *string, value string) bool {
	scalar, ok := plainScalar(value)
	if !ok || *target != "" {
		return false
	}
	*target = scalar
	return true
}

// splitKey splits "key: value". Keys in quotes or of other kinds are declined.
func splitKey(body string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(body, ":")
	if !ok || key == "" || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	for i := range len(key) {
		c := key[i]
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '-' || c == '_' || c == '.' || c == '/' || c == '<'
		if !word || i == 0 && c == '-' {
			return "", "", false
		}
	}
	return key, strings.Trim(value, " \t"), true
}

// plainScalar reads a value that means what it says: no anchors, no escapes, no
// text that goes on below.
func plainScalar(value string) (string, bool) {
	if value == "" {
		return "", false
	}
	if quote := value[0]; quote == '"' || quote == '\'' {
		inner, rest, ok := strings.Cut(value[1:], string(quote))
		rest = strings.TrimLeft(rest, " \t")
		return inner, ok && !strings.Contains(inner, `\`) && (rest == "" || rest[0] == '#')
	}
	if strings.ContainsRune("&*!|>{[%@`,?#-]}", rune(value[0])) {
		return "", false
	}
	for _, comment := range []string{" #", "\t#"} {
		value, _, _ = strings.Cut(value, comment)
	}
	value = strings.TrimRight(value, " \t")
	return value, !strings.Contains(value, ": ")
}

// parse reads the document with the parser, which knows flow style, JSON,
// anchors and lists.
func (c chunk) parse() (found []document) {
	// The parser has crashed on odd anchors in the past, and a line number is
	// not worth a crash.
	defer func() {
		if r := recover(); r != nil {
			found = nil
		}
	}()
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(c.lines, "\n")), &root); err != nil || len(root.Content) == 0 {
		return nil
	}
	return c.fromNode(root.Content[0], c.first+len(c.lines), 0)
}

// maxDepth bounds lists of lists, which an alias can make endless.
const maxDepth = 8

func (c chunk) fromNode(n *yaml.Node, end, depth int) []document {
	n = resolve(n)
	if n == nil || n.Kind != yaml.MappingNode || depth > maxDepth {
		return nil
	}
	metadata := field(n, "metadata")
	doc := document{
		apiVersion: text(field(n, "apiVersion")), kind: text(field(n, "kind")),
		namespace: text(field(metadata, "namespace")), name: text(field(metadata, "name")),
		line: c.first + n.Line - 1, end: end,
	}
	items := field(n, "items")
	if items == nil || items.Kind != yaml.SequenceNode || !strings.HasSuffix(doc.kind, "List") {
		if doc.kind == "" || doc.name == "" {
			return nil
		}
		return []document{doc}
	}
	var found []document
	for i, item := range items.Content {
		last := end
		if i+1 < len(items.Content) {
			last = c.first + items.Content[i+1].Line - 1
		}
		found = append(found, c.fromNode(item, last, depth+1)...)
	}
	return found
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// field finds the value of a key, also one that comes in by a merge.
func field(n *yaml.Node, key string) *yaml.Node {
	n = resolve(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if merged := resolve(n.Content[i+1]); n.Content[i].Tag == "!!merge" && merged != n {
			if found := field(merged, key); found != nil {
				return found
			}
		}
	}
	return nil
}

func text(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// lineOf finds the first line of text[from:to] that has the words, 1-based and
// counted from the beginning of the file; 0 where there is none.
func lineOf(content []byte, from, to int, has func(line string) bool) int {
	number := 0
	for line := range strings.Lines(string(content)) {
		if number++; number >= from && number < to && has(line) {
			return number
		}
	}
	return 0
}

// usesVariable reports whether a line has ${name…}, not escaped by another $.
func usesVariable(line, name string) bool {
	for rest := line; ; {
		i := strings.Index(rest, "${")
		if i < 0 {
			return false
		}
		escaped := i > 0 && rest[i-1] == '$'
		after := strings.TrimPrefix(rest[i+2:], "#")
		if tail, ok := strings.CutPrefix(after, name); ok && !escaped && (tail == "" || !isWord(tail[0])) {
			return true
		}
		rest = rest[i+2:]
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
