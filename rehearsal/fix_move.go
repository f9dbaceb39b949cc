package rehearsal

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// plainFields are those of a kustomization file that mean the same for a part of
// its resources as for all.
func plainFields() []string {
	return []string{"apiVersion", "kind", "metadata", "resources", "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations"}
}

// move takes the objects out of their files and puts them into new ones of the
// same names.
func (e *edits) move() error {
	lines := map[string][]int{}
	for _, o := range e.fix.Moves {
		if o.File == "" || !e.w.tree.HasFile(o.File) {
			return fmt.Errorf("%s/%s is not written in this tree", o.Kind, o.Name)
		}
		_, changed := e.files[o.File]
		if _, earlier := e.before[o.File]; changed || earlier {
			return fmt.Errorf("%s %w", o.File, errShape)
		}
		lines[o.File] = append(lines[o.File], o.Line)
	}
	if err := e.free(); err != nil {
		return err
	}
	dir := cleanPath(e.node.spec.Spec.Path)
	file, listed := e.w.tree.KustomizationFile(dir)
	header, err := e.header(file, listed)
	if err != nil {
		return err
	}
	var names []any
	for _, f := range slices.Sorted(maps.Keys(lines)) {
		if listed && path.Dir(f) != dir || !listed && !strings.HasPrefix(f, dir+"/") {
			return fmt.Errorf("%s is not in %s", f, dir)
		}
		if err := e.moveFrom(f, lines[f], file, listed); err != nil {
			return err
		}
		names = append(names, path.Base(f))
	}
	if listed {
		header["resources"] = names
		e.files[path.Join(e.fix.Path, "kustomization.yaml")] = marshal(header)
	}
	return nil
}

// free reports whether the new directory is nobody's yet.
func (e *edits) free() error {
	if e.w.tree.HasDir(e.fix.Path) || cleanPath(e.node.spec.Spec.Path) == "" {
		return fmt.Errorf("there is no free directory beside %s", e.node.spec.Spec.Path)
	}
	for _, n := range e.w.order {
		p := cleanPath(n.spec.Spec.Path)
		if p != "" && !strings.HasPrefix(e.fix.Path, p+"/") || !e.w.sameAsEntry(n.source) {
			continue
		}
		if _, listed := e.w.tree.KustomizationFile(cmp.Or(p, ".")); !listed {
			return fmt.Errorf("%s takes all that is beneath %s", n.ref, n.spec.Spec.Path)
		}
	}
	return nil
}

// header are the fields of the kustomization file that the new one has as well.
func (e *edits) header(file string, listed bool) (map[string]any, error) {
	fields := map[string]any{}
	if !listed {
		return fields, nil
	}
	if err := yaml.Unmarshal([]byte(e.original(file)), &fields); err != nil {
		return nil, fmt.Errorf("%s %w", file, errShape)
	}
	for _, field := range sortedKeys(fields) {
		if !slices.Contains(plainFields(), field) {
			return nil, fmt.Errorf("%s has %s, which may be meant for what moves", file, field)
		}
	}
	return fields, nil
}

func (e *edits) moveFrom(f string, at []int, file string, listed bool) error {
	if ext := path.Ext(f); ext != ".yaml" && ext != ".yml" {
		return fmt.Errorf("%s %w", f, errShape)
	}
	text := e.original(f)
	slices.Sort(at)
	var moved []string
	for _, line := range at {
		if part := excerpt(text, line); !slices.Contains(moved, part) {
			moved = append(moved, part)
		}
	}
	e.files[path.Join(e.fix.Path, path.Base(f))] = strings.Join(moved, "---\n")
	e.files[f] = without(text, at)
	if e.files[f] != "" || !listed {
		return nil
	}
	left, err := withoutItem(e.current(file), "resources", path.Base(f))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	e.files[file] = left
	return nil
}
