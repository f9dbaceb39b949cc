package waiters_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/standup-sh/standup/waiters"
)

// The same reason stands over causes of every class; the message decides.
func ExampleClassify() {
	for _, message := range []string{
		`StorageProfile/longhorn dry-run failed: no matches for kind "StorageProfile" in version "cdi.kubevirt.io/v1beta1"`,
		`Certificate/apps/web dry-run failed (InternalError): Internal error occurred: failed calling webhook "webhook.cert-manager.io": failed to call webhook: EOF`,
		`Service/apps/web dry-run failed (Invalid): Service "web" is invalid: spec.ports: Required value`,
	} {
		c := waiters.Classify("ReconciliationFailed", message)
		fmt.Printf("%s (%s): %s\n  %s\n", c.Kind, c.Class, c.Subject, c.Remedy)
	}
	// Output:
	// MissingKind (needs action): StorageProfile.cdi.kubevirt.io
	//   Install what brings StorageProfile.cdi.kubevirt.io before this set is applied.
	// WebhookUnavailable (passing): webhook webhook.cert-manager.io
	//   Wait for the workload behind webhook webhook.cert-manager.io; if it never starts, look at its pods and its Service.
	// InvalidObject (terminal): Service/apps/web
	//   Correct Service/apps/web in git.
}

// dice is a probe: it looks once, and never waits.
type dice struct{ rolls []int }

func (*dice) Name() string { return "dice" }

func (d *dice) Observe(context.Context) (waiters.Observation, error) {
	n := d.rolls[0]
	d.rolls = d.rolls[1:]
	if n != 6 {
		return waiters.Observation{State: waiters.Progressing, Reason: "TooFew", Message: fmt.Sprintf("rolled %d", n)}, nil
	}
	return waiters.Observation{State: waiters.Ready, Reason: "Six", Message: "rolled 6"}, nil
}

func ExampleWait() {
	pace := waiters.Policy{Initial: time.Millisecond}
	err := waiters.Wait(context.Background(), &dice{rolls: []int{3, 3, 5, 6}}, pace, func(o waiters.Observation) {
		fmt.Println(o.State, o.Message)
	})
	fmt.Println(err)
	// Output:
	// Progressing rolled 3
	// Progressing rolled 5
	// Ready rolled 6
	// <nil>
}

func ExampleRetry() {
	tries := 0
	err := waiters.Retry(context.Background(), waiters.Policy{Initial: time.Millisecond}, func() error {
		if tries++; tries < 3 {
			return errors.New("connection refused")
		}
		return waiters.TerminalError(errors.New("forbidden"))
	})
	fmt.Println(tries, err, waiters.IsTerminal(err))
	// Output:
	// 3 forbidden true
}
