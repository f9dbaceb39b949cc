package rehearsal

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// seed is what one file or directory brings before Flux.
type seed struct {
	kinds   []catalog.Kind
	groups  []string
	objects []objectKey
}

// readSeeds reads what a repository applies before Flux: a directory or file of
// manifests, the releases of a helmfile, the inline manifests of a Talos machine
// configuration. Its errors are FileErrors.
func readSeeds(c *catalog.Catalog, paths []string) (seed, error) {
	var s seed
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return s, &tiers.FileError{File: path, Message: "the seeds cannot be read: no such file or directory"}
		}
		files := []string{path}
		if info.IsDir() {
			tree, err := manifests.Open(path)
			if err != nil {
				return s, err
			}
			files = nil
			for _, file := range tree.Files(".yaml", ".yml") {
				files = append(files, filepath.Join(path, filepath.FromSlash(file)))
			}
		}
		for _, file := range files {
			if err := s.file(c, file); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

func (s *seed) file(c *catalog.Catalog, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return &tiers.FileError{File: file, Message: "the seeds cannot be read"}
	}
	if err := s.documents(c, string(data)); err != nil {
		return &tiers.FileError{File: file, Line: 1, Message: "the seeds cannot be read: " + err.Error(), Hint: "a helmfile with templates has to be rendered first (helmfile build)"}
	}
	return nil
}

func (s *seed) documents(c *catalog.Catalog, text string) error {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		var fields map[string]any
		err := dec.Decode(&fields)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.document(c, fields); err != nil {
			return err
		}
	}
}

func (s *seed) document(c *catalog.Catalog, fields map[string]any) error {
	u := &unstructured.Unstructured{Object: fields}
	switch {
	case u.GetKind() != "" && u.GetAPIVersion() != "":
		s.object(u)
	case fields["releases"] != nil:
		s.helmfile(c, u)
	case fields["cluster"] != nil:
		for _, m := range listAt(u, "cluster", "inlineManifests") {
			if contents, ok := m["contents"].(string); ok {
				if err := s.documents(c, contents); err != nil {
					return fmt.Errorf("inline manifest %v: %w", m["name"], err)
				}
			}
		}
	}
	return nil
}

func (s *seed) object(u *unstructured.Unstructured) {
	if strings.HasSuffix(u.GetKind(), "List") {
		for _, item := range listAt(u, "items") {
			s.object(&unstructured.Unstructured{Object: item})
		}
		return
	}
	o := manifests.Object{Unstructured: u}
	if kind, ok := defines(o); ok {
		s.kinds = append(s.kinds, kind)
	}
	key := keyOf(o)
	s.objects = append(s.objects, objectKey{kind: key.kind, namespace: key.namespace, name: key.name})
}

// helmfile takes the charts that the catalogue knows, with the values that are
// given in place.
func (s *seed) helmfile(c *catalog.Catalog, u *unstructured.Unstructured) {
	repositories := map[string]string{}
	for _, r := range listAt(u, "repositories") {
		name, _ := r["name"].(string)
		repositories[name], _ = r["url"].(string)
	}
	for _, r := range listAt(u, "releases") {
		chart, _ := r["chart"].(string)
		release := catalog.Release{Chart: chart, Values: helmfileValues(r)}
		if repository, name, ok := strings.Cut(chart, "/"); ok && repositories[repository] != "" {
			release.Chart, release.Repository = name, repositories[repository]
		}
		if ns, _ := r["namespace"].(string); ns != "" {
			s.objects = append(s.objects, namespaceKey(ns))
		}
		brings, _ := c.Installed(release)
		for _, share := range brings.Shares {
			if share.Come == catalog.Yes {
				for _, k := range share.Kinds {
					k.Versions = nil // what the catalogue says of versions is not complete
					s.kinds = append(s.kinds, k)
				}
				s.groups = append(s.groups, share.Groups...)
			}
		}
	}
}

func helmfileValues(release map[string]any) map[string]any {
	values := map[string]any{}
	list, _ := release["values"].([]any)
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			maps.Copy(values, m)
		}
	}
	for _, item := range listAt(&unstructured.Unstructured{Object: release}, "set") {
		name, _ := item["name"].(string)
		// A path that runs into a value of another shape cannot be set.
		_ = unstructured.SetNestedField(values, item["value"], strings.Split(name, ".")...)
	}
	return values
}
