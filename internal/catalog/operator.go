package catalog

import "strings"

// Operated finds the entry of an operator that registers kinds by itself, when
// it is installed by its manifests and not by its chart.
func (c *Catalog) Operated(kind, name string) (Brings, bool) {
	for _, e := range c.entries {
		if e.Provider != nil || e.Created != ByOperator || e.Operator == nil || e.Operator.Kind != kind || e.Operator.Name != name {
			continue
		}
		return Brings{Entry: e, Shares: []Share{{Kinds: e.Kinds(), Groups: e.AllGroups(), Come: Yes}}}, true
	}
	return Brings{}, false
}

// Runs recognises the operator's workload. Installations differ in namespace,
// and charts put the name of the release in front or behind, so the name may be
// longer, or only the image may have it.
func (o Operator) Runs(workload map[string]any) bool {
	if name, _ := lookup(workload, "metadata.name"); strings.Contains(asText(name), o.Name) {
		return true
	}
	found, _ := lookup(workload, "spec.template.spec.containers")
	containers, _ := found.([]any)
	for _, c := range containers {
		container, _ := c.(map[string]any)
		image := asText(container["image"])
		image = image[strings.LastIndex(image, "/")+1:]
		if end := strings.IndexAny(image, ":@"); end >= 0 {
			image = image[:end] // without tag and digest
		}
		if image == o.Name {
			return true
		}
	}
	return false
}

func asText(v any) string {
	text, _ := v.(string)
	return text
}
