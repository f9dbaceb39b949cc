package wedge_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/bootstrap/wedge"
	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// scenario is a txtar file of testdata. Its comment says what is right and why;
// tree/ is the artifact of every Kustomization, catalog/ are entries of a
// person's own.
type scenario struct {
	file    string
	archive *txtar.Archive
	spec    spec
	cluster *cluster
	tree    *manifests.Tree
	catalog *catalog.Catalog
	all     []*kustomizev1.Kustomization
	want    string
}

// spec is case.yaml. Kustomizations are named without their namespace, which is
// flux-system.
type spec struct {
	// Diagnose is the Kustomization to look at, and PreApply what is asked for
	// by name, as Kind/namespace/name.
	Diagnose string   `json:"diagnose"`
	PreApply []string `json:"preApply"`
	// Says is the kind that the controller misses: "v1 Kind", or "group Kind"
	// for a message that names no version.
	Says string `json:"says"`
	// Served are groups, group/Kind or group/version/Kind that are served
	// besides those of Kubernetes and Flux.
	Served []string `json:"served"`
	// Behind wait for the diagnosed one; Failing tried and failed.
	Behind  []string `json:"behind"`
	Failing []string `json:"failing"`
	// Down makes looks at a kind fail.
	Down string `json:"down"`
}

// cluster is a fake API server that counts what is asked of it.
type cluster struct {
	served []string
	live   []unstructured.Unstructured
	down   string
	asked  map[string]int
}

func (c *cluster) look(gvk schema.GroupVersionKind) error {
	if c.down == gvk.Kind {
		return apierrors.NewServiceUnavailable("the API server is away")
	}
	return nil
}

// Get implements wedge.Cluster.
func (c *cluster) Get(_ context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	for i := range c.live {
		o := &c.live[i]
		if o.GetKind() == gvk.Kind && o.GroupVersionKind().Group == gvk.Group && o.GetNamespace() == namespace && o.GetName() == name {
			return o, c.look(gvk)
		}
	}
	if err := c.look(gvk); err != nil {
		return nil, err
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, name)
}

// Served implements wedge.Cluster.
func (c *cluster) Served(_ context.Context, gvk schema.GroupVersionKind) (bool, error) {
	c.asked[gvk.String()]++
	if err := c.look(gvk); err != nil {
		return false, err
	}
	builtin := []string{
		"", "apps", "batch", "policy", "apiextensions.k8s.io", "rbac.authorization.k8s.io", "networking.k8s.io",
		"storage.k8s.io", "scheduling.k8s.io", "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io", "source.toolkit.fluxcd.io",
	}
	if slices.Contains(builtin, gvk.Group) {
		return true, nil
	}
	for _, s := range c.served {
		switch parts := strings.Split(s, "/"); len(parts) {
		case 1:
			if s == gvk.Group {
				return true, nil
			}
		case 2:
			if parts[0] == gvk.Group && parts[1] == gvk.Kind {
				return true, nil
			}
		default:
			if parts[0] == gvk.Group && (gvk.Version == "" || parts[1] == gvk.Version) && parts[2] == gvk.Kind {
				return true, nil
			}
		}
	}
	return false, nil
}

// List implements wedge.Cluster.
func (c *cluster) List(_ context.Context, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	for _, o := range c.live {
		if o.GetKind() == gvk.Kind && o.GroupVersionKind().Group == gvk.Group {
			out = append(out, o)
		}
	}
	return out, c.look(gvk)
}

// Set implements wedge.Sets.
func (s *scenario) Set(ctx context.Context, k *kustomizev1.Kustomization) (*manifests.Set, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(k)
	if err != nil {
		return nil, err
	}
	set, err := s.tree.Build(ctx, &unstructured.Unstructured{Object: fields}, values{s.cluster}, manifests.Options{Strict: true})
	if err != nil {
		return nil, err
	}
	return set, nil
}

// values are the live ConfigMaps and Secrets of a cluster.
type values struct{ cluster *cluster }

// ConfigMap implements manifests.Values.
func (v values) ConfigMap(ctx context.Context, namespace, name string) (map[string]string, error) {
	o, err := v.cluster.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, namespace, name)
	if err != nil {
		return nil, err
	}
	data, _, err := unstructured.NestedStringMap(o.Object, "data")
	return data, err
}

// Secret implements manifests.Values.
func (v values) Secret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	o, err := v.cluster.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, namespace, name)
	if err != nil {
		return nil, err
	}
	text, _, err := unstructured.NestedStringMap(o.Object, "stringData")
	data := map[string][]byte{}
	for key, value := range text {
		data[key] = []byte(value)
	}
	return data, err
}

func read(t *testing.T, file string) *scenario {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{file: file, archive: archive, cluster: &cluster{asked: map[string]int{}}}
	dir, own := t.TempDir(), t.TempDir()
	for _, f := range archive.Files {
		switch folder, rest, _ := strings.Cut(f.Name, "/"); {
		case f.Name == "case.yaml":
			if err := yaml.UnmarshalStrict(f.Data, &s.spec); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		case f.Name == "live.yaml":
			s.cluster.live = append(s.cluster.live, documents(t, string(f.Data))...)
		case f.Name == "want":
			s.want = string(f.Data)
		case folder == "tree":
			write(t, filepath.Join(dir, rest), f.Data)
		case folder == "catalog":
			write(t, filepath.Join(own, rest), f.Data)
		default:
			t.Fatalf("%s: what is %s?", file, f.Name)
		}
	}
	s.cluster.live = append(s.cluster.live, documents(t, "{apiVersion: v1, kind: Namespace, metadata: {name: flux-system}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: default}}")...)
	s.cluster.served, s.cluster.down = s.spec.Served, s.spec.Down
	if s.tree, err = manifests.Open(dir); err != nil {
		t.Fatal(err)
	}
	s.catalog = catalogue(t, own)
	s.all = kustomizations(t, s.cluster.live)
	return s
}

// builtIn is the catalogue of the program, read once.
var builtIn = sync.OnceValues(catalog.Load)

func catalogue(t *testing.T, own string) *catalog.Catalog {
	t.Helper()
	c, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := catalog.LoadDir(own)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.With(entries...); err != nil {
		t.Fatal(err)
	}
	return c
}

func kustomizations(t *testing.T, live []unstructured.Unstructured) []*kustomizev1.Kustomization {
	t.Helper()
	var all []*kustomizev1.Kustomization
	for _, o := range live {
		if o.GetKind() != kustomizev1.KustomizationKind {
			continue
		}
		k := &kustomizev1.Kustomization{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, k); err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	return all
}

// documents reads YAML; a Kustomization may be short: its name and path.
func documents(t *testing.T, text string) []unstructured.Unstructured {
	t.Helper()
	var out []unstructured.Unstructured
	for doc := range strings.SplitSeq(text, "\n---\n") {
		var o unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(doc), &o.Object); err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		if o.GetKind() == "" { // a Kustomization, by its spec
			name, _ := o.Object["name"].(string)
			delete(o.Object, "name")
			o = unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
				"metadata": map[string]any{"name": name, "namespace": "flux-system"}, "spec": o.Object,
			}}
		}
		out = append(out, o)
	}
	return out
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *scenario) doctor() *wedge.Doctor {
	return &wedge.Doctor{Sets: s, Cluster: s.cluster, Catalog: s.catalog}
}

func (s *scenario) find(name string) *kustomizev1.Kustomization {
	i := slices.IndexFunc(s.all, func(k *kustomizev1.Kustomization) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return s.all[i]
}

func (s *scenario) question(t *testing.T) wedge.Case {
	t.Helper()
	c := wedge.Case{
		Kustomization: s.find(s.spec.Diagnose), All: s.all,
		Comes: func(k *kustomizev1.Kustomization) bool {
			return !k.Spec.Suspend && !slices.Contains(s.spec.Failing, k.Name)
		},
	}
	if c.Kustomization == nil {
		t.Fatalf("%s: no Kustomization %q in live.yaml", s.file, s.spec.Diagnose)
	}
	for _, name := range s.spec.Behind {
		c.Behind = append(c.Behind, tiers.KustomizationRef("flux-system", name))
	}
	if at, kind, said := strings.Cut(s.spec.Says, " "); said {
		c.Says = schema.FromAPIVersionAndKind(at, kind)
		if !strings.Contains(at, "/") {
			c.Says = schema.GroupVersionKind{Group: at, Kind: kind}
		}
	}
	return c
}

func (s *scenario) diagnose(t *testing.T) (*wedge.Diagnosis, error) {
	t.Helper()
	if len(s.spec.PreApply) == 0 {
		return s.doctor().Diagnose(t.Context(), s.question(t))
	}
	var names []tiers.Ref
	for _, text := range s.spec.PreApply {
		parts := strings.Split(text, "/")
		names = append(names, tiers.Ref{Kind: parts[0], Namespace: parts[1], Name: parts[2]})
	}
	return s.doctor().PreApply(t.Context(), s.question(t), names)
}

// check compares with what is wanted, or writes it.
func (s *scenario) check(t *testing.T, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") == "" {
		if diff := cmp.Diff(s.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.file, diff)
		}
		return
	}
	kept := slices.DeleteFunc(slices.Clone(s.archive.Files), func(f txtar.File) bool { return f.Name == "want" })
	s.archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(s.file, txtar.Format(s.archive), 0o600); err != nil {
		t.Fatal(err)
	}
}

// render shows a diagnosis as a person would note it.
func render(d *wedge.Diagnosis, err error) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if err != nil {
		line("error: %v", err)
		return b.String()
	}
	line("%s: wedged %v, repairable %v", d.Kustomization.Name, d.Wedged(), d.Repairable())
	line("summary: %s", d.Summary())
	if d.Stale.Kind != "" {
		line("stale: %s", d.Stale.GroupKind())
	}
	for i := range d.Missing {
		m := &d.Missing[i]
		line("missing: %s %s, first %s", m.GroupVersion(), m.Kind, m.Object.Ref())
		line("  %s", m.Shape)
		if !m.Provider.IsZero() {
			line("  by %s: %s in %s", m.How, m.Provider.Ref(), m.Owner.Name)
		}
		if m.Hint != "" {
			line("  hint: %s", m.Hint)
		}
	}
	if len(d.Missing) > 0 {
		line("residue: stage %d fails; %s", d.Residue.Fails, d.Residue)
	}
	for i, s := range d.Seeds {
		line("seed %d: %s of %s: %s", i+1, s.Ref(), s.Owner.Name, s.Why)
		for _, gvk := range s.Await {
			line("  after %s is served", gvk.GroupKind())
		}
	}
	for _, u := range d.Unmet {
		line("unmet: %s. %s", u.What, u.Remedy)
	}
	for _, ref := range d.Behind {
		line("behind: %s", ref.Name)
	}
	return b.String()
}
