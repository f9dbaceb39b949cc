package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/lab"
)

// scaled is one run of standup on many Kustomizations.
type scaled struct {
	Count    int
	Failure  string
	Wall     time.Duration
	CPU      time.Duration
	Peak     int64
	Requests map[lab.Request]int
}

// levels is how deep the graph of a scale run is, at any size: the work grows
// with the number of objects and not with the depth.
const levels = 10

// scaleRevision is the revision that the stand-in of a scale run applies.
const scaleRevision = "main@sha1:0123456789abcdef0123456789abcdef01234567"

// scale measures standup itself, so only the API server is real.
func (b *bench) scale(ctx context.Context) error {
	for _, n := range []int{100, 1000} {
		s, err := b.scaleOnce(ctx, n)
		if err != nil {
			return fmt.Errorf("scale, %d Kustomizations: %w", n, err)
		}
		b.logf("scale %d: %s, %s of CPU, %s %s", n, seconds(s.Wall), seconds(s.CPU), mebibytes(s.Peak), s.Failure)
		b.report.Scale = append(b.report.Scale, s)
		if err := b.write(); err != nil {
			return err
		}
	}
	return nil
}

// scaleOnce resumes n suspended Kustomizations that a stand-in for
// kustomize-controller makes Ready at once.
func (b *bench) scaleOnce(ctx context.Context, n int) (scaled, error) {
	c, err := lab.Start(ctx, lab.Options{NoControllers: true})
	if err != nil {
		return scaled{}, err
	}
	defer c.Stop()
	if err := c.ApplyObjects(ctx, scaleObjects(n), "flux"); err != nil {
		return scaled{}, err
	}
	if err := patchStatus(ctx, c, lab.GitRepositories(), lab.FluxNamespace, sourceStatus()); err != nil {
		return scaled{}, err
	}
	kubeconfig, err := c.ProxyKubeconfig(ctx)
	if err != nil {
		return scaled{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, b.opts.limit, errCap)
	defer cancel()
	failed, err := standInController(limited, c)
	if err != nil {
		return scaled{}, err
	}
	c.Proxy().ResetRequests()
	p, err := start(limited, kubeconfig, b.opts.standup, "resume", "-o", "json")
	if err != nil {
		return scaled{}, err
	}
	select {
	case err := <-failed:
		return scaled{}, err
	default:
	}
	out := scaled{Count: n, Wall: p.ended.Sub(p.began), CPU: p.cpu, Peak: p.peak, Requests: ours(c.Proxy().Requests())}
	if p.code != 0 {
		out.Failure = fmt.Sprintf("exit code %d", p.code)
		b.logf("scale %d: %s: %s", n, out.Failure, lastLine(p.stderr))
	}
	return out, nil
}

// lastLine is the last line of an output.
func lastLine(raw []byte) string {
	text := strings.TrimSpace(string(raw))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// scaleObjects are what a cluster has before a run: Deployments with the names
// of the controllers, which a preflight looks for, a source, and n suspended
// Kustomizations in levels, each depending on one of the level before.
func scaleObjects(n int) []*unstructured.Unstructured {
	out := []*unstructured.Unstructured{controllerDeployment(lab.KustomizeController), controllerDeployment(lab.SourceController)}
	out = append(out, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
		"metadata": map[string]any{"name": lab.FluxNamespace, "namespace": lab.FluxNamespace},
		"spec":     map[string]any{"interval": "1h", "url": "https://git.example/fleet", "ref": map[string]any{"branch": "main"}},
	}})
	width := max(n/levels, 1)
	for i := range n {
		spec := map[string]any{
			"path": "./", "prune": true, "wait": true, "interval": "1h", "timeout": "2m", "suspend": true,
			"sourceRef": map[string]any{"kind": "GitRepository", "name": lab.FluxNamespace},
		}
		if i >= width {
			spec["dependsOn"] = []any{map[string]any{"name": scaleName(i - width)}}
		}
		out = append(out, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
			"metadata": map[string]any{"name": scaleName(i), "namespace": lab.FluxNamespace}, "spec": spec,
		}})
	}
	return out
}

func scaleName(i int) string { return fmt.Sprintf("k%04d", i) }

// controllerDeployment is a Deployment of which the lab's workload stand-in
// makes the one replica available.
func controllerDeployment(name string) *unstructured.Unstructured {
	labels := map[string]any{"app": name}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{
			"name": name, "namespace": lab.FluxNamespace, "labels": map[string]any{"app.kubernetes.io/part-of": "flux"},
		},
		"spec": map[string]any{
			"replicas": int64(1), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{"containers": []any{
					map[string]any{"name": "manager", "image": name + ":" + lab.FluxVersion},
				}},
			},
		},
	}}
}

// sourceStatus is a source that has an artifact.
func sourceStatus() map[string]any {
	return map[string]any{
		"observedGeneration": int64(1),
		"conditions":         []any{readyCondition(1, "stored artifact for revision '"+scaleRevision+"'")},
		"artifact": map[string]any{
			"revision": scaleRevision, "path": "fleet.tar.gz", "url": "http://127.0.0.1/fleet.tar.gz", "size": int64(1),
			"digest": "sha256:" + strings.Repeat("0", 64), "lastUpdateTime": time.Now().UTC().Format(time.RFC3339),
		},
	}
}

// readyCondition is a Ready of True.
func readyCondition(generation int64, message string) map[string]any {
	return map[string]any{
		"type": "Ready", "status": "True", "reason": "Succeeded", "message": message,
		"observedGeneration": generation, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
}

// writeScale writes the table of the scale runs.
func (r report) writeScale(b *strings.Builder) {
	if len(r.Scale) == 0 {
		return
	}
	var rows [][]string
	for _, s := range r.Scale {
		total := 0
		for _, n := range s.Requests {
			total += n
		}
		row := []string{fmt.Sprint(s.Count), seconds(s.Wall), seconds(s.CPU), mebibytes(s.Peak), fmt.Sprint(total)}
		if s.Failure != "" {
			row[1] += " (" + s.Failure + ")"
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(b, `## Scale

standup alone: %d levels, each Kustomization depending on one of the level
before, all suspended; the API server is real, and a stand-in for
kustomize-controller makes each Ready as soon as it is un-suspended. One run each.

%s
`, levels, table([]string{"Kustomizations", "ended", "CPU", "memory", "requests"}, rows))
	last := r.Scale[len(r.Scale)-1]
	fmt.Fprintf(b, "The requests of the run with %d:\n\n%s\n", last.Count, requestTable(last.Requests))
}
