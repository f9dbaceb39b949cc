package rehearsal

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	swapi "github.com/fluxcd/source-watcher/api/v2/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

const externalArtifact = tiers.KindExternalArtifact

// generator is an ArtifactGenerator of the tree and what it makes of its sources.
type generator struct {
	object  manifests.Object
	spec    swapi.ArtifactGeneratorSpec
	sources map[string]tiers.Ref // by alias
	names   []*regexp.Regexp     // of its artifacts; what placeholders stand for is not known
	// made are the trees of its artifacts; nil until all of its sources are found.
	// unseen says which of them nobody can see, and why.
	made   map[tiers.Ref]*manifests.Tree
	unseen map[tiers.Ref]string
	// fault is why it stops, before an artifact that made does not have.
	fault error
	busy  bool // guards against generators that read each other's artifacts
}

// generatorError is what stops an ArtifactGenerator, however often it is tried.
type generatorError struct {
	object manifests.Object
	err    error
}

func (e *generatorError) Error() string { return fmt.Sprintf("%s fails: %v", named(e.object), e.err) }

func isGenerator(o manifests.Object) bool {
	return kindOf(o) == catalog.GroupKind{Group: swapi.GroupVersion.Group, Kind: swapi.ArtifactGeneratorKind}
}

func (w *walk) addGenerator(o manifests.Object) {
	if w.generatorAt(keyOf(o)) != nil {
		return
	}
	g := &generator{object: o, sources: map[string]tiers.Ref{}}
	var typed swapi.ArtifactGenerator
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &typed); err != nil {
		g.fault, g.made = err, map[tiers.Ref]*manifests.Tree{}
	}
	g.spec = typed.Spec
	for _, s := range typed.Spec.Sources {
		g.sources[s.Alias] = tiers.Ref{Kind: s.Kind, Namespace: cmp.Or(s.Namespace, o.GetNamespace()), Name: s.Name}
	}
	for _, a := range typed.Spec.OutputArtifacts {
		g.names = append(g.names, regexp.MustCompile("^"+placeholder.ReplaceAllString(regexp.QuoteMeta(a.Name), ".+")+"$"))
	}
	w.generators = append(w.generators, g)
}

// generatorAt finds a generator by its object.
func (w *walk) generatorAt(key objectKey) *generator {
	for _, g := range w.generators {
		if keyOf(g.object) == key {
			return g
		}
	}
	return nil
}

// generatorOf finds what makes an ExternalArtifact: the generator that has made
// it, or one that names it.
func (w *walk) generatorOf(ref tiers.Ref) *generator {
	if ref.Kind != externalArtifact {
		return nil
	}
	for _, g := range w.generators {
		w.generate(g)
		if g.makes(ref) {
			return g
		}
	}
	return nil
}

func (g *generator) makes(ref tiers.Ref) bool {
	if g.made[ref] != nil || g.unseen[ref] != "" {
		return true
	}
	return ref.Namespace == g.object.GetNamespace() &&
		slices.ContainsFunc(g.names, func(name *regexp.Regexp) bool { return name.MatchString(ref.Name) })
}

// generate makes the artifacts of a generator in their order, as soon as all of
// its sources can be seen (source-watcher v2.2, artifactgenerator_controller.go,
// reconcile: the first that fails ends the pass).
func (w *walk) generate(g *generator) {
	if g.made != nil || g.busy {
		return
	}
	g.busy = true
	defer func() { g.busy = false }()
	sources := map[string]*manifests.Tree{}
	for alias, ref := range g.sources {
		tree := w.treeOfSource(ref)
		if tree == nil {
			return
		}
		sources[alias] = tree
	}
	g.made, g.unseen = map[tiers.Ref]*manifests.Tree{}, map[tiers.Ref]string{}
	outputs, err := g.outputs(sources)
	if err != nil {
		g.fault = err
		return
	}
	for _, a := range outputs {
		ref := tiers.Ref{Kind: externalArtifact, Namespace: g.object.GetNamespace(), Name: a.Name}
		tree, err := manifests.Compose(sources, a.Copy)
		switch {
		case errors.Is(err, manifests.ErrArchive):
			g.unseen[ref] = fmt.Sprintf("its source %s is made by %s: %v", ref, named(g.object), err)
		case err != nil:
			g.fault = fmt.Errorf("artifact %s: %w", a.Name, err)
			return
		default:
			g.made[ref] = tree
		}
	}
}

// placeholder is a capture of a pathPattern, in a regular expression.
var placeholder = regexp.MustCompile(`\\\{([A-Za-z_][A-Za-z0-9_]*)\\\}`)

// outputs are the artifacts that a generator makes: those that it lists, once for
// each directory that matches its pathPattern (artifactgenerator_pathpattern.go).
// Names have the captures in lower case, and paths as they are.
func (g *generator) outputs(sources map[string]*manifests.Tree) ([]swapi.OutputArtifact, error) {
	if g.spec.PathPattern == "" {
		return g.spec.OutputArtifacts, nil
	}
	alias, pattern, _ := strings.Cut(strings.TrimPrefix(g.spec.PathPattern, "@"), "/")
	source := sources[alias]
	if source == nil {
		return nil, fmt.Errorf("pathPattern %q names no source of it", g.spec.PathPattern)
	}
	matcher, err := regexp.Compile("^" + placeholder.ReplaceAllString(regexp.QuoteMeta(pattern), "(?P<$1>[^/]+)") + "$")
	if err != nil {
		return nil, fmt.Errorf("pathPattern %q: %w", g.spec.PathPattern, err)
	}
	var found []swapi.OutputArtifact
	from := map[string]string{} // directory, by name
	for _, dir := range source.Dirs() {
		match := matcher.FindStringSubmatch(dir)
		if match == nil {
			continue
		}
		var raw, lower []string
		for i, name := range matcher.SubexpNames()[1:] {
			raw = append(raw, "{"+name+"}", match[i+1])
			lower = append(lower, "{"+name+"}", strings.ToLower(match[i+1]))
		}
		for _, a := range g.spec.OutputArtifacts {
			rendered := rendered(a, strings.NewReplacer(raw...), strings.NewReplacer(lower...))
			if before, taken := from[rendered.Name]; taken {
				return nil, fmt.Errorf("pathPattern %q: %s and %s both make the artifact %s", g.spec.PathPattern, before, dir, rendered.Name)
			}
			from[rendered.Name] = dir
			found = append(found, rendered)
		}
	}
	return found, nil
}

func rendered(a swapi.OutputArtifact, raw, lower *strings.Replacer) swapi.OutputArtifact {
	result := swapi.OutputArtifact{Name: lower.Replace(a.Name)}
	for _, c := range a.Copy {
		c.From, c.To = raw.Replace(c.From), raw.Replace(c.To)
		result.Copy = append(result.Copy, c)
	}
	return result
}

// madeTree gives the tree of an ExternalArtifact that a generator of the tree makes.
func (w *walk) madeTree(ref tiers.Ref) *manifests.Tree {
	if g := w.generatorOf(ref); g != nil {
		return g.made[ref]
	}
	return nil
}

// unmade says of a source that a generator should make why it does not: what
// nobody can see, or what is wrong.
func (w *walk) unmade(ref tiers.Ref) (blind string, fault error) {
	g := w.generatorOf(ref)
	switch {
	case g == nil:
		return "", nil
	case g.unseen[ref] != "":
		return g.unseen[ref], nil
	case g.fault != nil:
		return "", &generatorError{g.object, g.fault}
	case g.made == nil:
		for _, s := range g.spec.Sources {
			if from := g.sources[s.Alias]; w.treeOfSource(from) == nil {
				return fmt.Sprintf("its source %s is made by %s of %s, which is not this checkout", ref, named(g.object), from), nil
			}
		}
	}
	return fmt.Sprintf("its source %s is not among what %s makes", ref, named(g.object)), nil
}
