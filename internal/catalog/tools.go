package catalog

import (
	_ "embed"
	"fmt"
	"slices"
)

//go:embed tools.yaml
var toolsYAML []byte

// Tool is a program whose own files look like objects of a cluster. No API
// server ever serves their kinds: such a file has strayed into the tree.
type Tool struct {
	// Name is the program, as a person would say it.
	Name string `yaml:"name"`
	// Source is the address where the fact was read.
	Source string `yaml:"source"`
	// Groups are API groups that only the program reads.
	Groups []string `yaml:"groups,omitempty"`
	// Kinds are single kinds, where a group (or none) is shared with others.
	Kinds []ToolKind `yaml:"kinds,omitempty"`
}

// ToolKind is one kind of a tool. Its group may be empty.
type ToolKind struct {
	Group string `yaml:"group"`
	Kind  string `yaml:"kind"`
}

// Tool finds the program whose file it is, if the kind is that of a tool and of
// no cluster.
func (c *Catalog) Tool(gk GroupKind) (Tool, bool) {
	for _, t := range c.tools {
		if slices.Contains(t.Kinds, ToolKind(gk)) || gk.Group != "" && anyGroup(t.Groups, gk.Group) {
			return t, true
		}
	}
	return Tool{}, false
}

// Tools are all tools, by name.
func (c *Catalog) Tools() []Tool { return slices.Clone(c.tools) }

func loadTools() ([]Tool, error) {
	var list struct {
		Tools []Tool `yaml:"tools"`
	}
	doc, err := decode("tools.yaml", toolsYAML, &list)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	for i, t := range list.Tools {
		if at := fmt.Sprintf("tools[%d]", i); t.Name == "" || len(t.Groups)+len(t.Kinds) == 0 {
			return nil, fmt.Errorf("catalogue: %w", doc.fault(at, "a tool lacks its name, or its groups and kinds"))
		}
	}
	return list.Tools, nil
}
