package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/standup-sh/standup/lab"
	"github.com/standup-sh/standup/lab/standin"
)

// A release that gave up stays so after what it failed on has healed: Flux's
// default is no retry, and no request for a reconcile moves it.
func TestAReleaseThatGaveUpIsReset(t *testing.T) {
	t.Parallel()
	c := hurried(t)
	const shop = "HelmRelease/default/shop"
	c.StandIns().SetFault(shop, standin.Fault{Stalled: true})
	revision := warm(t, c, broken(unit{extra: strings.Replace(stalledRelease, ", annotations: {lab.standup.example.org/fault: stalled}", "", 1)}))
	staysWedged(t, c, "bad", "stalled resources", "HelmRelease/default/shop")

	// Still broken: one reset, and no second.
	role := documentedRoles(t, "rbac.yaml")
	id, err := c.KubeconfigFor(t.Context(), "standup", role, lab.IdentityOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := standup(t, id.Kubeconfig, "resume", "-o", "json")
	r.exits(t, 4)
	r.within(t, time.Minute)
	r.says(t, "HelmRetriesExhausted", "it was reset once already, and failed again")

	c.StandIns().SetFault(shop, standin.Fault{})
	staysWedged(t, c, "bad", "stalled resources", "HelmRelease/default/shop")

	r = standup(t, id.Kubeconfig, "resume", "-v")
	r.exits(t, 0)
	r.within(t, time.Minute)
	r.says(t, "bad: reset: HelmRelease/default/shop had given up")
	readyAt(t, c, revision, "first", "bad", "behind", "more")
}
