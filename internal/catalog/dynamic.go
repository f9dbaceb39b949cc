package catalog

// Dynamic is a kind that the provider object names: the constraint of a
// ConstraintTemplate, the composite of a CompositeResourceDefinition.
type Dynamic struct {
	// Group is the group of the kind, or what counts where GroupFrom is absent.
	Group string `yaml:"group,omitempty"`
	// GroupFrom and KindFrom are fields of the object, as dotted paths.
	GroupFrom string `yaml:"groupFrom,omitempty"`
	KindFrom  string `yaml:"kindFrom"`
}

// of reads the kind from an object. An object without the field names no kind,
// since such fields may be optional. Where the name is still a variable, the
// kind is there and cannot be named.
func (d Dynamic) of(object map[string]any) (gk GroupKind, found, unknown bool) {
	kind, kindGiven, kindOpen := textAt(object, d.KindFrom)
	if !kindGiven {
		return GroupKind{}, false, false
	}
	group, groupOpen := d.Group, false
	if d.GroupFrom != "" {
		text, given, open := textAt(object, d.GroupFrom)
		if given {
			group = text
		}
		groupOpen = open
	}
	if kindOpen || groupOpen {
		return GroupKind{}, false, true
	}
	return GroupKind{group, kind}, group != "", false
}

func textAt(object map[string]any, path string) (text string, given, open bool) {
	v, _ := lookup(object, path)
	text, _ = v.(string)
	return text, text != "", variable(text)
}
