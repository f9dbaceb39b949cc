package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse reads one entry strictly: an unknown field is an error, because a
// misspelt one would silently teach nothing.
func parse(file string, raw []byte) (Entry, error) {
	var e Entry
	doc, err := decode(file, raw, &e)
	if err != nil {
		return Entry{}, err
	}
	faults := e.validate()
	if want := nameOf(file); e.Name != "" && e.Name != want {
		faults = append(faults, fault{"name", fmt.Sprintf("name is %q, want that of the file", e.Name)})
	}
	var errs []error
	for _, f := range faults {
		errs = append(errs, doc.fault(f.path, f.message))
	}
	return e, errors.Join(errs...)
}

// document is a YAML file, with the place of each value and each key by path.
type document struct {
	file   string
	at     map[string]*yaml.Node
	fields map[reflect.Type]map[string]reflect.Type
	faults []error
}

// decode reads a file that has exactly one document into the value that into
// points at, and refuses fields that its type does not have.
func decode(file string, raw []byte, into any) (*document, error) {
	d := &document{file: file, at: map[string]*yaml.Node{}, fields: map[reflect.Type]map[string]reflect.Type{}}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var root, second yaml.Node
	if err := dec.Decode(&root); errors.Is(err, io.EOF) {
		return nil, &FileError{File: file, Line: 1, Message: "the file is empty"}
	} else if err != nil {
		return nil, d.syntax(err)
	}
	if err := dec.Decode(&second); err == nil {
		return nil, &FileError{File: file, Line: second.Line, Column: second.Column, Message: "a second YAML document begins here; an entry has a file of its own"}
	} else if !errors.Is(err, io.EOF) {
		return nil, d.syntax(err)
	}
	d.check(root.Content[0], reflect.TypeOf(into).Elem(), "")
	if len(d.faults) > 0 {
		return nil, errors.Join(d.faults...)
	}
	if err := root.Decode(into); err != nil {
		return nil, d.syntax(err)
	}
	return d, nil
}

// syntax gives the parser's error its place; the parser only knows lines.
func (d *document) syntax(err error) error {
	f := &FileError{File: d.file, Line: 1, Message: "this is not YAML: " + err.Error()}
	if m := regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`).FindStringSubmatch(err.Error()); m != nil {
		f.Message = "this is not YAML: " + m[2]
		if line, err := strconv.Atoi(m[1]); err == nil {
			f.Line = max(line, 1)
		}
	}
	return f
}

// fault puts a message at the value of a path, or at the nearest that is there.
func (d *document) fault(path, message string) error {
	for {
		if n := d.at[path]; n != nil || path == "" {
			f := &FileError{File: d.file, Line: 1, Column: 1, Message: message}
			if n != nil {
				f.Line, f.Column = n.Line, n.Column
			}
			return f
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
}

func (d *document) wrong(n *yaml.Node, format string, args ...any) {
	d.faults = append(d.faults, &FileError{File: d.file, Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...)})
}

// check compares a node with the type that it will be decoded into. The decoder
// could do that too, but it names neither the column nor the field.
func (d *document) check(n *yaml.Node, t reflect.Type, path string) {
	d.at[path] = n
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	what := path
	if what == "" {
		what = "the file"
	}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		d.wrong(n, "%s is an anchor or an alias; write it out", what)
	case t == reflect.TypeFor[Kind]() && n.Kind == yaml.ScalarNode:
		if _, err := kindOf(n.Value); err != nil {
			d.wrong(n, "%s %v", what, err)
		}
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map:
		if n.Kind != yaml.MappingNode {
			d.wrong(n, "%s must be a mapping", what)
			return
		}
		d.checkFields(n, t, path)
	case t.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.wrong(n, "%s must be a list", what)
			return
		}
		for i, item := range n.Content {
			d.check(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
		}
	case n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null":
		d.wrong(n, "%s has no value", what)
	case t.Kind() == reflect.Bool && n.ShortTag() != "!!bool":
		d.wrong(n, "%s is %q, want true or false", what, n.Value)
	}
}

func (d *document) checkFields(n *yaml.Node, t reflect.Type, path string) {
	fields := d.fieldsOf(t)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		field := strings.TrimPrefix(path+"."+key.Value, ".")
		inner, known := fields[key.Value]
		if t.Kind() == reflect.Map {
			inner, known = t.Elem(), true
		}
		switch {
		case !known && path == "":
			d.wrong(key, "unknown field %q", key.Value)
		case !known:
			d.wrong(key, "unknown field %q in %s", key.Value, path)
		case seen[key.Value]:
			d.wrong(key, "field %q is given twice", key.Value)
		default:
			d.check(value, inner, field)
		}
		seen[key.Value] = true
	}
}

// fieldsOf lists the fields that a struct has in a file.
func (d *document) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if fields := d.fields[t]; fields != nil {
		return fields
	}
	fields := map[string]reflect.Type{}
	d.fields[t] = fields
	if t.Kind() != reflect.Struct {
		return fields
	}
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" {
			fields[name] = f.Type
		}
	}
	return fields
}

// UnmarshalYAML reads a kind that is written out, or short as group/Kind.
func (k *Kind) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		short, err := kindOf(n.Value)
		*k = short
		return err
	}
	type plain Kind
	return n.Decode((*plain)(k))
}

// kindOf reads group/Kind.
func kindOf(text string) (Kind, error) {
	group, kind, found := strings.Cut(text, "/")
	if !found || !validGroup(group) || !validKind(kind) {
		return Kind{}, fmt.Errorf("is %q; write it like example.io/Widget", text)
	}
	return Kind{Group: group, Kind: kind}, nil
}
