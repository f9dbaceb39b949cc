package manifests_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestBuildErrors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ spec, tree, want string }{
		"malformed kustomization file": {
			"path: .", "-- kustomization.yaml --\na: [\n",
			"build of .: error converting YAML to JSON: yaml: line 1: did not find expected node content",
		},
		"missing resource": {
			"path: apps", "-- apps/kustomization.yaml --\nresources: [absent.yaml]\n",
			"build of apps: accumulating resources: accumulation err='accumulating resources from 'absent.yaml': open apps/absent.yaml: file does not exist': must build at directory: not a valid directory: lstat apps/absent.yaml: file does not exist",
		},
		"component from elsewhere": {
			"path: .\ncomponents: [https://example.org/x]", "-- a.yaml --\n" + configMap,
			"build of .: component path 'https://example.org/x' must be local and relative",
		},
		"missing component": {
			"path: .\ncomponents: [absent]", "-- a.yaml --\n" + configMap,
			`build of .: accumulating components: loader.New "must build at directory: not a valid directory: lstat absent: file does not exist"`,
		},
		"two kustomization files": {
			"path: .", "-- kustomization.yaml --\nresources: [a.yaml]\n-- Kustomization --\n-- a.yaml --\n" + configMap,
			"build of .: Found multiple kustomization files under: .\n",
		},
		"name of a variable": {
			"path: .\npostBuild: {substitute: {a-b: c}}", "-- a.yaml --\n" + configMap,
			"build of .: ConfigMap x: substitution failed: envsubst error: 'a-b' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'",
		},
		"a variable that is no text": {
			"path: .\npostBuild: {substitute: {a: 1}}", "-- a.yaml --\n" + configMap,
			"build of .: .spec.postBuild.substitute accessor error: contains non-string value in the map under key \"a\": 1 is of the type float64, expected string",
		},
		"a path that is no text": {
			"path: 1", "", "build of .: .spec.path accessor error: 1 is of the type float64, expected string",
		},
		"bases in a circle": {
			"path: a", "-- a/kustomization.yaml --\nresources: [../b]\n-- b/kustomization.yaml --\nresources: [../a]\n",
			"build of a: accumulating resources: accumulation err='accumulating resources from '../b': open b: file does not exist': recursed accumulation of path 'b': ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := open(t, tree(t, tc.tree)).Build(t.Context(), kustomization(t, tc.spec), nil, manifests.Options{Strict: true})
			if _, ok := errors.AsType[*manifests.BuildError](err); !ok || set != nil {
				t.Fatalf("%v, %v", set, err)
			}
			if got := err.Error(); !strings.HasPrefix(got, tc.want) {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestRemoteBases(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ tree, want string }{
		"https": {
			"-- kustomization.yaml --\nresources:\n  - a.yaml\n  - https://example.org/a.yaml\n-- a.yaml --\n" + configMap,
			"kustomization.yaml:3 refers to https://example.org/a.yaml",
		},
		"git by account":  {"-- kustomization.yaml --\nresources: ['git@example.org:a/b']\n", "kustomization.yaml:1 refers to git@example.org:a/b"},
		"the host alone":  {"-- kustomization.yaml --\nresources: ['github.com/a/b?ref=v1']\n", "kustomization.yaml:1 refers to github.com/a/b?ref=v1"},
		"a cloned file":   {"-- kustomization.yaml --\nresources: ['file:///etc']\n", "kustomization.yaml:1 refers to file:///etc"},
		"below":           {"-- kustomization.yaml --\nresources: [b]\n-- b/kustomization.yaml --\n\nbases: [HTTPS://x/y]\n", "b/kustomization.yaml:2 refers to HTTPS://x/y"},
		"component":       {"-- kustomization.yaml --\ncomponents: [ssh://x/y]\n", "kustomization.yaml:1 refers to ssh://x/y"},
		"patch":           {"-- kustomization.yaml --\npatches: [{path: 'http://x/y'}]\n", "kustomization.yaml:1 refers to http://x/y"},
		"schema":          {"-- kustomization.yaml --\nopenapi: {path: 'http://x/y'}\n", "kustomization.yaml:1 refers to http://x/y"},
		"generated":       {"-- kustomization.yaml --\nconfigMapGenerator: [{name: a, files: ['k=http://x/y']}]\n", "kustomization.yaml:1 refers to http://x/y"},
		"by alias":        {"-- kustomization.yaml --\nx: &a [http://x/y]\nresources: *a\n", "kustomization.yaml:1 refers to http://x/y"},
		"generator":       {"-- kustomization.yaml --\ngenerators: [http://x/y]\n", "kustomization.yaml:1 refers to http://x/y"},
		"generator file":  {"-- kustomization.yaml --\ngenerators: [g.yaml]\n-- g.yaml --\nkind: ConfigMapGenerator\nenvs: [http://x/y]\n", "g.yaml:2 refers to http://x/y"},
		"generator text":  {"-- kustomization.yaml --\ngenerators:\n- |-\n  kind: ConfigMapGenerator\n  env: http://x/y\n", "kustomization.yaml:4 refers to http://x/y"},
		"transformer dir": {"-- kustomization.yaml --\ntransformers: [t]\n-- t/kustomization.yaml --\nresources: [http://x/y]\n", "t/kustomization.yaml:1 refers to http://x/y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, tree(t, tc.tree)).Build(t.Context(), kustomization(t, "path: ."), nil, manifests.Options{})
			if _, ok := errors.AsType[*manifests.RemoteBaseError](err); !ok {
				t.Fatalf("got %v", err)
			}
			diff(t, tc.want+", and remote bases are not allowed", err.Error())
		})
	}
}

// Addresses in data are nobody's reference.
func TestAddressesThatAreNotReferences(t *testing.T) {
	t.Parallel()
	dir := tree(t, "-- kustomization.yaml --\nresources: [a.yaml]\ncommonAnnotations: {docs: 'https://example.org'}\n"+
		"configMapGenerator: [{name: b, literals: ['url=https://example.org', 'mail=me@example.org:x']}]\n-- a.yaml --\n"+configMap)
	diff(t, "x b-t5hbgb7mkc", names(t, open(t, dir), "."))
}

func TestValuesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	refused := errors.New("configmaps is forbidden")
	values := &fakeValues{err: refused, configMaps: map[string]map[string]string{"flux-system/vars": nil}}
	ks := kustomization(t, "path: .\npostBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}")
	_, err := open(t, tree(t, "-- a.yaml --\n"+configMap)).Build(t.Context(), ks, values, manifests.Options{})
	if _, failed := errors.AsType[*manifests.BuildError](err); failed || !errors.Is(err, refused) {
		t.Fatalf("got %v: not to be able to look is not a fault of the set", err)
	}
	diff(t, "variables of flux-system/apps: substitute from 'ConfigMap/vars' error: configmaps is forbidden", err.Error())
}

func TestValuesAreReadOnceAndOnlyWhenNeeded(t *testing.T) {
	t.Parallel()
	spec := "path: .\npostBuild: {substituteFrom: [{kind: ConfigMap, name: vars, optional: true}]}"
	for name, tc := range map[string]struct {
		tree string
		want []string
	}{
		"two objects": {"-- a.yaml --\n" + named("a") + "-- b.yaml --\n" + named("b"), []string{"ConfigMap flux-system/vars"}},
		"none":        {"-- a.txt --\n", nil},
		"one that opted out": {
			"-- a.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}}\n", nil,
		},
	} {
		values := &fakeValues{}
		if _, err := open(t, tree(t, tc.tree)).Build(t.Context(), kustomization(t, spec), values, manifests.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		diff(t, tc.want, values.asked)
	}
}

func TestNoValuesAtAll(t *testing.T) {
	t.Parallel()
	ks := kustomization(t, "path: .\npostBuild: {substituteFrom: [{kind: ConfigMap, name: vars}, {kind: Secret, name: keys}]}")
	set, err := open(t, tree(t, "-- a.yaml --\n"+configMap)).Build(t.Context(), ks, nil, manifests.Options{})
	if set == nil {
		t.Error("the set is wanted all the same")
	}
	diff(t, []*manifests.MissingValuesError{
		{Kind: "ConfigMap", Namespace: "flux-system", Name: "vars"},
		{Kind: "Secret", Namespace: "flux-system", Name: "keys"},
	}, manifests.MissingValues(errors.Join(errors.New("other"), err)))
	if e, ok := errors.AsType[*manifests.MissingValuesError](err); !ok || e.Name != "vars" {
		t.Errorf("got %v", err)
	}
	if manifests.MissingValues(nil) != nil {
		t.Error("no error misses nothing")
	}
}

func TestLenientSubstitution(t *testing.T) {
	t.Parallel()
	ks := kustomization(t, "path: .\npostBuild: {substitute: {a: b}}")
	set, err := open(t, tree(t, "-- a.yaml --\n"+configMap+"data: {a: '${a}', c: '${c}'}\n")).Build(t.Context(), ks, nil, manifests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, map[string]any{"a": "b", "c": ""}, set.Objects[0].Object["data"].(map[string]any))
}

func TestBuildStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := open(t, t.TempDir()).Build(ctx, kustomization(t, "path: ."), nil, manifests.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
