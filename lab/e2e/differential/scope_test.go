package differential

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/standup-sh/standup/internal/catalog"
)

// scope keeps the trees of one cluster apart: every namespace, API group and
// chart of a tree gets a prefix of its own, in the lab's copy. Kinds that end in
// Class, CRDs and the like keep what Flux decides by.
type scope struct{ prefix string }

func (s scope) namespace(name string) string {
	if name == "" {
		return ""
	}
	return s.prefix + "-" + name
}

// group renames the groups that the cluster does not have by itself.
func (s scope) group(name string) string {
	builtIn := !strings.Contains(name, ".") || scheme.Scheme.IsGroupRegistered(name) ||
		name == "apiextensions.k8s.io" || name == "apiregistration.k8s.io" ||
		name == "kustomize.config.k8s.io" || strings.HasSuffix(name, ".toolkit.fluxcd.io")
	if builtIn {
		return name
	}
	return s.prefix + "." + name
}

func (s scope) apiVersion(text string) string {
	group, version, ok := strings.Cut(text, "/")
	if !ok {
		return text
	}
	return s.group(group) + "/" + version
}

// chart renames a chart, or the last element of its address.
func (s scope) chart(name string) string {
	return strings.TrimSuffix(name, path.Base(name)) + s.prefix + "-" + path.Base(name)
}

// back takes the prefix off, for people.
func (s scope) back(text string) string {
	return strings.NewReplacer(s.prefix+"-", "", s.prefix+".", "").Replace(text)
}

// file is a file of the lab's copy.
func (s scope) file(name string, data []byte) ([]byte, error) {
	if !isYAML(name) {
		return data, nil
	}
	docs, err := documents(data)
	if err != nil {
		return data, nil //nolint:nilerr // a file that is no YAML is a case in itself
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	for _, doc := range docs {
		for _, n := range doc.Content {
			s.mapping(n, "")
			hasten(n)
		}
		if err := enc.Encode(doc); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out.Bytes(), enc.Close()
}

// mapping renames in a node and all beneath it. kind is that of the object whose
// metadata this is.
func (s scope) mapping(n *yaml.Node, kind string) {
	if n.Kind != yaml.MappingNode {
		for _, item := range n.Content {
			s.mapping(item, "")
		}
		return
	}
	if k := field(n, "kind"); k != nil {
		kind = k.Value
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		if value.Kind == yaml.ScalarNode {
			value.Value = s.scalar(kind, key, value.Value)
			continue
		}
		switch key {
		case "metadata":
			s.mapping(value, kind)
		case "apiGroups":
			for _, item := range value.Content {
				item.Value = s.group(item.Value)
			}
		default:
			s.mapping(value, "")
		}
	}
}

func (s scope) scalar(kind, key, value string) string {
	switch key {
	case "apiVersion":
		return s.apiVersion(value)
	case "group", "apiGroup":
		return s.group(value)
	case "namespace", "targetNamespace", "storageNamespace":
		return s.namespace(value)
	case "chart":
		return s.chart(value)
	case "url":
		if strings.HasPrefix(value, "oci://") {
			return s.chart(value)
		}
	case "name":
		switch kind {
		case "Namespace", "Deployment", "StatefulSet", "DaemonSet": // an operator is found by its name alone
			return s.prefix + "-" + value
		case "CustomResourceDefinition":
			plural, group, _ := strings.Cut(value, ".")
			return plural + "." + s.group(group)
		}
	case "patch":
		if patched, err := s.file("patch.yaml", []byte(value)); err == nil {
			return string(patched)
		}
	}
	return value
}

// What the controllers wait for is cut short, so that the truth is soon known.
// It is no part of what is compared.
const (
	retryInterval = "3s"
	healthTimeout = "6s"
	longInterval  = "1h"
)

// hasten sets the timers of a Flux Kustomization.
func hasten(n *yaml.Node) {
	version, spec := field(n, "apiVersion"), field(n, "spec")
	if version == nil || spec == nil || !strings.HasPrefix(version.Value, "kustomize.toolkit.fluxcd.io/") || field(spec, "path") == nil {
		return
	}
	for _, timer := range [][2]string{{"interval", longInterval}, {"retryInterval", retryInterval}, {"timeout", healthTimeout}} {
		if old := field(spec, timer[0]); old != nil {
			old.Value = timer[1]
			continue
		}
		spec.Content = append(spec.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: timer[0]}, &yaml.Node{Kind: yaml.ScalarNode, Value: timer[1]})
	}
}

func field(n *yaml.Node, name string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// entries are the catalogue's, as the stand-ins have to know them for this tree.
func (s scope) entries(known *catalog.Catalog, t *tree) []catalog.Entry {
	words := map[string]bool{}
	for _, f := range t.files() {
		for _, w := range strings.FieldsFunc(string(f.Data), func(r rune) bool { return strings.ContainsRune(" \n:,{}[]\"/", r) }) {
			words[w] = true
		}
	}
	var out []catalog.Entry
	for _, e := range known.Entries() {
		chart := e.Chart != nil && slices.ContainsFunc(e.Chart.Names, func(name string) bool { return words[name] })
		provider := e.Provider != nil && words[e.Provider.Group] && words[e.Provider.Kind]
		if chart || provider {
			out = append(out, s.entry(trim(e, words)))
		}
	}
	return out
}

// trim leaves the kinds that the tree speaks of, and one: most of what a cluster
// of many trees costs is kinds that nobody uses.
func trim(e catalog.Entry, words map[string]bool) catalog.Entry {
	few := func(kinds []catalog.Kind) []catalog.Kind {
		var used []catalog.Kind
		for i, k := range kinds {
			if i == len(kinds)-1 && len(used) == 0 || words[k.Kind] || words[k.CRDName()] {
				used = append(used, k)
			}
		}
		return used
	}
	e.Provides = few(e.Provides)
	e.Parts = each(e.Parts, func(p catalog.Part) catalog.Part {
		p.Provides = few(p.Provides)
		return p
	})
	return e
}

func (s scope) entry(e catalog.Entry) catalog.Entry {
	e.Name = s.prefix + "-" + e.Name
	if e.Provider != nil {
		p := *e.Provider
		p.Group = s.group(p.Group)
		e.Provider = &p
	}
	if e.Operator != nil {
		o := *e.Operator
		o.Name = s.prefix + "-" + o.Name
		e.Operator = &o
	}
	if e.Chart != nil {
		c := *e.Chart
		c.Names = each(c.Names, s.chart)
		e.Chart = &c
	}
	e.Provides, e.Groups, e.Maybe = each(e.Provides, s.kind), each(e.Groups, s.pattern), each(e.Maybe, s.pattern)
	e.Parts = each(e.Parts, func(p catalog.Part) catalog.Part {
		p.Provides, p.Groups = each(p.Provides, s.kind), each(p.Groups, s.pattern)
		return p
	})
	e.Dynamic = each(e.Dynamic, func(d catalog.Dynamic) catalog.Dynamic {
		d.Group = s.group(d.Group)
		return d
	})
	return e
}

func (s scope) kind(k catalog.Kind) catalog.Kind {
	k.Group = s.group(k.Group)
	return k
}

func (s scope) pattern(group string) string {
	if rest, ok := strings.CutPrefix(group, "*."); ok {
		return "*." + s.group(rest)
	}
	return s.group(group)
}

func each[A, B any](list []A, f func(A) B) []B {
	var out []B
	for _, a := range list {
		out = append(out, f(a))
	}
	return out
}
