package rehearsal

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// Fix is a durable way out of a deadlock: objects whose kind comes too late for
// their set get a Kustomization of their own behind what brings it.
type Fix struct {
	// Kustomization is the one whose set is split, and New the new one, both as
	// namespace/name.
	Kustomization, New string
	// Path is the directory of the new one.
	Path string
	// Moves are the objects that go there.
	Moves []Object
	// DependsOn is what the new one depends on, and Dependents are those that
	// must depend on the new one: they use what the same provider brings.
	DependsOn  string
	Dependents []string
	// Manifest is the new Flux Kustomization.
	Manifest string
	// TierOrder is the line for the TIER_ORDER file.
	TierOrder string
	// Prune is the warning for a cluster on which the objects exist already;
	// empty where nothing is pruned.
	Prune string
	// Patch is the change of the tree, for `git apply`. Empty where it has to be
	// made by hand: then ByHand says why.
	Patch, ByHand string

	files map[string]string // all that is changed by this and earlier patches
}

// split is a kind that comes too late for a set.
type split struct {
	node *node
	kind catalog.GroupKind
	by   creator
}

// fixes plans one new Kustomization for each set and provider.
func (s *stage) fixes(splits []split) []Fix {
	var found []Fix
	files := map[string]string{}
	taken := map[string]bool{}
	for _, n := range s.w.order {
		taken[n.ref.NamespacedName()] = true
	}
	for i, x := range splits {
		if slices.ContainsFunc(splits[:i], func(y split) bool { return y.node == x.node && sameProvider(x, y) }) {
			continue
		}
		var kinds []catalog.GroupKind
		for _, y := range splits[i:] {
			if y.node == x.node && sameProvider(x, y) {
				kinds = append(kinds, y.kind)
			}
		}
		found = append(found, s.fix(x, kinds, taken, files))
	}
	return found
}

func sameProvider(x, y split) bool { return keyOf(x.by.object) == keyOf(y.by.object) }

// fix plans one; files are the contents that earlier ones have changed.
func (s *stage) fix(x split, kinds []catalog.GroupKind, taken map[string]bool, files map[string]string) Fix {
	n := x.node
	suffix, _, _ := strings.Cut(kinds[0].Group, ".")
	name := n.ref.Name + "-" + cmp.Or(suffix, "later")
	for i := 2; taken[n.ref.Namespace+"/"+name]; i++ {
		name = fmt.Sprintf("%s-%s-%d", n.ref.Name, suffix, i)
	}
	taken[n.ref.Namespace+"/"+name] = true
	after := n
	if x.by.node != n {
		after = x.by.node
	}
	f := Fix{
		Kustomization: n.ref.NamespacedName(), New: n.ref.Namespace + "/" + name,
		Path: siblingPath(n, suffix), DependsOn: after.ref.NamespacedName(), TierOrder: "- name: " + name,
	}
	for _, o := range n.objects() {
		if !o.LeftAlone() && slices.Contains(kinds, kindOf(o)) {
			f.Moves = append(f.Moves, *locate(o))
		}
	}
	for _, d := range s.users(x, n) {
		f.Dependents = append(f.Dependents, d.ref.NamespacedName())
	}
	if n.spec.Spec.Prune {
		f.Prune = fmt.Sprintf("Where the objects exist already, %s deletes them once and %s makes them anew: let the first be Ready before the change is merged. "+
			"To keep them, merge with prune: false on %s, wait until their label kustomize.toolkit.fluxcd.io/name is %s, and set prune: true again.", n.ref.Name, name, n.ref.Name, name)
	}
	if after == s.w.root && after.spec.Spec.Wait {
		f.DependsOn = "" // it would wait for the new one as well
	}
	e := newEdits(s.w, f, n, after, maps.Clone(files))
	f.Manifest = e.manifest
	if f.Patch, f.ByHand = e.patch(); f.Patch != "" {
		maps.Copy(files, e.files)
	}
	f.files = maps.Clone(files)
	return f
}

// siblingPath is a directory beside that of a Kustomization: beneath it, a set
// without a kustomization file would still have the objects.
func siblingPath(n *node, suffix string) string {
	dir := cleanPath(n.spec.Spec.Path)
	if dir == "" {
		return suffix
	}
	return path.Join(path.Dir(dir), path.Base(dir)+"-"+suffix)
}

// users lists the Kustomizations that are behind the one that is split and have
// objects of kinds that the same provider brings.
func (s *stage) users(x split, n *node) []*node {
	var found []*node
	for _, d := range s.w.order {
		if d == n || !slices.ContainsFunc(d.objects(), func(o manifests.Object) bool {
			return !o.LeftAlone() && x.by.bringer != nil && x.by.bringer.of(kindOf(o)) == catalog.Yes
		}) {
			continue
		}
		for _, dep := range d.spec.Spec.DependsOn {
			if refOfDependency(d, dep) == n.ref {
				found = append(found, d)
			}
		}
	}
	return found
}

// Summary is the fix in one sentence.
func (f Fix) Summary() string {
	var names []string
	for _, o := range f.Moves {
		names = append(names, o.Kind+"/"+o.Name)
	}
	text := fmt.Sprintf("Move %s to a new Kustomization %s", strings.Join(names, ", "), f.New)
	if f.DependsOn != "" {
		text += " that depends on " + f.DependsOn
	}
	if len(f.Dependents) > 0 {
		text += fmt.Sprintf(", and let %s depend on it", strings.Join(f.Dependents, ", "))
	}
	return text + "."
}
