package tiers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Limits of a TIER_ORDER file. A real one has some dozen lines; these keep a
// hostile one from costing more than a moment.
const (
	maxFileSize = 1 << 20
	maxNodes    = 50_000 // after aliases are followed
)

var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

// document is a YAML file as plain values, and where each of them stands.
type document struct {
	file  string
	root  *yaml.Node
	value any
	// at and keyAt are places by JSON pointer: of a value, and of its key.
	at, keyAt map[string]Position
	faults    []*FileError
	nodes     int
	open      map[*yaml.Node]bool // being followed: an alias to one of them never ends
}

// read parses one YAML document. The errors are FileErrors.
func read(file string, data []byte) (*document, error) {
	if len(data) > maxFileSize {
		return nil, &FileError{File: file, Message: fmt.Sprintf("the file has %d bytes", len(data)), Hint: "the most that is read is 1 MiB"}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var root yaml.Node
	if err := decoder.Decode(&root); errors.Is(err, io.EOF) {
		return nil, &FileError{File: file, Line: 1, Message: "the file is empty", Hint: "`standup tiers generate` writes one"}
	} else if err != nil {
		return nil, syntaxError(file, err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return nil, &FileError{File: file, Line: second.Line, Column: second.Column, Message: "a second YAML document begins here", Hint: "keep one document in the file"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(file, err)
	}
	d := &document{file: file, root: &root, at: map[string]Position{}, keyAt: map[string]Position{}, open: map[*yaml.Node]bool{}}
	d.value = d.convert(root.Content[0], "")
	return d, joinFaults(d.faults)
}

// syntaxError gives the parser's error its place; the parser only knows lines.
func syntaxError(file string, err error) error {
	text := err.Error()
	fault := &FileError{File: file, Line: 1, Message: "this is not YAML: " + text}
	if m := yamlError.FindStringSubmatch(text); m != nil {
		fault.Message = "this is not YAML: " + m[2]
		if line, err := strconv.Atoi(m[1]); err == nil {
			fault.Line = max(line, 1)
		}
	}
	return fault
}

func (d *document) fault(p Position, message, hint string) {
	d.faults = append(d.faults, &FileError{File: d.file, Line: p.Line, Column: p.Column, Message: message, Hint: hint})
}

// convert turns a node into the values of JSON and notes where they stand.
func (d *document) convert(n *yaml.Node, pointer string) any {
	if d.nodes++; d.nodes > maxNodes {
		if d.nodes == maxNodes+1 { // once
			d.fault(spot(n), "the aliases of this file stand for too much", "write it out, or use fewer aliases")
		}
		return nil
	}
	if _, noted := d.at[pointer]; !noted { // the alias, not what it stands for
		d.at[pointer] = spot(n)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return d.follow(n, func(target *yaml.Node) any { return d.convert(target, pointer) })
	case yaml.MappingNode:
		fields := make(map[string]any, len(n.Content)/2)
		d.open[n] = true
		d.fields(n, pointer, fields)
		delete(d.open, n)
		return fields
	case yaml.SequenceNode:
		items := make([]any, 0, len(n.Content))
		d.open[n] = true
		for i, item := range n.Content {
			items = append(items, d.convert(item, pointer+"/"+strconv.Itoa(i)))
		}
		delete(d.open, n)
		return items
	case yaml.ScalarNode, yaml.DocumentNode:
	}
	return d.scalar(n)
}

// follow refuses an alias that stands inside what it stands for.
func (d *document) follow(alias *yaml.Node, use func(target *yaml.Node) any) any {
	if d.open[alias.Alias] {
		d.fault(spot(alias), fmt.Sprintf("alias *%s stands inside its own anchor", alias.Value), "write the value out")
		return nil
	}
	return use(alias.Alias)
}

// fields converts the pairs of a mapping. Its own keys win over merged ones.
func (d *document) fields(n *yaml.Node, pointer string, into map[string]any) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.ShortTag() == "!!merge" {
			continue
		}
		if seen[key.Value] {
			d.fault(spot(key), fmt.Sprintf("field %q is given twice", key.Value), "keep one")
			continue
		}
		seen[key.Value] = true
		if _, taken := into[key.Value]; taken {
			continue // this mapping is being merged into one that has the key
		}
		p := pointer + "/" + escape(key.Value)
		d.keyAt[p] = spot(key)
		into[key.Value] = d.convert(n.Content[i+1], p)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() == "!!merge" {
			d.merge(n.Content[i+1], pointer, into)
		}
	}
}

// merge converts what "<<" names: a mapping, an alias of one, or a list of these.
func (d *document) merge(n *yaml.Node, pointer string, into map[string]any) {
	if d.nodes++; d.nodes > maxNodes {
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		d.follow(n, func(target *yaml.Node) any { d.merge(target, pointer, into); return nil })
	case yaml.MappingNode:
		d.open[n] = true
		d.fields(n, pointer, into)
		delete(d.open, n)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			d.merge(item, pointer, into)
		}
	case yaml.ScalarNode, yaml.DocumentNode:
		d.fault(spot(n), "<< needs a mapping", "name an anchor of one: <<: *anchor")
	}
}

// scalar keeps to what JSON has: a date, an infinity or an unknown tag is the
// text that was written.
func (d *document) scalar(n *yaml.Node) any {
	var v any
	if err := n.Decode(&v); err != nil {
		return n.Value
	}
	switch v := v.(type) {
	case nil, bool, string, int64:
		return v
	case int:
		return int64(v)
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v
		}
	}
	return n.Value
}

func spot(n *yaml.Node) Position { return Position{Line: n.Line, Column: n.Column} }
