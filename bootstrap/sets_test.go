package bootstrap_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// store is a source-controller's file server, and a cluster without values.
type store struct {
	mu     sync.Mutex
	files  map[string][]byte
	asked  []string
	broken error
}

// Download implements bootstrap.Downloader.
func (s *store) Download(_ context.Context, url string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, url)
	return io.NopCloser(bytes.NewReader(s.files[url])), s.broken
}

// ConfigMap implements manifests.Values.
func (s *store) ConfigMap(_ context.Context, _, name string) (map[string]string, error) {
	if name == "vars" {
		return map[string]string{"WHO": "world"}, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
}

// Secret implements manifests.Values.
func (s *store) Secret(_ context.Context, _, name string) (map[string][]byte, error) {
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name)
}

// puts stores an artifact that has one ConfigMap, as apps/cm.yaml.
func (s *store) puts(t *testing.T, url, name string) *meta.Artifact {
	t.Helper()
	content := "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: default}, data: {hello: '${WHO}'}}\n"
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	archive := tar.NewWriter(zipped)
	err := archive.WriteHeader(&tar.Header{Name: "apps/cm.yaml", Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(archive, content); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	s.files[url] = b.Bytes()
	return &meta.Artifact{URL: url, Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(b.Bytes())), Revision: "main@sha1:1"}
}

// sets reads the artifacts of f's sources.
func sets(t *testing.T, f *flux, s *store) *bootstrap.Sets {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	return &bootstrap.Sets{World: f, Downloader: s, Values: s, Options: manifests.Options{Strict: true}}
}

func named(t *testing.T, s *bootstrap.Sets, k *kustomizev1.Kustomization) string {
	t.Helper()
	set, err := s.Set(t.Context(), k)
	if err != nil {
		return "error: " + err.Error()
	}
	var names []string
	for _, o := range set.Objects {
		data, _ := o.Object["data"].(map[string]any)
		names = append(names, fmt.Sprintf("%s %v", o.GetName(), data["hello"]))
	}
	return strings.Join(names, ", ")
}

func apps(f *flux, name string) *kustomizev1.Kustomization {
	k := f.add(name, behaviour{})
	k.Spec.Path = "./apps"
	k.Spec.PostBuild = &kustomizev1.PostBuild{SubstituteFrom: []kustomizev1.SubstituteReference{{Kind: "ConfigMap", Name: "vars"}}}
	return k
}

func (f *flux) fetchedAs(ref tiers.Ref, artifact *meta.Artifact) {
	f.changeSource(ref, func(s *waiters.Source) { s.Artifact = artifact })
}

func TestASetIsBuiltFromTheArtifactOfItsSource(t *testing.T) {
	f, s := newFlux(), &store{}
	f.fetchedAs(gitSource, s.puts(t, "http://source/1.tgz", "one"))
	built := sets(t, f, s)
	if got := named(t, built, apps(f, "a")); got != "one world" {
		t.Errorf("got %q", got)
	}
	if got := named(t, built, apps(f, "b")); got != "one world" || len(s.asked) != 1 {
		t.Errorf("got %q, downloaded %q: want the artifact once", got, s.asked)
	}
	f.fetchedAs(gitSource, s.puts(t, "http://source/2.tgz", "two"))
	if got := named(t, built, apps(f, "a")); got != "two world" {
		t.Errorf("after a commit got %q", got)
	}
}

func TestOneArtifactUnderTwoNamesIsDownloadedOnce(t *testing.T) {
	f, s := newFlux(), &store{}
	artifact := s.puts(t, "http://source/1.tgz", "one")
	f.fetchedAs(gitSource, artifact)
	other := f.addSource("other", fetching{})
	f.fetchedAs(other, artifact)
	built := sets(t, f, s)
	a, b := named(t, built, apps(f, "a")), named(t, built, from(apps(f, "b"), other))
	if a != "one world" || b != a || len(s.asked) != 1 {
		t.Errorf("got %q and %q, downloaded %q", a, b, s.asked)
	}
}

func TestSetsAreBuiltConcurrently(t *testing.T) {
	f, s := newFlux(), &store{}
	f.fetchedAs(gitSource, s.puts(t, "http://source/1.tgz", "one"))
	built, k := sets(t, f, s), apps(f, "a")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := named(t, built, k); got != "one world" {
				t.Errorf("got %q", got)
			}
		})
	}
	all.Wait()
	if len(s.asked) != 1 {
		t.Errorf("downloaded %d times", len(s.asked))
	}
}

func TestWhatWasUnpackedIsRemoved(t *testing.T) {
	f, s := newFlux(), &store{}
	f.fetchedAs(gitSource, s.puts(t, "http://source/1.tgz", "one"))
	built := sets(t, f, s)
	for range 2 { // closing it does not end its use
		if got := named(t, built, apps(f, "a")); got != "one world" {
			t.Errorf("got %q", got)
		}
		if err := built.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		left, err := os.ReadDir(os.TempDir())
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
	if err := built.Close(); err != nil {
		t.Errorf("close once more: %v", err)
	}
}

func TestASetThatCannotBeHadNamesItsSource(t *testing.T) {
	away := errors.New("connection refused")
	for name, c := range map[string]struct {
		arrange func(*testing.T, *flux, *store)
		want    string
		is      error
	}{
		"the source is missing": {
			arrange: func(_ *testing.T, f *flux, _ *store) { delete(f.sources, gitSource) },
			want:    "the source does not exist",
		},
		"it has fetched nothing": {
			arrange: func(_ *testing.T, f *flux, _ *store) { f.fetchedAs(gitSource, nil) },
			want:    "the source has fetched nothing",
		},
		"it cannot be reached": {
			arrange: func(t *testing.T, f *flux, s *store) {
				t.Helper()
				f.fetchedAs(gitSource, s.puts(t, "http://source/1.tgz", "one"))
				s.broken = away
			},
			want: "connection refused", is: away,
		},
		"it is not what was announced": {
			arrange: func(t *testing.T, f *flux, s *store) {
				t.Helper()
				artifact := s.puts(t, "http://source/1.tgz", "one")
				artifact.Digest = "sha256:" + strings.Repeat("0", 64)
				f.fetchedAs(gitSource, artifact)
			},
			want: strings.Repeat("0", 64),
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newFlux(), &store{}
			k := apps(f, "a")
			c.arrange(t, f, s)
			_, err := sets(t, f, s).Set(t.Context(), k)
			lost, ok := errors.AsType[*bootstrap.SourceError](err)
			if !ok || lost.Source != gitSource || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), gitSource.String()) {
				t.Errorf("err = %v", err)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not in the chain", c.is)
			}
		})
	}
}

func TestASetThatCannotBeBuiltIsNoFaultOfItsSource(t *testing.T) {
	f, s := newFlux(), &store{}
	f.fetchedAs(gitSource, s.puts(t, "http://source/1.tgz", "one"))
	k := apps(f, "a")
	k.Spec.PostBuild.SubstituteFrom[0].Name = "absent"
	_, err := sets(t, f, s).Set(t.Context(), k)
	if err == nil || is[*bootstrap.SourceError](err) || len(manifests.MissingValues(err)) != 1 {
		t.Errorf("err = %v", err)
	}
}

// A checkout stands for one source; what comes from another is still its own.
func TestACheckoutStandsForItsSourceOnly(t *testing.T) {
	f, s := newFlux(), &store{}
	f.fetchedAs(gitSource, s.puts(t, "http://source/1.tgz", "one"))
	other := f.addSource("other", fetching{})
	f.fetchedAs(other, s.puts(t, "http://source/2.tgz", "two"))
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/apps", 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/apps/cm.yaml", []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: mine}, data: {hello: '${WHO}'}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := manifests.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	built := sets(t, f, s)
	built.Checkout, built.Source = tree, gitSource
	a, b := named(t, built, apps(f, "a")), named(t, built, from(apps(f, "b"), other))
	if a != "mine world" || b != "two world" || fmt.Sprint(s.asked) != "[http://source/2.tgz]" {
		t.Errorf("got %q and %q, downloaded %q", a, b, s.asked)
	}
	delete(f.sources, gitSource) // a checkout needs no source
	if got := named(t, built, apps(f, "a")); got != "mine world" {
		t.Errorf("got %q", got)
	}
	if err := built.Close(); err != nil {
		t.Error(err)
	}
	if got := named(t, built, apps(f, "a")); got != "mine world" {
		t.Errorf("closing took the checkout away: %q", got)
	}
}

func TestOptionsAreReadFromTheController(t *testing.T) {
	kustomize := func(version string, args ...string) []bootstrap.Controller {
		return []bootstrap.Controller{{Name: "source-controller", Version: "v1.0.0"}, {Name: "kustomize-controller", Version: version, Args: args}}
	}
	for name, c := range map[string]struct {
		controllers []bootstrap.Controller
		strict      bool
	}{
		"none":                {nil, true},
		"the newest":          {kustomize("v1.9.6"), true},
		"the first":           {kustomize("v1.9.0"), true},
		"an older one":        {kustomize("v1.8.3"), false},
		"a much older one":    {kustomize("v0.35.1"), false},
		"a second major":      {kustomize("v2.0.0"), true},
		"without a v":         {kustomize("1.8.3"), false},
		"a release candidate": {kustomize("v1.8.0-rc.1"), false},
		"a digest":            {kustomize("sha256:abc"), true},
		"switched on":         {kustomize("v1.7.0", "--watch-all-namespaces", "--feature-gates=CacheSecretsAndConfigMaps=true,StrictPostBuildSubstitutions=true"), true},
		"switched off":        {kustomize("v1.9.6", "-feature-gates=StrictPostBuildSubstitutions=false"), false},
		"another gate":        {kustomize("v1.9.6", "--feature-gates=AdditiveCELDependencyCheck=false"), true},
		"the last one counts": {kustomize("v1.9.6", "--feature-gates=StrictPostBuildSubstitutions=false", "--feature-gates=StrictPostBuildSubstitutions=true"), true},
		"with a space":        {kustomize("v1.9.6", "--feature-gates", "StrictPostBuildSubstitutions=false"), false},
		"written as a number": {kustomize("v1.9.6", "--feature-gates=StrictPostBuildSubstitutions=0"), false},
		"written in capitals": {kustomize("v1.8.0", "--feature-gates=StrictPostBuildSubstitutions=True"), true},
	} {
		t.Run(name, func(t *testing.T) {
			o := bootstrap.OptionsOf(c.controllers)
			if o.Strict != c.strict || !o.AllowRemoteBases {
				t.Errorf("got %+v, want strict %v and remote bases allowed", o, c.strict)
			}
		})
	}
}

func TestRemoteBasesAreAllowedUnlessTheControllerForbidsThem(t *testing.T) {
	for flag, allowed := range map[string]bool{
		"--no-remote-bases": false, "--no-remote-bases=true": false, "--no-remote-bases=false": true, "--concurrent=4": true,
	} {
		o := bootstrap.OptionsOf([]bootstrap.Controller{{Name: "kustomize-controller", Version: "v1.9.6", Args: []string{flag}}})
		if o.AllowRemoteBases != allowed {
			t.Errorf("%s: allowed %v, want %v", flag, o.AllowRemoteBases, allowed)
		}
	}
}
