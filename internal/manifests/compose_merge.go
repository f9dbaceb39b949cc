package manifests

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"
)

// merge lays a YAML file over one that is there, as Helm lays values over each
// other (source-watcher, internal/builder/merge.go): maps are merged, all else
// is replaced. The lines of the result are not those of either file.
func (t *Tree) merge(from *Tree, name, to string) error {
	over, err := from.values(name)
	if err != nil {
		return err
	}
	under, err := t.values(to)
	if err != nil {
		return err
	}
	content, err := yaml.Marshal(overlay(under, over))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t.contents.Store(to, content)
	return nil
}

// values reads all documents of a file as one map.
func (t *Tree) values(name string) (map[string]any, error) {
	content, err := t.read(name)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	dec := yaml.NewDecoder(strings.NewReader(string(content)))
	for {
		var doc map[string]any
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = overlay(all, doc)
	}
}

func overlay(under, over map[string]any) map[string]any {
	result := maps.Clone(under)
	for key, value := range over {
		below, _ := result[key].(map[string]any)
		if above, ok := value.(map[string]any); ok && below != nil {
			value = overlay(below, above)
		}
		result[key] = value
	}
	return result
}
