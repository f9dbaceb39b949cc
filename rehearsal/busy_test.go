package rehearsal

import (
	"testing"
	"time"
)

// busyTree is case H09: two Kustomizations that wait for what never comes, and a
// third that is healthy.
const busyTree = `
-- clusters/x/ks.yaml --
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: a, namespace: flux-system}
spec: {interval: 10m, timeout: 5m, path: ./a, prune: true, wait: true, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: b, namespace: flux-system}
spec: {interval: 10m, timeout: 5m, path: ./b, prune: true, wait: true, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: c, namespace: flux-system}
spec: {interval: 10m, path: ./c, prune: true, wait: true, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: keys, namespace: flux-system}
spec: {interval: 10m, path: ./keys, prune: true, dependsOn: [{name: a}, {name: b}], sourceRef: {kind: GitRepository, name: flux-system}}
-- a/d.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: default}
spec: {template: {spec: {containers: [{name: a, image: example.org/a, envFrom: [{secretRef: {name: key}}]}]}}}
-- b/d.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: b, namespace: default}
spec: {template: {spec: {containers: [{name: b, image: example.org/b, envFrom: [{secretRef: {name: key}}]}]}}}
-- c/cm.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: default}
-- keys/s.yaml --
apiVersion: v1
kind: Secret
metadata: {name: key, namespace: default}
`

// TestH09WorkersThatWaitDelayWhoIsHealthy: with two workers, both held by passes
// that wait until their timeout, the third comes only after that; with more it
// does not wait.
func TestH09WorkersThatWaitDelayWhoIsHealthy(t *testing.T) {
	t.Parallel()
	dir := written(t, busyTree)
	for workers, late := range map[int]bool{2: true, 4: false} {
		o := options(t, dir, "entry: clusters/x")
		o.Concurrent = workers
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range r.Kustomizations {
			if k.Name != "c" {
				continue
			}
			if k.Verdict != OK || k.ReadyAfter.Flux == nil {
				t.Fatalf("with %d workers: %+v", workers, k)
			}
			if after, err := time.ParseDuration(*k.ReadyAfter.Flux); err != nil || after >= 5*time.Minute != late {
				t.Errorf("with %d workers c is Ready after %s, %v", workers, after, err)
			}
		}
		if r.Converges != ResultNo {
			t.Errorf("converges %s", r.Converges)
		}
	}
}
