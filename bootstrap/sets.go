package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// Downloader fetches the artifact of a source. The caller closes what it gets.
type Downloader interface {
	Download(ctx context.Context, url string) (io.ReadCloser, error)
}

// Sets builds what Kustomizations apply, from the artifacts of their sources or
// from a checkout. It is safe for concurrent use; Close removes what it
// unpacked.
type Sets struct {
	World      World
	Downloader Downloader
	Values     manifests.Values
	// Options are the controller's.
	Options manifests.Options
	// Checkout stands for the artifact of Source; nil for none.
	Checkout *manifests.Tree
	Source   tiers.Ref

	mu       sync.Mutex
	trees    map[string]*manifests.Tree // by digest
	cleanups []func() error
}

// SourceError says that the manifests of a Kustomization cannot be had.
type SourceError struct {
	Source tiers.Ref
	Err    error
}

// Error names the source.
func (e *SourceError) Error() string {
	return fmt.Sprintf("the artifact of %s cannot be read: %v", e.Source, e.Err)
}

// Unwrap returns the reason.
func (e *SourceError) Unwrap() error { return e.Err }

var (
	errNoSource   = errors.New("the source does not exist")
	errNoArtifact = errors.New("the source has fetched nothing")
)

// Set implements wedge.Sets.
func (s *Sets) Set(ctx context.Context, k *kustomizev1.Kustomization) (*manifests.Set, error) {
	tree, err := s.tree(ctx, sourceOf(k))
	if err != nil {
		return nil, err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(k)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", k.Namespace, k.Name, err)
	}
	set, err := tree.Build(ctx, &unstructured.Unstructured{Object: fields}, s.Values, s.Options)
	if err != nil {
		return nil, err
	}
	return set, nil
}

// tree is what a source has fetched, downloaded once.
func (s *Sets) tree(ctx context.Context, source tiers.Ref) (*manifests.Tree, error) {
	if s.Checkout != nil && source == s.Source {
		return s.Checkout, nil
	}
	src, ok := s.World.Source(source)
	if !ok {
		return nil, &SourceError{Source: source, Err: errNoSource}
	}
	if src.Artifact == nil {
		return nil, &SourceError{Source: source, Err: errNoArtifact}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if tree, ok := s.trees[src.Artifact.Digest]; ok {
		return tree, nil
	}
	tree, cleanup, err := manifests.Fetch(ctx, manifests.Artifact{URL: src.Artifact.URL, Digest: src.Artifact.Digest}, s.Downloader.Download)
	if err != nil {
		return nil, &SourceError{Source: source, Err: err}
	}
	if s.trees == nil {
		s.trees = map[string]*manifests.Tree{}
	}
	s.trees[src.Artifact.Digest] = tree
	s.cleanups = append(s.cleanups, cleanup)
	return tree, nil
}

// Close removes what was unpacked.
func (s *Sets) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, cleanup := range s.cleanups {
		errs = append(errs, cleanup())
	}
	s.trees, s.cleanups = nil, nil
	return errors.Join(errs...)
}

// strictGate is the feature gate that makes undefined variables an error.
const strictGate = "StrictPostBuildSubstitutions"

// OptionsOf reads from kustomize-controller's flags how it builds
// (kustomize-controller, internal/features; the gate is on by default since
// 1.9.0). A version that is not known counts as the newest.
func OptionsOf(controllers []Controller) manifests.Options {
	o := manifests.Options{Strict: true, AllowRemoteBases: true}
	i := slices.IndexFunc(controllers, func(c Controller) bool { return c.Name == "kustomize-controller" })
	if i < 0 {
		return o
	}
	o.AllowRemoteBases = !slices.ContainsFunc(controllers[i].Args, func(arg string) bool {
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		forbids, err := strconv.ParseBool(value)
		return name == "no-remote-bases" && (!given || err == nil && forbids)
	})
	o.Strict = !olderThan(controllers[i].Version, 1, 9)
	for gate := range strings.SplitSeq(strings.Join(flagValues(controllers[i].Args, "feature-gates"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(gate), "=")
		if on, err := strconv.ParseBool(value); err == nil && name == strictGate {
			o.Strict = on
		}
	}
	return o
}

// flagValues are the values of a flag that may be given more than once, in
// either of the spellings that the controllers take.
func flagValues(args []string, flag string) []string {
	var values []string
	for i, arg := range args {
		name, value, inOne := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case name != flag || !strings.HasPrefix(arg, "-"):
		case inOne:
			values = append(values, value)
		case i+1 < len(args):
			values = append(values, args[i+1])
		}
	}
	return values
}

// olderThan compares a tag such as v1.8.3; what is no version is not older.
func olderThan(tag string, major, minor int) bool {
	var a, b int
	if n, err := fmt.Sscanf(strings.TrimPrefix(tag, "v"), "%d.%d", &a, &b); err != nil || n != 2 {
		return false
	}
	return a < major || a == major && b < minor
}
