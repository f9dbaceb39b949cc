package rehearsal

import (
	"context"
	"slices"
	"strings"

	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/internal/schemas"
)

// creator is an object of a set that would meet a need.
type creator struct {
	node    *node
	object  manifests.Object
	bringer *bringer // of a kind
	how     how
}

// stage is all that does not change while the model runs: what the sets hold,
// and what would create what.
type stage struct {
	w        *walk
	bringers []*bringer
	scopes   map[catalog.GroupKind]catalog.Scope
	base     map[catalog.GroupKind][]string // kinds that are there, with their versions; nil is any
	groups   []string                       // groups that are there as a whole
	// builtInGroups are those of Kubernetes itself.
	builtInGroups map[string]bool
	exist         map[objectKey]bool // objects that are there

	index     map[objectKey][]creator
	byKind    map[catalog.GroupKind][]creator
	stages    map[*node][]applyStage
	releaseOf map[objectKey]*bringer
	// definitions are the bringers that are CustomResourceDefinitions.
	definitions map[*unstructured.Unstructured]*bringer
	policies    map[objectKey]policy   // of HelmReleases
	rendered    map[objectKey][]need   // kinds of which a chart has objects
	podNeeds    map[objectKey][]need   // of what a chart or a workload runs
	hosts       map[objectKey][]string // which hosts an object serves
	// evaluate asks an expression, for as long as the caller has time.
	evaluate func(*cel.Expression, map[string]any) (bool, error)
	// othersMake: objects may come that are in no set; see findOthers.
	othersMake bool
	defined    map[string]bool // variables that the tree knows; nil until asked for
	schemas    *schemas.Set
	refused    map[*unstructured.Unstructured][]string // definitions, with why
}

func newStage(ctx context.Context, w *walk) (*stage, error) {
	built, err := loadBuiltins()
	if err != nil {
		return nil, err
	}
	s := &stage{
		w: w, bringers: w.bringers(), scopes: map[catalog.GroupKind]catalog.Scope{}, base: map[catalog.GroupKind][]string{},
		exist: map[objectKey]bool{}, index: map[objectKey][]creator{}, byKind: map[catalog.GroupKind][]creator{},
		stages: map[*node][]applyStage{}, releaseOf: map[objectKey]*bringer{}, hosts: map[objectKey][]string{},
		evaluate:    func(e *cel.Expression, vars map[string]any) (bool, error) { return e.EvaluateBoolean(ctx, vars) },
		definitions: map[*unstructured.Unstructured]*bringer{}, policies: map[objectKey]policy{},
		rendered: map[objectKey][]need{}, podNeeds: map[objectKey][]need{},
		schemas: w.schemas, refused: map[*unstructured.Unstructured][]string{},
	}
	s.builtInGroups = map[string]bool{}
	for _, k := range built.Kinds {
		s.builtInGroups[k.Group] = true
	}
	for _, k := range built.kinds(w.components()) {
		s.base[k.GroupKind()], s.scopes[k.GroupKind()] = k.Versions, k.Scope
		if strings.HasSuffix(k.Group, ".fluxcd.io") && !w.opts.Flux.since(newestFlux) {
			s.base[k.GroupKind()] = nil // an older one serves more
		}
	}
	if w.instance != nil {
		s.groups = append(s.groups, operatorGroup)
	}
	for _, kind := range slices.Concat(w.opts.Baseline.Kinds, w.opts.Seeded) {
		if group, name, ok := strings.Cut(kind, "/"); ok {
			s.base[catalog.GroupKind{Group: group, Kind: name}] = nil
		} else {
			s.groups = append(s.groups, kind)
		}
	}
	seeds, err := readSeeds(w.opts.Catalog, w.opts.Seeds)
	if err != nil {
		return nil, err
	}
	for _, k := range seeds.kinds {
		s.base[k.GroupKind()], s.scopes[k.GroupKind()] = k.Versions, k.Scope
	}
	s.groups = append(s.groups, seeds.groups...)
	for _, key := range seeds.objects {
		s.exist[key] = true
	}
	for _, ns := range []string{"default", "kube-system", "kube-public", "kube-node-lease", "flux-system"} {
		s.exist[namespaceKey(ns)] = true
	}
	for _, o := range w.opts.Baseline.Objects {
		if !o.Absent {
			s.exist[objectKey{kind: o.Kind, namespace: o.Namespace, name: o.Name}] = true
		}
	}
	s.indexObjects()
	s.othersMake = s.findOthers()
	s.indexArtifacts()
	s.indexHosts()
	s.define()
	for _, n := range w.order {
		if s.stages[n], err = s.stagesOf(n); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *stage) indexObjects() {
	for _, b := range s.bringers {
		if b.kind.Kind != "" {
			s.scopes[b.kind.GroupKind()] = b.kind.Scope
			s.definitions[b.object.Unstructured] = b
		}
		if b.object.IsHelmRelease() {
			s.releaseOf[keyOf(b.object)] = b
		}
	}
	for _, n := range s.w.order {
		for _, o := range n.objects() {
			if o.LeftAlone() {
				continue
			}
			if _, known := s.scopes[kindOf(o)]; !known {
				if kind, ok := s.w.opts.Catalog.Kind(kindOf(o)); ok {
					s.scopes[kindOf(o)] = kind.Scope
				}
			}
			s.index[keyOf(o)] = append(s.index[keyOf(o)], creator{node: n, object: o, how: byApply})
			s.readNeeds(o)
			for _, key := range produced(o) {
				s.index[key] = append(s.index[key], creator{node: n, object: o, how: byOperator})
			}
			if ns := text(o.Unstructured, "spec", "targetNamespace"); o.IsHelmRelease() && ns != "" && flagAt(o.Unstructured, "spec", "install", "createNamespace") {
				s.index[namespaceKey(ns)] = append(s.index[namespaceKey(ns)], creator{node: n, object: o, how: byInstall})
			}
		}
	}
}

// readNeeds notes what a release or workload must have to be installed and to run.
func (s *stage) readNeeds(o manifests.Object) {
	key := keyOf(o)
	if o.IsHelmRelease() {
		s.policies[key] = s.policyOf(o)
		for _, gk := range s.w.opts.Catalog.Rendered(s.w.releaseOf(o)) {
			s.rendered[key] = append(s.rendered[key], need{kind: gk, why: forValues, by: o})
		}
	}
	for _, k := range podNeeds(o) {
		s.podNeeds[key] = append(s.podNeeds[key], need{object: k, why: forPod, by: o})
	}
}

// isThere reports whether a need is met before Flux starts.
func (s *stage) isThere(n need) bool {
	if n.kind.Kind == "" {
		return s.exist[n.object]
	}
	if _, served := s.w.opts.Catalog.Platform(n.kind); served || slices.Contains(s.groups, n.kind.Group) {
		return true
	}
	versions, ok := s.base[n.kind]
	return ok && (versions == nil || n.version == "" || slices.Contains(versions, n.version))
}
