package manifests

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// survey is what the kustomization files of a set say, read before kustomize
// runs: where objects may come from, whether anything is remote, whether a
// schema of its own is declared.
//
// Kustomize can tell the file of an object as well, by an annotation. But it
// forgets the name that the object had in that file, without which there is no
// line, and takes the patch for the origin where one replaces the annotations.
type survey struct {
	tree *Tree
	opts Options
	// written are the files that kustomize reads instead of those of the tree.
	written map[string][]byte
	// left are the remote bases that were left out, and leftOut says so.
	left    []string
	leftOut error

	sources   []source
	content   map[string][]byte // of the files that sources name
	ownSchema bool
	partial   bool // objects may come from elsewhere, as something is remote
}

// source is a place where an object of the set may come from.
type source struct {
	document
	file string
	// finalName and finalNamespace are what the kustomizations above make of
	// the document's; finalNamespace is "" where they say nothing.
	finalName, finalNamespace string
	generated                 bool
}

// frame is what the kustomizations from the root down to here do to names.
type frame struct{ prefix, suffix, namespace string }

// below adds what one more kustomization does, before those above it.
func (f frame) below(k kustomizationFile) frame {
	return frame{
		prefix: f.prefix + k.NamePrefix, suffix: k.NameSuffix + f.suffix,
		namespace: cmp.Or(f.namespace, k.Namespace),
	}
}

// kustomizationFile is the part of kustomize's type that a survey needs; a
// stricter reader would find faults that are kustomize's to report.
type kustomizationFile struct {
	Resources          []string    `yaml:"resources"`
	Bases              []string    `yaml:"bases"`
	Components         []string    `yaml:"components"`
	Generators         []string    `yaml:"generators"`
	Transformers       []string    `yaml:"transformers"`
	Validators         []string    `yaml:"validators"`
	Namespace          string      `yaml:"namespace"`
	NamePrefix         string      `yaml:"namePrefix"`
	NameSuffix         string      `yaml:"nameSuffix"`
	OpenAPI            yaml.Node   `yaml:"openapi"`
	ConfigMapGenerator []yaml.Node `yaml:"configMapGenerator"`
	SecretGenerator    []yaml.Node `yaml:"secretGenerator"`
}

// survey reads the kustomization file that the controller would write, and all
// that it refers to.
func (t *Tree) survey(file string, manifest []byte, opts Options) (*survey, error) {
	s := &survey{tree: t, opts: opts, content: map[string][]byte{}, written: map[string][]byte{file: manifest}}
	if _, err := s.kustomization(file, manifest, frame{}, nil); err != nil {
		return nil, err
	}
	return s, nil
}

// kustomization reads one kustomization file and gives the frame of its
// resources. The stack of directories guards against bases that refer to each
// other, which kustomize reports.
func (s *survey) kustomization(file string, manifest []byte, above frame, stack []string) (frame, error) {
	dir := path.Dir(file)
	if slices.Contains(stack, dir) {
		return above, nil
	}
	stack = append(slices.Clip(stack), dir)
	var root yaml.Node
	if err := yaml.Unmarshal(manifest, &root); err != nil {
		return above, fmt.Errorf("%s: %w", file, err)
	}
	if len(root.Content) == 0 {
		return above, nil
	}
	if err := s.withoutRemote(file, root.Content[0]); err != nil {
		return above, err
	}
	var k kustomizationFile
	// A field of the wrong type is kustomize's to report; the others are read.
	_ = root.Content[0].Decode(&k)
	if !k.OpenAPI.IsZero() {
		s.ownSchema = true
	}
	here := above.below(k)
	// A component works on all that was there before it: on the resources and on
	// earlier components.
	for _, entry := range slices.Backward(k.Components) {
		var err error
		if here, err = s.entry(path.Join(dir, entry), here, stack); err != nil {
			return here, err
		}
	}
	for _, entry := range slices.Concat(k.Resources, k.Bases) {
		if _, err := s.entry(path.Join(dir, entry), here, stack); err != nil {
			return here, err
		}
	}
	for _, entry := range slices.Concat(k.Generators, k.Transformers, k.Validators) {
		if err := s.plugin(file, entry, stack); err != nil {
			return here, err
		}
	}
	return here, s.generators(file, here, k)
}

// entry reads a file or directory that a kustomization file refers to.
func (s *survey) entry(rel string, here frame, stack []string) (frame, error) {
	if s.tree.isFile(rel) {
		content, err := s.tree.read(rel)
		if err != nil {
			return here, err
		}
		s.content[rel] = content
		for _, doc := range documents(content) {
			s.add(rel, doc, here, false)
		}
		return here, nil
	}
	file, ok := s.tree.kustomizationFile(rel)
	if !ok {
		return here, nil // missing; kustomize reports it
	}
	manifest, err := s.tree.read(file)
	if err != nil {
		return here, err
	}
	return s.kustomization(file, manifest, here, stack)
}

// plugin looks into the configuration of a generator, transformer or validator:
// a directory, a file, or the text itself. Its objects are not of the set.
func (s *survey) plugin(file, entry string, stack []string) error {
	content := []byte(entry)
	if !strings.Contains(entry, "\n") {
		rel := path.Join(path.Dir(file), entry)
		if !s.tree.isFile(rel) {
			quiet := &survey{tree: s.tree, opts: Options{AllowRemoteBases: s.opts.AllowRemoteBases}, content: map[string][]byte{}}
			_, err := quiet.entry(rel, frame{}, stack)
			s.ownSchema = s.ownSchema || quiet.ownSchema
			return err
		}
		var err error
		if content, err = s.tree.read(rel); err != nil {
			return err
		}
		file = rel
	}
	for _, c := range chunks(content) {
		var root yaml.Node
		if err := yaml.Unmarshal([]byte(strings.Join(c.lines, "\n")), &root); err != nil || len(root.Content) == 0 {
			continue
		}
		if err := s.remote(file, root.Content[0]); err != nil {
			return err
		}
	}
	return nil
}

// generators notes the ConfigMaps and Secrets that a kustomization file makes.
// The lines are those of the file in the tree, which the controller completes.
func (s *survey) generators(file string, here frame, k kustomizationFile) error {
	if len(k.ConfigMapGenerator)+len(k.SecretGenerator) == 0 || !s.tree.isFile(file) {
		return nil
	}
	content, err := s.tree.read(file)
	if err != nil {
		return err
	}
	var written kustomizationFile
	_ = yaml.Unmarshal(content, &written) // as above
	s.content[file] = content
	end := strings.Count(string(content), "\n") + 2
	for _, g := range []struct {
		kind  string
		nodes []yaml.Node
	}{{"ConfigMap", written.ConfigMapGenerator}, {"Secret", written.SecretGenerator}} {
		for _, n := range g.nodes {
			s.add(file, document{
				apiVersion: "v1", kind: g.kind, line: n.Line, end: end,
				name: text(field(&n, "name")), namespace: text(field(&n, "namespace")),
			}, here, true)
		}
	}
	return nil
}

func (s *survey) add(file string, doc document, here frame, generated bool) {
	c := source{
		document: doc, file: file, generated: generated,
		finalName: here.prefix + doc.name + here.suffix, finalNamespace: here.namespace,
	}
	if doc.kind == "Namespace" && here.namespace != "" {
		c.finalName = here.namespace // it is renamed to what the others are moved to
	}
	s.sources = append(s.sources, c)
}
