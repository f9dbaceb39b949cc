package differential

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/lab"
	"github.com/standup-sh/standup/lab/standin"
)

const (
	// together is how many trees are played at a time. More would only wait for
	// kustomize, which builds one set after the other.
	together = 10
	// patience is how long a tree may take to come as far as the model says.
	patience = 3 * time.Minute
)

// stage is one cluster and what was seen on it.
type stage struct {
	cluster *lab.Cluster
	watcher *observer
}

// scopeOf is the scope of the i-th tree.
func scopeOf(i int) scope { return scope{fmt.Sprintf("t%03d", i)} }

// start brings up the cluster on which all trees are played.
func start(t *testing.T, trees []*tree) *stage {
	t.Helper()
	known, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	var entries []catalog.Entry
	for i, tr := range trees {
		entries = append(entries, scopeOf(i).entries(known, tr)...)
	}
	scoped, err := catalog.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	fast := []string{"--requeue-dependency=2s", "--kube-api-qps=1000", "--kube-api-burst=2000"}
	c, err := lab.Start(t.Context(), lab.Options{
		// A worker is held while it waits for health: there have to be enough.
		KustomizeController: append(slices.Clone(fast), "--concurrent=100"),
		SourceController:    append(slices.Clone(fast), "--concurrent=10"),
		StandIns: standin.Options{
			Catalog: scoped, WorkloadDelay: 300 * time.Millisecond, HelmDelay: 500 * time.Millisecond, ProviderDelay: time.Second,
		},
	})
	if err != nil {
		t.Fatalf("start the lab: %v", err)
	}
	t.Cleanup(c.Stop)
	return &stage{cluster: c, watcher: observe(t.Context(), c)}
}

// played is how one tree ended, in the model and on the cluster.
type played struct {
	tree  *tree
	model *result
	seen  map[string]*history
	took  time.Duration
	err   error
}

// words is what was seen of the tree, for people.
func (p played) words() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(p.seen)) {
		h := p.seen[key]
		fmt.Fprintf(&b, "%s ready=%v at event %d, dependsOn %v, %d passes failed lately\n", key, h.ready, h.first, h.dependsOn, h.passes)
		for _, f := range h.failures {
			fmt.Fprintf(&b, "  %s: %s\n", f.reason, f.message)
		}
	}
	return b.String()
}

// all plays the trees, some at a time, and gives the ends in their order.
func (st *stage) all(ctx context.Context, trees []*tree) []played {
	ends := make([]played, len(trees))
	var players sync.WaitGroup
	next := make(chan int)
	for range together {
		players.Go(func() {
			for i := range next {
				ends[i] = st.play(ctx, scopeOf(i), trees[i])
			}
		})
	}
	for i := range trees {
		next <- i
	}
	close(next)
	players.Wait()
	return ends
}

// play runs a tree in the model, then on the cluster until it is settled or
// patience ends, and then suspends it, so that others have the controllers.
func (st *stage) play(ctx context.Context, s scope, t *tree) played {
	end := played{tree: t}
	if end.model, end.err = rehearse(ctx, t); end.err != nil {
		return end
	}
	began := time.Now()
	if end.err = st.set(ctx, s, t); end.err != nil {
		return end
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	wanted := end.model.ready()
	if known[t.name] != "" {
		wanted = nil // not all of them come
	}
	end.err = st.cluster.WaitFor(within, func() (bool, error) { return st.watcher.settled(s, wanted), nil })
	if within.Err() != nil && ctx.Err() == nil {
		end.err = nil // what is missing shows in the comparison
	}
	end.seen, end.took = st.watcher.seen(s), time.Since(began)
	for key := range end.seen {
		namespace, name, _ := strings.Cut(key, "/")
		if err := st.cluster.Suspend(ctx, lab.Kustomizations(), s.namespace(namespace), name, true, ""); err != nil && end.err == nil {
			end.err = err
		}
	}
	return end
}

// set makes the world that a tree finds, and lets Flux look at it.
func (st *stage) set(ctx context.Context, s scope, t *tree) error {
	if err := st.cluster.ApplyObjects(ctx, s.world(t)); err != nil {
		return err
	}
	files := fstest.MapFS{}
	for _, f := range t.files() {
		data, err := s.file(f.Name, f.Data)
		if err != nil {
			return err
		}
		files[f.Name] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	if _, err := st.cluster.Push(ctx, s.prefix, files); err != nil {
		return err
	}
	namespace := s.namespace(lab.FluxNamespace)
	err := st.cluster.Bootstrap(ctx, lab.BootstrapOptions{
		Repo: s.prefix, Path: "./" + t.entry, Namespace: namespace,
		Interval: longInterval, RetryInterval: retryInterval, SourceInterval: longInterval,
	})
	if err != nil {
		return err
	}
	// A tree that has not been fetched has not begun.
	return st.cluster.WaitFor(ctx, func() (bool, error) {
		source, err := st.cluster.Get(ctx, lab.GitRepositories(), namespace, lab.FluxNamespace)
		if err != nil {
			return false, err
		}
		status, _, _ := lab.Condition(source, "Ready")
		return status == "True", nil
	})
}

// world is what exists before Flux: the namespaces of every cluster, what the
// baseline names, and the kinds that are seeded.
func (s scope) world(t *tree) []*unstructured.Unstructured {
	objects := []*unstructured.Unstructured{
		s.object("Namespace", "", s.namespace("default")), s.object("Namespace", "", s.namespace("kube-system")),
		s.object("Namespace", "", s.namespace(lab.FluxNamespace)),
	}
	for _, o := range t.objects {
		switch {
		case o.Absent:
		case o.Kind == "Namespace":
			objects = append(objects, s.object(o.Kind, "", s.namespace(o.Name)))
		default:
			objects = append(objects, s.object(o.Kind, s.namespace(o.Namespace), o.Name))
		}
	}
	for _, k := range s.seededKinds(t) {
		objects = append(objects, standin.CRD(k, nil))
	}
	return objects
}

func (s scope) object(kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// seededKinds are those of the tree's objects whose group, or group and kind, is
// seeded. The objects say which versions, and whether they have a namespace.
func (s scope) seededKinds(t *tree) []catalog.Kind {
	found := map[catalog.GroupKind]*catalog.Kind{}
	var order []catalog.GroupKind
	for _, f := range t.files() {
		docs, err := documents(f.Data)
		if !isYAML(f.Name) || err != nil {
			continue
		}
		for _, doc := range docs {
			var o unstructured.Unstructured
			if doc.Decode(&o.Object) != nil {
				continue
			}
			gvk := o.GroupVersionKind()
			gk := catalog.GroupKind{Group: gvk.Group, Kind: gvk.Kind}
			if !slices.Contains(t.seeded, gk.Group) && !slices.Contains(t.seeded, gk.Group+"/"+gk.Kind) {
				continue
			}
			if found[gk] == nil {
				found[gk] = &catalog.Kind{Group: s.group(gk.Group), Kind: gk.Kind, Plural: strings.ToLower(gk.Kind) + "s", Scope: catalog.Cluster}
				order = append(order, gk)
			}
			k := found[gk]
			if !slices.Contains(k.Versions, gvk.Version) {
				k.Versions = append(k.Versions, gvk.Version)
			}
			if o.GetNamespace() != "" {
				k.Scope = catalog.Namespaced
			}
		}
	}
	return each(order, func(gk catalog.GroupKind) catalog.Kind { return *found[gk] })
}
