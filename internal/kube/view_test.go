package kube

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/standup-sh/standup/tiers"
)

// fakeDiscovery serves what its map holds.
type fakeDiscovery struct {
	mu    sync.Mutex
	lists map[schema.GroupVersion][]metav1.APIResource
}

func (d *fakeDiscovery) version(context.Context) (string, error) { return "v1.36.3", nil }

func (d *fakeDiscovery) versions(_ context.Context, group string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var versions []string
	for gv := range d.lists {
		if gv.Group == group {
			versions = append(versions, gv.Version)
		}
	}
	return versions, nil
}

func (d *fakeDiscovery) resources(_ context.Context, gv schema.GroupVersion) ([]metav1.APIResource, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lists[gv], nil
}

func (d *fakeDiscovery) serve(gv schema.GroupVersion, plural, kind string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lists[gv] = append(d.lists[gv], metav1.APIResource{Name: plural, Kind: kind, Namespaced: true})
}

var (
	kustomizations = schema.GroupVersionResource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Resource: "kustomizations"}
	externals      = schema.GroupVersionResource{Group: "source.toolkit.fluxcd.io", Version: "v1", Resource: "externalartifacts"}
)

// viewClient is a client on client-go's fakes, for virtual time.
func viewClient(t *testing.T, objects ...map[string]any) (*Client, *dynamicfake.FakeDynamicClient, *fakeDiscovery) {
	t.Helper()
	var existing []runtime.Object
	for _, obj := range objects {
		existing = append(existing, &unstructured.Unstructured{Object: obj})
	}
	fake := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		kustomizations: "KustomizationList", externals: "ExternalArtifactList",
	}, existing...)
	d := &fakeDiscovery{lists: make(map[schema.GroupVersion][]metav1.APIResource)}
	d.serve(kustomizations.GroupVersion(), "kustomizations", tiers.KindKustomization)
	return &Client{
		host: "https://fake", namespace: "flux-system", timeout: 15 * time.Second, debugf: t.Logf, warnf: t.Logf,
		dynamic: fake, discovery: d, mapper: newMapper(d),
		ready: func(context.Context) readiness { return ready },
	}, fake, d
}

func TestManyChangesShareOneValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, fake, _ := viewClient(t, kustomization("a", false))
		v, err := c.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		v.TakeChanged()
		for _, name := range []string{"c", "b"} {
			if err := fake.Tracker().Add(&unstructured.Unstructured{Object: kustomization(name, true)}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		<-v.Changed()
		if got := v.TakeChanged(); !slices.Equal(got, []tiers.Ref{ref("b"), ref("c")}) {
			t.Errorf("changed: %v", got)
		}
		select {
		case <-v.Changed():
			t.Error("a second value, and nothing new")
		default:
		}
	})
}

func TestAKindThatComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, fake, d := viewClient(t)
		v, err := c.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		artifact := object("source.toolkit.fluxcd.io/v1", "ExternalArtifact", contractNamespace, "built", map[string]any{})
		if err := fake.Tracker().Add(&unstructured.Unstructured{Object: artifact}); err != nil {
			t.Fatal(err)
		}
		d.serve(externals.GroupVersion(), "externalartifacts", tiers.KindExternalArtifact)
		want := tiers.Ref{Kind: tiers.KindExternalArtifact, Namespace: contractNamespace, Name: "built"}
		if _, known := v.Source(want); known {
			t.Error("known before it was looked for")
		}
		time.Sleep(lookAgainEvery) // virtual
		synctest.Wait()
		if _, known := v.Source(want); !known {
			t.Error("not found later")
		}
	})
}

func TestWatchGivesUpOnListsThatFail(t *testing.T) {
	for _, tt := range []struct {
		name  string
		err   error
		check func(error) bool
	}{
		{"with its error", errors.New("the database is away"), func(err error) bool { return err.Error() == "the database is away" }},
		{"hanging", nil, asError[*UnreachableError]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, fake, _ := viewClient(t)
				fake.PrependReactor("list", "kustomizations", func(clienttesting.Action) (bool, runtime.Object, error) {
					if tt.err == nil {
						time.Sleep(time.Minute) // virtual: longer than our patience
					}
					return true, nil, tt.err
				})
				began := time.Now()
				_, err := c.Watch(t.Context())
				if !tt.check(err) || time.Since(began) != firstListWithin {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
				time.Sleep(time.Minute) // virtual: the fake knows no context
			})
		})
	}
}

func TestWatchEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, fake, _ := viewClient(t)
		fake.PrependReactor("list", "kustomizations", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, errors.New("no")
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("interrupted")
		time.AfterFunc(time.Second, func() { cancel(why) })
		if _, err := c.Watch(ctx); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
}

// One object that does not fit hides neither itself from the log nor the
// others from the view.
func TestAnObjectThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := kustomization("bad", false)
		bad["spec"].(map[string]any)["path"] = int64(7)
		c, fake, _ := viewClient(t, bad, kustomization("good", false))
		warned := make(chan string, 8)
		c.warnf = func(format string, args ...any) { warned <- sprintf(format, args...) }
		v, err := c.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		worse := kustomization("worse", false)
		worse["spec"].(map[string]any)["path"] = int64(7)
		if err := fake.Tracker().Add(&unstructured.Unstructured{Object: worse}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(v.Kustomizations()) != 1 || v.Kustomization(ref("good")) == nil || len(warned) != 2 {
			t.Errorf("%d seen, warned %d times", len(v.Kustomizations()), len(warned))
		}
	})
}

func TestEventsThatAreNoObjectsPass(t *testing.T) {
	f := &feed{kind: tiers.KindKustomization}
	for _, in := range []watch.Event{
		{Type: watch.Bookmark, Object: &unstructured.Unstructured{Object: kustomization("x", false)}},
		{Type: watch.Error, Object: &metav1.Status{Code: 410}},
	} {
		if out, keep := f.convertEvent(in); !keep || out.Object != in.Object {
			t.Errorf("%s became %+v, %t", in.Type, out, keep)
		}
	}
}

func TestStoreRefusesStrangers(t *testing.T) {
	p := &part{store: newStore(), kind: tiers.KindKustomization, synced: make(chan struct{})}
	stranger := new(metav1.Status)
	for name, err := range map[string]error{
		"add": p.Add(stranger), "delete": p.Delete(stranger), "replace": p.Replace([]any{stranger}, "1"),
	} {
		if err == nil {
			t.Errorf("%s took a stranger", name)
		}
	}
}

// A list of one kind says nothing of the others.
func TestReplaceIsOfOneKind(t *testing.T) {
	s := newStore()
	parts := make(map[string]*part)
	for _, kind := range watchedKinds() {
		parts[kind] = &part{store: s, kind: kind, synced: make(chan struct{})}
		one := &item{ref: tiers.Ref{Kind: kind, Namespace: "ns", Name: "one"}}
		if err := parts[kind].Add(one); err != nil {
			t.Fatal(err)
		}
	}
	if err := parts[tiers.KindBucket].Replace(nil, "2"); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, i := range s.all() {
		left = append(left, i.ref.Kind)
	}
	if want := []string{"ExternalArtifact", "GitRepository", "Kustomization", "OCIRepository"}; !slices.Equal(left, want) {
		t.Errorf("left: %v", left)
	}
	if !parts[tiers.KindBucket].hasSynced() || parts[tiers.KindGitRepository].hasSynced() {
		t.Error("the kind that was listed is the one that is complete")
	}
}
