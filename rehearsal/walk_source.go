package rehearsal

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

const sourceGroup = "source.toolkit.fluxcd.io"

// findRoot gives the Kustomization that the entry is the path of: one of the
// tree, else the one that a FluxInstance of the tree makes for it, else the
// flux-system/flux-system that `flux bootstrap` would make, under another name
// where the tree has one for another path.
func (w *walk) findRoot(ctx context.Context) *node {
	bare := newRoot(w.opts.Entry, tiers.Ref{Kind: "GitRepository", Namespace: "flux-system", Name: "flux-system"}, "flux-system")
	// In its own set it is complete: generators and patches have done their work.
	set, err := w.tree.Build(ctx, bare, nil, manifests.Options{})
	if err != nil && set == nil {
		set = &manifests.Set{}
	}
	for _, o := range set.Objects {
		if w.isEntry(o.Unstructured) {
			return newNode(o)
		}
	}
	if o, ok := w.scan("kustomize.toolkit.fluxcd.io/", w.isEntry); ok {
		if o.GetNamespace() == "" {
			o.SetNamespace("flux-system")
		}
		return newNode(o)
	}
	if root, ok := w.synced(); ok {
		return root
	}
	if _, taken := w.scan("kustomize.toolkit.fluxcd.io/", func(o *unstructured.Unstructured) bool {
		return isKustomization(o) && o.GetName() == "flux-system" && cmp.Or(o.GetNamespace(), "flux-system") == "flux-system"
	}); taken {
		// It is of another path, so that the entry is applied by hand.
		bare.SetName(strings.ReplaceAll(cleanPath(w.opts.Entry), "/", "-"))
	}
	root := newNode(manifests.Object{Unstructured: bare})
	root.source = w.common(set, root.source)
	return root
}

// newRoot writes a root that the tree does not have.
func newRoot(entry string, source tiers.Ref, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
		"metadata": map[string]any{"namespace": source.Namespace, "name": name},
		"spec": map[string]any{
			"interval": "10m", "path": "./" + cleanPath(entry), "prune": true,
			"sourceRef": map[string]any{"kind": source.Kind, "name": source.Name},
		},
	}}
}

// common is the source that all Kustomizations of the entry's set share, where
// their paths are in the checkout: somebody applies the entry by hand, and calls
// the repository by another name than `flux bootstrap`.
func (w *walk) common(set *manifests.Set, usual tiers.Ref) tiers.Ref {
	shared := tiers.Ref{}
	for _, o := range set.Objects {
		if !isKustomization(o.Unstructured) || o.LeftAlone() {
			continue
		}
		n := newNode(o)
		at := cleanPath(n.spec.Spec.Path)
		if at == "" || !w.tree.HasDir(at) || shared != (tiers.Ref{}) && shared != n.source {
			return usual
		}
		shared = n.source
	}
	return cmp.Or(shared, usual)
}

func isKustomization(o *unstructured.Unstructured) bool {
	return o.GetKind() == "Kustomization" && strings.HasPrefix(o.GetAPIVersion(), "kustomize.toolkit.fluxcd.io/")
}

func (w *walk) isEntry(o *unstructured.Unstructured) bool {
	return isKustomization(o) && o.GetName() != "" && cleanPath(text(o, "spec", "path")) == cleanPath(w.opts.Entry)
}

// scan looks through the files of the tree for a document with a word in it: it
// may be applied by hand and be in no set.
func (w *walk) scan(word string, wanted func(*unstructured.Unstructured) bool) (manifests.Object, bool) {
	for _, file := range w.tree.Files(".yaml", ".yml") {
		content, err := w.tree.Read(file)
		if err != nil || !strings.Contains(string(content), word) {
			continue
		}
		dec := yaml.NewDecoder(strings.NewReader(string(content)))
		for {
			var doc yaml.Node
			if dec.Decode(&doc) != nil || len(doc.Content) == 0 {
				break // the end, or not YAML: nothing that is looked for either way
			}
			var fields map[string]any
			if doc.Decode(&fields) != nil {
				continue
			}
			if o := (&unstructured.Unstructured{Object: fields}); wanted(o) {
				return manifests.Object{Unstructured: o, File: file, Line: doc.Content[0].Line}, true
			}
		}
	}
	return manifests.Object{}, false
}

// treeOf gives the directory of a node's source; nil when it is not known.
func (w *walk) treeOf(n *node) *manifests.Tree { return w.treeOfSource(n.source) }

func (w *walk) treeOfSource(source tiers.Ref) *manifests.Tree {
	if w.sameAsEntry(source) {
		return w.tree
	}
	if tree, ok := w.trees[source]; ok {
		return tree
	}
	for ref, tree := range w.trees {
		if w.sameURL(ref, source) {
			return tree
		}
	}
	return w.madeTree(source)
}

func (w *walk) sameAsEntry(ref tiers.Ref) bool { return ref == w.entry || w.sameURL(ref, w.entry) }

// sameURL reports whether two source objects are the same repository under two
// names, which is common where each namespace has its own.
func (w *walk) sameURL(a, b tiers.Ref) bool {
	x, y := w.urlOf(a), w.urlOf(b)
	return x != "" && x == y && a.Kind == b.Kind
}

var urlPrefix = regexp.MustCompile(`^[a-z+]+://([^/@]*@)?`)

func (w *walk) urlOf(ref tiers.Ref) string {
	o, ok := w.sources[ref]
	if !ok {
		return ""
	}
	url := urlPrefix.ReplaceAllString(strings.ToLower(text(o.Unstructured, "spec", "url")), "")
	return strings.TrimSuffix(strings.TrimRight(url, "/"), ".git")
}

func (w *walk) unresolved(n *node) string {
	if _, ok := w.sources[n.source]; ok {
		return fmt.Sprintf("its source %s is not this checkout", n.source)
	}
	return fmt.Sprintf("its source %s is not in the tree", n.source)
}
