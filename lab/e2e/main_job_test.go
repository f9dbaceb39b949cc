package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/standup-sh/standup/lab"
)

// homelab lists the tiers of the example, in order.
func homelab() []string {
	return []string{
		"flux-system", "cilium", "platform", "platform-config", "platform-config-cdi",
		"oauth2-proxy", "headlamp", "velero", "crafty", "apps", "apps-vms",
	}
}

func TestAColdSuspendedHomelabIsBroughtToReadyInOrder(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{"prod", "dev"} {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			revision := cold(t, c, example(t, c, "homelab"), "clusters/"+overlay)
			file := filepath.Join(abs(t, "../../examples/homelab"), "TIER_ORDER.yaml")

			r := standup(t, c.Kubeconfig(), "resume", "-f", file, "-o", "jsonl")

			r.exits(t, 0)
			readyAt(t, c, revision, homelab()...)
			inOrder(t, r, "ready", homelab()...)
			probe := finished(t, r, "probe:platform-config-cdi/storage-profile-folded-in")
			if vms := started(t, r, "resume:Kustomization/flux-system/apps-vms"); vms < probe {
				t.Errorf("apps-vms was un-suspended before the storage profile was folded in")
			}

			before := settled(t, c)
			again := standup(t, c.Kubeconfig(), "resume", "-f", file)
			again.exits(t, 0)
			again.within(t, 2*time.Second)
			unchanged(t, c, before)
			if overlay == "prod" {
				builtAsApplied(t, c, homelab()...)
			}
		})
	}
}

func TestAChainOfTenHasNoStallInTenRuns(t *testing.T) {
	t.Parallel()
	c := start(t)
	units, names := chain(10)
	revision := cold(t, c, files(tree(units...)), "cluster")
	for run := range 10 {
		if run > 0 {
			// A new commit makes all ten do their work once more.
			units[0].extra = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: run, namespace: default}\ndata: {run: \"" + string(rune('0'+run)) + "\"}"
			if err := c.SuspendAll(t.Context(), lab.SuspendOptions{}); err != nil {
				t.Fatal(err)
			}
			revision = push(t, c, files(tree(units...)))
			source(t, c, revision)
		}
		r := standup(t, c.Kubeconfig(), "resume", "-o", "jsonl")
		r.exits(t, 0)
		readyAt(t, c, revision, names...)
		for i := 1; i < len(names); i++ {
			hop := began(t, r, names[i]).Sub(readyTime(t, r, names[i-1]))
			if hop > 3*time.Second {
				t.Errorf("run %d: %s began %s after %s was Ready", run, names[i], hop, names[i-1])
			}
		}
	}
}
