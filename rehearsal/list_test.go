package rehearsal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/standup-sh/standup/tiers"
)

const listed = `
-- clusters/prod/all.yaml --
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: elsewhere, namespace: flux-system}
spec: {url: "https://git.example.org/other", suspend: true}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: infra, namespace: flux-system}
spec: {path: infra, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: broken, namespace: flux-system}
spec: {path: broken, dependsOn: [{name: infra}], sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: tenants, namespace: flux-system}
spec: {path: ., sourceRef: {kind: GitRepository, name: elsewhere}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shared, namespace: media}
spec: {path: apps, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}
-- infra/shared.yaml --
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shared, namespace: media}
spec: {path: apps, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}
-- broken/kustomization.yaml --
resources: [missing.yaml]
-- apps/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: media}
data: {x: "${UNDEFINED}"}
`

// plant writes an archive's files and gives the directory.
func plant(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWalkListsWithParentsAndPlaces(t *testing.T) {
	t.Parallel()
	mapped := map[tiers.Ref]string{{Kind: tiers.KindBucket, Namespace: "flux-system", Name: "mapped"}: t.TempDir()}
	l, err := Walk(t.Context(), Options{Path: plant(t, listed), Entry: "clusters/prod", Sources: mapped})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, k := range l.Kustomizations {
		fmt.Fprintf(&got, "%s path %s from %v at %s:%d unseen %q\n", k.Ref, k.Object.Spec.Path, k.Parents, k.File, k.Line, k.Unseen)
		if k.Object.Name != k.Ref.Name || k.Object.Namespace != k.Ref.Namespace {
			t.Errorf("%s is named %s/%s", k.Ref, k.Object.Namespace, k.Object.Name)
		}
	}
	for _, s := range l.Sources {
		fmt.Fprintf(&got, "%s suspended %v\n", s.Ref, s.Suspended)
	}
	want := `Kustomization/flux-system/broken path broken from [Kustomization/flux-system/flux-system] at clusters/prod/all.yaml:11 unseen "build of broken: accumulating resources: accumulation err='accumulating resources from 'missing.yaml': open broken/missing.yaml: file does not exist': must build at directory: not a valid directory: lstat broken/missing.yaml: file does not exist"
Kustomization/flux-system/flux-system path ./clusters/prod from [] at :0 unseen ""
Kustomization/flux-system/infra path infra from [Kustomization/flux-system/flux-system] at clusters/prod/all.yaml:6 unseen ""
Kustomization/flux-system/tenants path . from [Kustomization/flux-system/flux-system] at clusters/prod/all.yaml:16 unseen "its source GitRepository/flux-system/elsewhere is not this checkout"
Kustomization/media/shared path apps from [Kustomization/flux-system/flux-system Kustomization/flux-system/infra] at clusters/prod/all.yaml:21 unseen ""
Bucket/flux-system/mapped suspended false
GitRepository/flux-system/elsewhere suspended true
GitRepository/flux-system/flux-system suspended false
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

func TestWalkOfNoEntryIsAnError(t *testing.T) {
	t.Parallel()
	_, err := Walk(t.Context(), Options{Path: plant(t, listed), Entry: "clusters/dev"})
	if _, ok := errors.AsType[*EntryError](err); !ok {
		t.Errorf("got %v", err)
	}
	if _, err := Walk(t.Context(), Options{Path: "testdata/none", Entry: "."}); err == nil {
		t.Error("a directory that is not there was walked")
	}
}
