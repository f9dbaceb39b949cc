package e2e

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// outcome is what matters here of the result document of `resume -o json`.
type outcome struct {
	ExitCode int `json:"exitCode"`
	Causes   []struct {
		Object string   `json:"object"`
		Behind []string `json:"behind"`
		Cause  *struct {
			Kind    string `json:"kind"`
			Class   string `json:"class"`
			Subject string `json:"subject"`
			Remedy  string `json:"remedy"`
		} `json:"cause"`
	} `json:"causes"`
}

func readResult(t *testing.T, r result) outcome {
	t.Helper()
	var o outcome
	if err := json.Unmarshal([]byte(r.stdout), &o); err != nil {
		t.Fatalf("result: %v\n%s\n%s", err, r.stdout, r.stderr)
	}
	return o
}

// kind is the kind of the one cause; empty when it was not classified.
func (o outcome) kind() string {
	if len(o.Causes) != 1 || o.Causes[0].Cause == nil {
		return ""
	}
	return o.Causes[0].Cause.Kind
}

// broken is a tree with one fault: first, then bad, with behind and more
// behind it, and free beside it.
func broken(bad unit) string {
	bad.name, bad.deps = "bad", append([]string{"first"}, bad.deps...)
	return tree(unit{name: "first"}, bad, unit{name: "behind", deps: []string{"bad"}}, unit{name: "more", deps: []string{"behind"}})
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: slow, namespace: default, annotations: {lab.standup.example.org/delay: never}}
spec:
  selector: {matchLabels: {app: slow}}
  template:
    metadata: {labels: {app: slow}}
    spec: {containers: [{name: slow, image: registry.example.org/slow}]}`

const stalledRelease = `apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: charts, namespace: default}
spec: {type: oci, interval: 1h, url: "oci://registry.example.org/charts"}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: shop, namespace: default, annotations: {lab.standup.example.org/fault: stalled}}
spec:
  interval: 1h
  chart: {spec: {chart: shop, version: 1.0.0, sourceRef: {kind: HelmRepository, name: charts}}}`

func TestEachBrokenTreeNamesItsOneCause(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		bad   unit
		code  int
		cause string
		says  []string
		// within is far below the tier's time-out of 10 minutes.
		within time.Duration
		args   []string
		behind int // 2 unless said otherwise
	}{
		"a manifest that kustomize refuses": {
			bad:  unit{extra: "kind: [oops"},
			code: 4, cause: "BuildFailed", within: time.Minute,
		},
		"an object that the API server refuses": {
			bad:  unit{extra: "apiVersion: v1\nkind: Service\nmetadata: {name: wrong, namespace: default}\nspec: {ports: [{port: 99999999}]}"},
			code: 4, cause: "InvalidObject", within: time.Minute,
		},
		"an undefined token": {
			bad:  unit{spec: "  postBuild: {substitute: {KNOWN: yes}}\n", extra: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tokens, namespace: default}\ndata: {a: \"${KNOWN}\", b: \"${UNKNOWN_TOKEN}\"}"},
			code: 4, cause: "UndefinedVariable", says: []string{"UNKNOWN_TOKEN"}, within: time.Minute,
		},
		"a missing substituteFrom ConfigMap": {
			bad:  unit{spec: "  postBuild: {substituteFrom: [{kind: ConfigMap, name: cluster-vars}]}\n"},
			code: 6, cause: "SubstituteMissing", says: []string{"cluster-vars"}, within: time.Minute,
		},
		"a source that does not exist": {
			bad:  unit{spec: "  sourceRef: {kind: GitRepository, name: elsewhere}\n"},
			code: 6, cause: "SourceMissing", says: []string{"elsewhere"}, within: time.Minute, behind: 3, // the source's own fault, bad is behind it
		},
		"a kind that nothing brings": {
			bad:  unit{extra: "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w, namespace: default}"},
			code: 3, cause: "MissingKind", says: []string{"Widget"}, within: time.Minute,
		},
		"a namespace that nobody creates": {
			bad:  unit{extra: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lost, namespace: nowhere}"},
			code: 3, cause: "MissingNamespace", says: []string{"nowhere"}, within: time.Minute,
		},
		"a path that is not in the tree": {
			bad:  unit{spec: "  path: ./units/typo\n"},
			code: 4, cause: "PathMissing", says: []string{"typo"}, within: time.Minute,
		},
		"a dependency that does not exist": {
			bad:  unit{deps: []string{"databse"}},
			code: 3, cause: "DependencyNotFound", says: []string{"databse"}, within: time.Minute,
		},
		"a HelmRelease that stalls": {
			bad:  unit{extra: stalledRelease},
			code: 4, cause: "HelmRetriesExhausted", says: []string{"shop"}, within: 2 * time.Minute,
		},
		"a Deployment that never becomes available": {
			bad:  unit{extra: deployment},
			code: 5, cause: "", says: []string{"Deployment/default/slow"}, within: 2 * time.Minute,
			args: []string{"--timeout", "40s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			archive := broken(tc.bad)
			// A unit's own line wins over the one that every unit has.
			for _, key := range []string{"  sourceRef:", "  path:"} {
				archive = lastWins(archive, key)
			}
			cold(t, c, files(archive), "cluster")
			r := standup(t, c.Kubeconfig(), append([]string{"resume", "-o", "json", "--patience", "15s"}, tc.args...)...)
			r.exits(t, tc.code)
			r.within(t, tc.within)
			r.says(t, append(tc.says, "bad")...)
			o := readResult(t, r)
			if len(o.Causes) != 1 || o.kind() != tc.cause {
				t.Fatalf("causes = %+v, want one, %s\n%s", o.Causes, tc.cause, r.stdout)
			}
			if want := cmp.Or(tc.behind, 2); len(o.Causes[0].Behind) != want {
				t.Errorf("behind it: %v, want %d\n%s", o.Causes[0].Behind, want, r.stdout)
			}
			for _, k := range []string{"behind", "more"} {
				if !suspended(kustomization(t, c, k)) {
					t.Errorf("%s was un-suspended behind a failure", k)
				}
			}
		})
	}
}

// lastWins drops all but the last line with the key in each document.
func lastWins(archive, key string) string {
	parts := strings.Split(archive, "-- ")
	for i, p := range parts {
		lines := strings.Split(p, "\n")
		last := -1
		for n, l := range lines {
			if strings.HasPrefix(l, key) {
				last = n
			}
		}
		var kept []string
		for n, l := range lines {
			if !strings.HasPrefix(l, key) || n == last {
				kept = append(kept, l)
			}
		}
		parts[i] = strings.Join(kept, "\n")
	}
	return strings.Join(parts, "-- ")
}

func TestACycleEndsTheRunBeforeAnythingChanges(t *testing.T) {
	t.Parallel()
	c := start(t)
	cold(t, c, files(tree(unit{name: "a", deps: []string{"b"}}, unit{name: "b", deps: []string{"a"}}, unit{name: "c"})), "cluster")
	before := settled(t, c)
	r := standup(t, c.Kubeconfig(), "resume")
	r.exits(t, 3)
	r.says(t, "a -> flux-system/b -> ")
	r.within(t, 10*time.Second)
	unchanged(t, c, before)
}
