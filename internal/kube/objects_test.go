package kube

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

type sourceOf = waiters.Source

func ref(name string) tiers.Ref { return tiers.KustomizationRef(contractNamespace, name) }

func object(apiVersion, kind, namespace, name string, spec map[string]any) map[string]any {
	meta := map[string]any{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	obj := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": meta}
	if spec != nil {
		obj["spec"] = spec
	}
	return obj
}

func kustomization(name string, suspended bool) map[string]any {
	spec := map[string]any{
		"interval": "10m", "path": "./" + name, "prune": true,
		"sourceRef": map[string]any{"kind": "GitRepository", "name": "flux-system"},
	}
	if suspended {
		spec["suspend"] = true
	}
	return object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", contractNamespace, name, spec)
}

func gitRepository(name string) map[string]any {
	return object("source.toolkit.fluxcd.io/v1", "GitRepository", contractNamespace, name, map[string]any{
		"interval": "1m", "url": "https://example.test/fleet",
	})
}

func deployment(name string, labels map[string]any) map[string]any {
	obj := object("apps/v1", "Deployment", contractNamespace, name, map[string]any{
		"selector": map[string]any{"matchLabels": map[string]any{"app": name}},
		"template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": name}},
			"spec": map[string]any{"containers": []any{
				map[string]any{"name": "proxy", "image": "example.test/proxy:v2"},
				map[string]any{"name": "manager", "image": "example.test:5000/fluxcd/" + name + ":v1.9.6@sha256:0f", "args": []any{"--requeue-dependency=5s"}},
			}},
		},
	})
	if labels != nil {
		obj["metadata"].(map[string]any)["labels"] = labels
	}
	return obj
}

func schemaKind(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

func asError[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

func isDeadline(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// await polls a real server; nothing tells a test when it was asked.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// deadHere is the identity of a process of this machine that has ended.
func deadHere(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id := identity{host: hostname(), pid: cmd.Process.Pid, process: processMark(cmd.Process.Pid), run: "dead"}
	_ = cmd.Wait() // how it ended does not matter
	return id.String()
}

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }
