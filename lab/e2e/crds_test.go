package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/lab"
)

func cdis() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "cdi.kubevirt.io", Version: "v1beta1", Resource: "cdis"}
}

func TestTheIncidentIsRepairedWithOneObjectThatFluxMakesItsOwn(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	revision := push(t, c, example(t, c, "homelab-incident"))
	if err := c.Bootstrap(t.Context(), lab.BootstrapOptions{Path: "clusters/prod"}); err != nil {
		t.Fatal(err)
	}
	staysWedged(t, c, "platform-config", `no matches for kind "StorageProfile"`)
	if _, err := c.Get(t.Context(), cdis(), "", "cdi"); err == nil {
		t.Fatal("the CDI object exists: nothing is wedged")
	}

	// Without the rights to break it, resume says so and ends on the kind.
	least, err := c.KubeconfigFor(t.Context(), "standup", documentedRoles(t, "rbac.yaml"), lab.IdentityOptions{})
	if err != nil {
		t.Fatal(err)
	}
	poor := standup(t, least.Kubeconfig, "resume", "--patience", "2s", "--timeout", "1m")
	poor.exits(t, 3)
	poor.says(t, "StorageProfile.cdi.kubevirt.io", "not allowed to get configmaps")

	id, err := c.KubeconfigFor(t.Context(), "standup", documentedRoles(t, "rbac.yaml", "rbac-crds.yaml"), lab.IdentityOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dry := standup(t, id.Kubeconfig, "crds", "--dry-run", "-v")
	dry.exits(t, 0)
	dry.says(t, "kind: CDI")

	r := standup(t, id.Kubeconfig, "crds", "-v", "-o", "jsonl", "--timeout", "2m")

	r.exits(t, 0)
	r.within(t, 60*time.Second)
	for _, secret := range append(secrets(t, c), "ENC[AES256_GCM") {
		if strings.Contains(dry.stdout+dry.stderr+r.stdout+r.stderr, secret) {
			t.Errorf("the output has the secret %q", secret)
		}
	}
	started(t, r, "pre-apply:CDI/cdi")
	finished(t, r, "served:kind/StorageProfile.cdi.kubevirt.io")
	handedOver(t, c, cdis(), "", "cdi", "platform-config")

	again := standup(t, c.Kubeconfig(), "crds")
	again.exits(t, 0)
	again.says(t, "nothing to do")

	file := filepath.Join(abs(t, "../../examples/homelab-incident"), "TIER_ORDER.yaml")
	standup(t, c.Kubeconfig(), "resume", "-f", file, "--timeout", "4m").exits(t, 0)
	readyAt(t, c, revision, "platform-config", "apps-vms")
}

// documentedRoles are roles of the documentation.
func documentedRoles(t *testing.T, files ...string) []byte {
	t.Helper()
	var all []byte
	for _, name := range files {
		role, err := os.ReadFile(abs(t, "../../docs/reference/"+name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, role...), "\n---\n"...)
	}
	return all
}

func TestTheIncidentOnAColdClusterIsResumedInOneGo(t *testing.T) {
	t.Parallel()
	c := start(t)
	revision := cold(t, c, example(t, c, "homelab-incident"), "clusters/prod")
	file := filepath.Join(abs(t, "../../examples/homelab-incident"), "TIER_ORDER.yaml")

	r := standup(t, c.Kubeconfig(), "resume", "-f", file, "-o", "jsonl", "--timeout", "4m")

	r.exits(t, 0)
	started(t, r, "pre-apply:CDI/cdi")
	readyAt(t, c, revision, "platform-config", "apps-vms")
	handedOver(t, c, cdis(), "", "cdi", "platform-config")
}
