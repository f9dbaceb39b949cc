package bootstrap_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/tiers"
)

// shop is the rest of the cluster around a flux: an API server that serves a
// kind some time after its provider was applied, and, at the same time, what
// breaks a wedge there.
type shop struct {
	mu sync.Mutex
	// provides is the provider, as Kind/name, of each kind by group kind.
	provides map[string]string
	// after is how long a kind takes to be served once its provider exists.
	after   time.Duration
	objects map[tiers.Ref]*unstructured.Unstructured
	since   map[tiers.Ref]time.Time
	writes  []string
	// refuse is asked before each write.
	refuse func(verb string, ref tiers.Ref) error
	// finds are the diagnoses by Kustomization, while the kind is absent.
	finds     map[string]*wedge.Diagnosis
	diagnosed []string
	cannot    error // a diagnosis fails with it
	restarts  []string
	onRestart func() error
}

func newShop(after time.Duration) *shop {
	return &shop{
		provides: map[string]string{}, after: after, objects: map[tiers.Ref]*unstructured.Unstructured{},
		since: map[tiers.Ref]time.Time{}, finds: map[string]*wedge.Diagnosis{},
	}
}

func (s *shop) repair() *bootstrap.Repair { return &bootstrap.Repair{Doctor: s, Seeder: s} }

// in gives the cluster to a sequencer.
func (s *shop) in(q *bootstrap.Sequencer) { q.Looker, q.Repair = s, s.repair() }

func refOf(o *unstructured.Unstructured) tiers.Ref {
	return tiers.Ref{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()}
}

// has puts an object into the cluster, as some field manager applied it.
func (s *shop) has(o *unstructured.Unstructured, managers ...string) {
	u := o.DeepCopy()
	var fields []metav1.ManagedFieldsEntry
	for _, m := range managers {
		fields = append(fields, metav1.ManagedFieldsEntry{Manager: m, Operation: metav1.ManagedFieldsOperationApply})
	}
	u.SetManagedFields(fields)
	s.objects[refOf(u)], s.since[refOf(u)] = u, time.Now()
}

// adopts is what Flux does to an object when it applies it.
func (s *shop) adopts(refs ...tiers.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ref := range refs {
		if o := s.objects[ref]; o != nil {
			o.SetAnnotations(nil)
		}
	}
}

func (s *shop) adoptsAll() {
	s.adopts(slices.Collect(maps.Keys(s.objects))...)
}

// serves reports whether the kind is served now.
func (s *shop) serves(gk schema.GroupKind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	provider, custom := s.provides[gk.String()]
	if !custom {
		return true
	}
	for ref, since := range s.since {
		if ref.Kind+"/"+ref.Name == provider && time.Since(since) >= s.after {
			return true
		}
	}
	return false
}

// Get implements bootstrap.Looker.
func (s *shop) Get(_ context.Context, _ schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ref, o := range s.objects {
		if ref.Namespace == namespace && ref.Name == name {
			return o.DeepCopy(), nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, name)
}

// Served implements bootstrap.Looker.
func (s *shop) Served(_ context.Context, gvk schema.GroupVersionKind) (bool, error) {
	return s.serves(gvk.GroupKind()), nil
}

// HasStatus implements bootstrap.Looker.
func (s *shop) HasStatus(context.Context, schema.GroupKind) (bool, error) { return false, nil }

// Seed implements bootstrap.Seeder.
func (s *shop) Seed(_ context.Context, o *unstructured.Unstructured, dryRun bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	verb := "apply"
	if dryRun {
		verb = "try"
	}
	if s.refuse != nil {
		if err := s.refuse(verb, refOf(o)); err != nil {
			return err
		}
	}
	s.writes = append(s.writes, verb+" "+o.GetKind())
	if !dryRun {
		s.has(o, "kustomize-controller")
	}
	return nil
}

// Diagnose implements bootstrap.Diagnoser: what was found once holds while one
// of its kinds is absent.
func (s *shop) Diagnose(_ context.Context, c wedge.Case) (*wedge.Diagnosis, error) {
	s.mu.Lock()
	s.diagnosed = append(s.diagnosed, c.Kustomization.Name)
	d, err := s.finds[c.Kustomization.Name], s.cannot
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	found := &wedge.Diagnosis{Kustomization: tiers.KustomizationRef(c.Kustomization.Namespace, c.Kustomization.Name), Behind: c.Behind}
	if d == nil {
		return found, nil
	}
	for i := range d.Missing {
		if !s.serves(d.Missing[i].GroupKind()) {
			found.Missing = append(found.Missing, d.Missing[i])
		}
	}
	found.Stale, found.Unmet = d.Stale, d.Unmet
	if len(found.Missing) > 0 {
		found.Seeds = d.Seeds
	}
	return found, nil
}

// Denied implements bootstrap.Diagnoser.
func (s *shop) Denied(_ context.Context, c wedge.Case, message string) (*wedge.Denial, error) {
	return &wedge.Denial{Kustomization: tiers.KustomizationRef(c.Kustomization.Namespace, c.Kustomization.Name), Message: message}, nil
}

// PreApply implements bootstrap.Diagnoser.
func (s *shop) PreApply(ctx context.Context, c wedge.Case, names []tiers.Ref) (*wedge.Diagnosis, error) {
	d, err := s.Diagnose(ctx, c)
	if err != nil {
		return nil, err
	}
	d.Asked = true
	for _, name := range names {
		d.Seeds = append(slices.Clip(d.Seeds), seedOf(name.Kind, c.Kustomization.Name, "it was asked for by name"))
	}
	return d, nil
}

// Restart implements bootstrap.Restarter.
func (s *shop) Restart(_ context.Context, controller, token string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restarts = append(s.restarts, controller+" "+token)
	if s.onRestart != nil {
		return s.onRestart()
	}
	return nil
}

var profile = schema.GroupVersionKind{Group: "cdi.kubevirt.io", Version: "v1beta1", Kind: "StorageProfile"}

// seedOf is an object of a Kustomization's set that is to be applied early.
func seedOf(kind, owner, why string, await ...schema.GroupVersionKind) wedge.Seed {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "acme.io/v1", "kind": kind}}
	o.SetName("the-" + kind)
	o.SetLabels(map[string]string{"kustomize.toolkit.fluxcd.io/name": owner, "kustomize.toolkit.fluxcd.io/namespace": "flux-system"})
	return wedge.Seed{Object: o, Printable: o, Owner: tiers.KustomizationRef("flux-system", owner), Why: why, Await: await}
}

// lacks is the diagnosis of a Kustomization whose set has a provider of
// StorageProfile.
func lacks(shape wedge.Shape, seeds ...wedge.Seed) *wedge.Diagnosis {
	d := &wedge.Diagnosis{Seeds: seeds, Missing: []wedge.Missing{{
		GroupVersionKind: profile, Shape: shape, Object: wedge.Located{Kind: "StorageProfile", Name: "longhorn"},
	}}}
	if len(seeds) > 0 {
		last := seeds[len(seeds)-1]
		d.Missing[0].Provider = wedge.Located{Kind: last.Object.GetKind(), Name: last.Object.GetName()}
		d.Missing[0].Owner = last.Owner
	}
	return d
}

// wedged adds a Kustomization that fails until StorageProfile is served. When it
// passes it makes its own what was applied early.
func (f *flux) wedged(s *shop, name string, d *wedge.Diagnosis, deps ...string) *kustomizev1.Kustomization {
	s.provides[profile.GroupKind().String()] = "CDI/the-CDI"
	s.finds[name] = d
	return f.add(name, behaviour{
		takes: 100 * time.Millisecond,
		outcome: func(int) (string, string) {
			if s.serves(profile.GroupKind()) {
				return "", ""
			}
			return "ReconciliationFailed", noStorageProfile
		},
		applied: func(*flux) {
			if d == nil {
				return
			}
			for _, seed := range d.Seeds {
				s.adopts(seed.Ref())
			}
		},
	}, deps...)
}
