package rehearsal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"go.yaml.in/yaml/v3"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// edits are the files of the tree that a fix changes. The tree itself is not
// written to.
type edits struct {
	w        *walk
	fix      Fix
	node     *node // whose set is split
	after    *node // on which the new one depends
	manifest string
	// before are the contents after earlier fixes, and files the new ones; "" is
	// a file that goes away.
	before, files map[string]string
	problem       error
}

func newEdits(w *walk, f Fix, n, after *node, before map[string]string) *edits {
	e := &edits{w: w, fix: f, node: n, after: after, before: before, files: map[string]string{}}
	e.manifest, e.problem = e.kustomization()
	for _, step := range []func() error{e.dependents, e.move, e.define, e.tierOrder} {
		if e.problem == nil {
			e.problem = step()
		}
	}
	return e
}

// patch is the unified diff of all files, or why there is none.
func (e *edits) patch() (patch, byHand string) {
	if e.problem != nil {
		return "", e.problem.Error()
	}
	var b strings.Builder
	for _, file := range slices.Sorted(maps.Keys(e.files)) {
		before, after := e.original(file), e.files[file]
		from, to := "a/"+file, "b/"+file
		fmt.Fprintf(&b, "diff --git %s %s\n", from, to)
		switch {
		case before == "":
			from = "/dev/null"
			b.WriteString("new file mode 100644\n")
		case after == "":
			to = "/dev/null"
			b.WriteString("deleted file mode 100644\n")
		}
		b.WriteString(udiff.Unified(from, to, before, after))
	}
	return b.String(), ""
}

func (e *edits) original(file string) string {
	if text, ok := e.before[file]; ok {
		return text
	}
	data, err := e.w.tree.Read(file)
	if err != nil {
		return "" // it is new
	}
	return string(data)
}

// current is the content of a file with what is changed so far.
func (e *edits) current(file string) string {
	if text, ok := e.files[file]; ok {
		return text
	}
	return e.original(file)
}

// kustomization is the new Flux Kustomization: the one that is split, as it is
// written, with another path and one dependency.
func (e *edits) kustomization() (string, error) {
	fields, err := e.definition()
	if err != nil {
		return "", err
	}
	_, name, _ := strings.Cut(e.fix.New, "/")
	metadata, _ := fields["metadata"].(map[string]any)
	spec, _ := fields["spec"].(map[string]any)
	if metadata == nil || spec == nil {
		return "", fmt.Errorf("the definition of %s %w", e.node.ref, errShape)
	}
	metadata["name"] = name
	spec["path"] = "./" + e.fix.Path
	dependency := map[string]any{"name": e.after.ref.Name}
	if e.after.ref.Namespace != e.node.ref.Namespace {
		dependency["namespace"] = e.after.ref.Namespace
	}
	spec["dependsOn"] = []any{dependency}
	if e.fix.DependsOn == "" {
		delete(spec, "dependsOn")
	}
	spec["wait"] = true
	// The kind may come a moment after what brings it is healthy.
	if e.node.spec.Spec.RetryInterval == nil {
		spec["retryInterval"] = "2m"
	}
	for _, field := range []string{"healthChecks", "healthCheckExprs"} {
		delete(spec, field)
	}
	for _, field := range []string{"patches", "components"} {
		if _, there := spec[field]; there {
			return marshal(fields), fmt.Errorf("%s has %s, which may be meant for what moves", e.node.ref, field)
		}
	}
	return marshal(fields), nil
}

// definition reads the split one as its author wrote it; of a root that is not
// in the tree what the model made of it.
func (e *edits) definition() (map[string]any, error) {
	fields := map[string]any{}
	if e.node.object.File == "" {
		raw := e.node.raw.DeepCopy()
		return raw.Object, nil
	}
	text := excerpt(e.original(e.node.object.File), e.node.object.Line)
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		return nil, fmt.Errorf("%s %w", e.node.object.File, errShape)
	}
	if metadata, _ := fields["metadata"].(map[string]any); fields["kind"] != "Kustomization" || metadata["name"] != e.node.ref.Name {
		return nil, fmt.Errorf("%s is made of %s by something else", e.node.ref, e.node.object.File)
	}
	return fields, nil
}

func marshal(fields map[string]any) string {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(fields); err != nil {
		return "" // it was read from the same form
	}
	return b.String()
}

// dependents lets those depend on the new one that use what the provider brings.
func (e *edits) dependents() error {
	_, name, _ := strings.Cut(e.fix.New, "/")
	var nodes []*node
	for _, n := range e.w.order {
		if slices.Contains(e.fix.Dependents, n.ref.NamespacedName()) {
			nodes = append(nodes, n)
		}
	}
	// From the end, so that lines in front keep their numbers.
	slices.SortFunc(nodes, func(a, b *node) int { return b.object.Line - a.object.Line })
	for _, n := range nodes {
		if n.ref.Namespace != e.node.ref.Namespace {
			return fmt.Errorf("%s is in another namespace and has to depend on %s", n.ref, e.fix.New)
		}
		if !isDocumentOf(e.current(n.object.File), n) {
			return fmt.Errorf("%s in %s %w", n.ref, n.object.File, errShape)
		}
		text, err := withItem(e.current(n.object.File), n.object.Line, "name: "+name, "spec", "dependsOn")
		if err != nil {
			return fmt.Errorf("%s in %s %w", n.ref, n.object.File, err)
		}
		e.files[n.object.File] = text
	}
	return nil
}

// isDocumentOf reports whether a node's definition is where it was found.
func isDocumentOf(text string, n *node) bool {
	var fields struct {
		Kind     string
		Metadata struct{ Name string }
	}
	err := yaml.Unmarshal([]byte(excerpt(text, n.object.Line)), &fields)
	return err == nil && fields.Kind == "Kustomization" && fields.Metadata.Name == n.ref.Name
}

// define puts the new Kustomization beside the one that it depends on: into a
// file of its own where a kustomization file lists the files, else behind it.
func (e *edits) define() error {
	_, name, _ := strings.Cut(e.fix.New, "/")
	host := e.after.object
	if e.after == e.w.root || host.File == "" {
		host = e.childOf(e.w.root)
	}
	if host.File == "" {
		dir := cleanPath(e.w.opts.Entry)
		e.files[path.Join(dir, name+".yaml")] = e.manifest
		return e.list(dir, name+".yaml", "")
	}
	if !e.w.tree.HasFile(host.File) {
		return fmt.Errorf("%s is not in this tree", host.File)
	}
	dir := path.Dir(host.File)
	if err := e.list(dir, name+".yaml", path.Base(host.File)); err == nil {
		e.files[path.Join(dir, name+".yaml")] = e.manifest
		return nil
	} else if !errors.Is(err, errNotListed) {
		return err
	}
	e.files[host.File] = strings.TrimRight(e.current(host.File), "\n") + "\n---\n" + e.manifest
	return nil
}

func (e *edits) childOf(n *node) manifests.Object {
	for _, c := range e.w.order {
		if c != n && slices.Contains(c.parents, n) && c.object.File != "" {
			return c.object
		}
	}
	return manifests.Object{}
}

var errNotListed = errors.New("no kustomization file lists it")

// list adds a file to the kustomization file of a directory, if that lists the
// other. Without one, all files of a directory are taken.
func (e *edits) list(dir, name, beside string) error {
	file, ok := e.w.tree.KustomizationFile(dir)
	if !ok {
		if beside == "" {
			return nil
		}
		return errNotListed
	}
	var k struct{ Resources []string }
	if err := yaml.Unmarshal([]byte(e.current(file)), &k); err != nil {
		return fmt.Errorf("%s %w", file, errShape)
	}
	if beside != "" && !slices.Contains(k.Resources, beside) && !slices.Contains(k.Resources, "./"+beside) {
		return errNotListed
	}
	text, err := withItem(e.current(file), 1, name, "resources")
	if err != nil {
		return fmt.Errorf("%s %w", file, err)
	}
	e.files[file] = text
	return nil
}

// tierOrder adds the tier behind that of the split one.
func (e *edits) tierOrder() error {
	file, _ := tiers.Lookup("", "", e.w.tree.HasFile)
	if file == "" {
		return nil
	}
	text, err := withTier(e.current(file), e.after.ref.Name, e.fix.TierOrder)
	if err != nil {
		return fmt.Errorf("%s %w", file, err)
	}
	e.files[file] = text
	return nil
}

// withTier adds a line behind a tier.
func withTier(text, tier, line string) (string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
		return "", errShape
	}
	list := child(doc.Content[0], "tiers")
	if list == nil || list.Style&yaml.FlowStyle != 0 {
		return "", errShape
	}
	lines := strings.SplitAfter(text, "\n")
	for _, item := range list.Content {
		if name := child(item, "name"); name != nil && name.Value == tier {
			indent := strings.Repeat(" ", max(list.Column-1, 0))
			return strings.Join(slices.Insert(lines, lastLine(item), indent+line+"\n"), ""), nil
		}
	}
	return "", fmt.Errorf("has no tier %s", tier)
}
